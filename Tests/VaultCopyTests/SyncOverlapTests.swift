import FaultyObjects
import FaultyStorage
import Glibc
import ObjectStore
import Storage
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import VaultCopy

/// What a sync does at once, and what it must not.
@Suite struct SyncOverlapTests {
  private let subject: CopySubject
  private let store = LyingStore()

  init() throws { subject = try CopySubject() }

  /// Calls a function that waits; its error is that of a request.
  private static func waiting(_ body: () throws -> Void) throws(StoreError) {
    do {
      try body()
    } catch {
      throw StoreError.unavailable("\(error)")
    }
  }

  @discardableResult
  private func sync(
    _ store: any ObjectStore, jobs: Int = 4, stop: @escaping @Sendable () -> Void = {},
    beforeRead: @escaping @Sendable (SegmentIdentifier) throws(CopyError) -> Void = { _ in }
  ) throws -> SyncSummary {
    var options = SyncOptions()
    options.jobs = jobs
    let target = try end(store, atOnce: jobs > 1, stop: stop)
    return try SyncRun(from: HookedEnd(subject.end, before: beforeRead), to: target, options).run()
  }

  @Test func parametersAndFilesAreAskedForAtOnce() throws {
    let meeting = Meeting(of: 2)
    try sync(
      WatchedStore(store) { (request) throws(StoreError) in
        if request == .list { try Self.waiting { try meeting.attend() } }
      })
    #expect(try store.memory.content == subject.content)
  }

  /// Either waits for the other one.
  @Test func theProbeRunsWhileTheVaultIsCompared() throws {
    try subject.syncAndWrite(to: store)
    let (probes, reads) = (Counter(), Counter())
    let watched = WatchedStore(store) { (request) throws(StoreError) in
      guard request == .damaged else { return }
      _ = probes.next()
      try Self.waiting { try waitUntil("a file is read") { reads.value > 0 } }
    }
    let summary = try sync(
      watched,
      beforeRead: { (_) throws(CopyError) in
        _ = reads.next()
        do {
          try waitUntil("the bucket is probed") { probes.value > 0 }
        } catch {
          throw CopyError.notKept("\(error)")
        }
      })
    #expect(summary.copied == 1)
    #expect(try store.memory.content == subject.content)
  }

  /// The bucket has the vault's token, so nothing can be refused any more.
  @Test func filesAreSentWhileOthersAreCompared() throws {
    let subject = try CopySubject(files: 60)
    try subject.sync(to: store)
    let added = (0..<20).map { SegmentIdentifier.numbered(1000 + $0) }
    for name in added { try subject.write([1, 2, 3], to: name) }
    let deletions = Counter()
    let areSent = Mutex<[Bool]>([])
    let watched = WatchedStore(store) { (request) throws(StoreError) in
      if request == .delete { _ = deletions.next() }
    }
    let source = HookedEnd(
      subject.end,
      before: { (name) throws(CopyError) in
        let isSent = added.contains(name)
        areSent.withLock { $0.append(isSent) }
        if isSent { return }
        do {
          try waitUntil("the probe deletes its object") { deletions.value > 0 }
        } catch {
          throw CopyError.notKept("\(error)")
        }
        // So that the probe ends before all are compared.
        if !areSent.withLock({ $0.contains(true) }) { usleep(20_000) }
      })
    let summary = try SyncRun(from: source, to: end(watched, atOnce: true)).run()
    #expect(summary.copied == added.count && summary.files == subject.names.count + added.count)
    #expect(try store.memory.content == subject.content)
    let order = areSent.withLock { $0 }
    #expect(order.count == subject.names.count + added.count)
    let (first, last) = (try #require(order.firstIndex(of: true)), try #require(order.lastIndex(of: false)))
    #expect(first < last)
  }

  /// What was not compared yet is left open.
  @Test func aComparisonThatIsEndedLeavesFilesOpen() throws {
    try subject.sync(to: store)
    let files = try subject.end.list()
    let reads = Counter()
    let ends = Mutex<SyncComparison?>(nil)
    let source = HookedEnd(
      subject.end,
      before: { (_) throws(CopyError) in
        if reads.next() == 2 { ends.withLock { $0?.end() } }
      })
    let target = try end(store)
    let comparison = SyncComparison(
      source, target, CopyJobs(1, ends: []), segmentSize: subject.parameters.segmentSize, findsDivergent: false)
    ends.withLock { $0 = comparison }
    let plan = try comparison.run(files, target.list(), { _ in true })
    #expect(plan.same.count == 3 && plan.sending.isEmpty)
    #expect(Set(plan.same + plan.open) == Set(files.keys))
  }

  /// The tokens of the bucket's earlier states go, and it has that of the run.
  @Test func aRunThatFailsLeavesOneToken() throws {
    try subject.syncAndWrite(to: store)
    let failure = CopyError.system(.ioError, "reading", subject.path)
    for _ in 0..<3 {
      #expect(throws: failure) {
        try sync(store, beforeRead: { (name) throws(CopyError) in if name == .numbered(1000) { throw failure } })
      }
      let token = try #require(try end(store).readToken())
      let tokens = try subject.end.readTokens()
      #expect(tokens.count == 1 && tokens.contains(token))
    }
    #expect(try sync(store).copied == 1)
  }

  /// The mark of an incomplete copy goes, which is part of the last look at the parameters.
  @Test func theLastTokenIsStoredWhileTheCopyIsCompleted() throws {
    try subject.syncAndWrite(to: store)
    let (puts, deletions, meeting) = (Counter(), Counter(), Meeting(of: 2))
    let watched = WatchedStore(store) { (request) throws(StoreError) in
      // Before it the probe stores two objects, and the sync a token and a file.
      if request == .put, puts.next() == 4 { try Self.waiting { try meeting.attend() } }
      // Before it the probe deletes its object.
      if request == .delete, deletions.next() == 1 { _ = try? meeting.attend() }
    }
    #expect(try sync(watched).copied == 1)
    #expect(puts.value == 5 && deletions.value == 2)
    #expect(try store.memory.content == subject.content)
  }

  @Test func withOneJobEverythingIsInSequence() throws {
    let now = Mutex(0)
    let most = Mutex(0)
    let visit = { @Sendable () -> Void in
      let count = now.withLock { count in
        count += 1
        return count
      }
      most.withLock { $0 = max($0, count) }
      // So that others come meanwhile, if there are any.
      usleep(2000)
      now.withLock { $0 -= 1 }
    }
    let watched = WatchedStore(store) { (_) throws(StoreError) in visit() }
    for round in 0..<3 {
      if round == 1 {
        try subject.write([1, 2, 3], to: .numbered(1000))
        try subject.storage.delete(subject.names[3])
      }
      try sync(watched, jobs: 1, beforeRead: { (_) throws(CopyError) in visit() })
      #expect(try store.memory.content == subject.content)
    }
    #expect(most.withLock { $0 } == 1)
  }

  enum Refusal: CaseIterable {
    case older
    case divergent
    case newer
    case incomplete
  }

  /// Neither the probe nor anything else changes the bucket for a moment.
  @Test(arguments: Refusal.allCases) func whatIsRefusedChangesNothing(_ refusal: Refusal) throws {
    let watched = WatchedStore(store)
    try subject.syncAndWrite(to: watched)
    let expected: CopyError
    switch refusal {
    case .older:
      HostFile.remove(subject.tokensPath)
      try subject.storage.delete(subject.names[3])
      expected = .olderSource("\(subject.path)", 1)
    case .divergent:
      HostFile.remove(subject.tokensPath)
      try subject.write(randomBytes(137, seed: 77), to: subject.names[1])
      expected = .divergent(bucket, 1)
    case .newer:
      try subject.write([1], to: subject.names[1])
      expected = .newerThere(bucket)
    case .incomplete:
      let name = subject.names[3]
      let lost = subject.names.filter { $0.folder == name.folder }
      HostFile.remove(subject.folder.path("vault/segments/\(name.path.prefix(2))"))
      expected = .incompleteSource("\(subject.path)", lost.count)
    }
    try expectRefusal(expected, by: watched)
  }

  @Test(.enabled(if: geteuid() != 0)) func aVaultThatTakesNoTokenChangesNothing() throws {
    let watched = WatchedStore(store)
    try subject.syncAndWrite(to: watched)
    let path = "\(subject.path)"
    unsafe chmod(path, 0o555)
    defer { unsafe chmod(path, 0o700) }
    try expectRefusal(.readOnlySource(path), by: watched)
  }

  private func expectRefusal(_ error: CopyError, by watched: WatchedStore) throws {
    let before = watched.counts
    // `HookedEnd` knows no folders.
    let target = try end(watched, atOnce: true)
    #expect(throws: error) { try SyncRun(from: subject.end, to: target).run() }
    for request in [WatchedStore.Request.put, .delete, .damaged] {
      #expect(watched.counts[request] == before[request], "\(request)")
    }
  }

  /// The vault forgets the token that it had taken, and the bucket is as it was. A store that was stopped does nothing.
  @Test(arguments: [true, false]) func aFailureOfEitherEndsBoth(isOfTheProbe: Bool) throws {
    try subject.syncAndWrite(to: store)
    let (before, tokens) = (store.memory.objects, try HostFile.read(subject.tokensPath))
    let failure = CopyError.system(.ioError, "reading", subject.path)
    let expected = try isOfTheProbe ? CopyError.store(.quota, address()) : failure
    let (probes, reads, stops) = (Counter(), Counter(), Counter())
    let watched = WatchedStore(store) { (request) throws(StoreError) in
      if stops.value > 0 { throw StoreError.unavailable("stopped") }
      guard request == .damaged else { return }
      if isOfTheProbe { throw StoreError.quota }
      _ = probes.next()
      try Self.waiting { try waitUntil("a file is read") { reads.value > 0 } }
      // So that the store would be stopped before the object of the probe is deleted.
      usleep(50_000)
    }
    #expect(throws: expected) {
      try sync(watched, stop: { _ = stops.next() }) { (_) throws(CopyError) in
        if isOfTheProbe { return }
        do {
          try waitUntil("the bucket is probed") { probes.value > 0 }
        } catch {
          throw CopyError.notKept("\(error)")
        }
        _ = reads.next()
        throw failure
      }
    }
    if isOfTheProbe { #expect(stops.value == 1) }
    #expect(store.memory.objects == before)
    #expect(try HostFile.read(subject.tokensPath) == tokens)
  }
}
