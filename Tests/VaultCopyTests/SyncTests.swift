import FaultyObjects
import FaultyStorage
import ObjectStore
import Storage
import System
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import VaultCopy

/// What a sync sends, deletes and refuses.
@Suite struct SyncTests {
  private let subject: CopySubject
  private let store = MemoryStore()

  init() throws { subject = try CopySubject() }

  @discardableResult
  private func sync(_ change: (inout SyncOptions) -> Void = { _ in }) throws -> SyncSummary {
    var options = SyncOptions()
    change(&options)
    return try subject.sync(to: store, options)
  }

  /// Expects that a sync is refused, that nothing is changed, and that it is done if newer files may be deleted.
  private func expectRefusal(_ error: CopyError, insisting: Bool = true) throws {
    let before = store.objects
    #expect(throws: error) { try sync() }
    #expect(throws: error) { try sync { $0.onlyPlans = true } }
    #expect(store.objects == before)
    guard insisting else { return }
    try sync { $0.deletesNewer = true }
    #expect(try store.content == subject.content)
  }

  /// Makes a file longer.
  private func lengthen(_ name: SegmentIdentifier) throws {
    try subject.write(try subject.storage.content(of: name) + [1, 2, 3], to: name)
  }

  @Test func theBucketBecomesLikeTheVault() throws {
    let first = try sync()
    #expect(first.copied == subject.names.count && first.files == first.copied && first.deleted == 0)
    #expect(first.begun <= timeOfDay().seconds && first.begun > timeOfDay().seconds - 3600)
    #expect(try store.content == subject.content)
    try lengthen(subject.names[1])
    try subject.write(randomBytes(50, seed: 102), to: .numbered(1000))
    try subject.storage.delete(subject.names[3])
    let second = try sync()
    #expect(second.copied == 2 && second.deleted == 1 && second.resent == 0)
    let sizes = try [subject.names[1], .numbered(1000)].map { Int64(try subject.storage.content(of: $0).count) }
    #expect(second.sentBytes == sizes[0] + sizes[1])
    #expect(try store.content == subject.content)
    #expect(try store.objects.count == subject.content.count + 1)
    let third = try sync()
    #expect(third.copied == 0 && third.deleted == 0 && third.sentBytes == 0)
  }

  @Test func otherObjectsStay() throws {
    try sync()
    for text in ["letter", "segments/letter", "segments/00/letter"] {
      try store.put(try #require(ObjectKey(text)), [1], ifAbsent: true)
    }
    try subject.write([1], to: .numbered(1000))
    try subject.storage.delete(subject.names[3])
    #expect(try sync().deleted == 1)
    #expect(try store.content.count == subject.content.count + 3)
  }

  @Test func aPlanChangesNothing() throws {
    let new = try sync { $0.onlyPlans = true }
    #expect(new.waiting == subject.names.count && new.copied == 0 && store.objects.isEmpty)
    try sync()
    try lengthen(subject.names[1])
    try subject.storage.delete(subject.names[3])
    let before = store.objects
    let plan = try sync { $0.onlyPlans = true }
    #expect(plan.waiting == 1 && plan.deleted == 1 && plan.sentBytes == 0)
    #expect(plan.waitingBytes == Int64(try subject.storage.content(of: subject.names[1]).count))
    #expect(store.objects == before)
  }

  @Test func anOlderCopyIsRefused() throws {
    try sync()
    let older = try HostFile.read(subject.tokensPath)
    let new = SegmentIdentifier.numbered(1000)
    try subject.write([1, 2, 3], to: new)
    try sync()
    try subject.storage.delete(new)
    try HostFile.write(older, to: subject.tokensPath)
    try expectRefusal(.olderSource("\(subject.path)", 1))
    // A shorter file is older, too.
    try lengthen(subject.names[1])
    try sync()
    let bytes = try subject.storage.content(of: subject.names[1])
    try subject.write(Array(bytes.dropLast()), to: subject.names[1])
    try expectRefusal(.newerThere(bucket))
  }

  /// By damage, or because it is being restored.
  @Test func aVaultThatLostAFolderIsRefused() throws {
    try subject.syncAndWrite(to: store)
    let name = subject.names[3]
    let lost = subject.names.filter { $0.folder == name.folder }
    HostFile.remove(subject.folder.path("vault/segments/\(name.path.prefix(2))"))
    #expect(try subject.storage.lacksFolder(of: name))
    try expectRefusal(.incompleteSource("\(subject.path)", lost.count))
    // Nothing is to be deleted there now.
    try subject.storage.delete(subject.names[4])
    #expect(try sync().deleted == 1)
  }

  /// Without a file more or less: a complete one, a short one, and one that also became longer.
  @Test(arguments: [(0, CopySubject.segmentSize), (1, 137), (1, 200), (1, CopySubject.segmentSize)])
  func anotherContinuationIsRefused(number: Int, count: Int) throws {
    try subject.syncAndWrite(to: store)
    HostFile.remove(subject.tokensPath)
    try subject.write(randomBytes(count, seed: 77), to: subject.names[number])
    try expectRefusal(.divergent(bucket, 1))
  }

  @Test func otherVaultsAndOtherObjectsStay() throws {
    try sync()
    let other = try CopySubject(files: 3, identifier: 2)
    let before = store.objects
    for insists in [false, true] {
      var options = SyncOptions()
      options.deletesNewer = insists
      #expect(throws: CopyError.otherVault(bucket)) { try SyncRun(from: other.end, to: end(store), options).run() }
      for name in insists ? [] : subject.names { try subject.storage.delete(name) }
      let empty = CopyError.vault(.notAVault("it has no files in segments"), "\(subject.path)")
      #expect(throws: empty) { try subject.sync(to: store, options) }
    }
    #expect(store.objects == before)
    let strange = MemoryStore()
    try strange.put(try #require(ObjectKey("photo.jpg")), [1], ifAbsent: true)
    #expect(throws: CopyError.notEmpty(bucket)) { try SyncRun(from: other.end, to: end(strange)).run() }
    #expect(strange.objects.count == 1)
  }

  @Test func aBucketWithAnotherDerivationIsNewer() throws {
    _ = try subject.addDerivation()
    try sync()
    try subject.storage.replaceParameters(with: subject.parameters.json)
    try expectRefusal(.newerThere(bucket))
  }

  /// The run after an interrupted one needs no option; an older vault is refused then, too.
  @Test func interruptedDeletionsGoOn() throws {
    try sync()
    let older = try HostFile.read(subject.tokensPath)
    let new = SegmentIdentifier.numbered(1000)
    try subject.write([1, 2, 3], to: new)
    for name in subject.names[3...6] { try subject.storage.delete(name) }
    let deletions = Counter()
    let broken = HookedStore(store) { (action) throws(StoreError) in
      // The first one is that of the mark of an incomplete copy.
      if action == .delete, deletions.next() > 2 { throw StoreError.unreachable }
    }
    #expect(throws: CopyError.self) { try subject.sync(to: broken) }
    let newer = try HostFile.read(subject.tokensPath)
    try HostFile.write(older, to: subject.tokensPath)
    try subject.storage.delete(new)
    let before = store.objects
    #expect(throws: CopyError.olderSource("\(subject.path)", 3)) { try sync() }
    #expect(store.objects == before)
    try HostFile.write(newer, to: subject.tokensPath)
    try subject.write([1, 2, 3], to: new)
    #expect(try sync().deleted == 2)
    #expect(try store.content == subject.content)
  }

  /// A vault that deletes files during a run has others in the next one, and nothing new. What it lacks goes then.
  @Test func nothingIsDeletedIfFilesWereGone() throws {
    try subject.syncAndWrite(to: store)
    try subject.storage.delete(subject.names[3])
    let (storage, name) = (subject.storage, subject.names[1])
    let source = HookedEnd(subject.end) { (found) throws(CopyError) in
      if found == name { try? storage.delete(name) }
    }
    let summary = try SyncRun(from: source, to: end(store)).run()
    #expect(summary.gone == 1 && summary.copied == 1 && summary.deleted == 0)
    for kept in [name, subject.names[3]] { #expect(store.content["segments/" + kept.path] != nil) }
    #expect(try sync().deleted == 2)
    #expect(try store.content == subject.content)
  }

  @Test func aNewCopyWithoutAFileIsNotComplete() throws {
    let (storage, name) = (subject.storage, subject.names[1])
    let source = HookedEnd(subject.end) { (found) throws(CopyError) in
      if found == name { try? storage.delete(name) }
    }
    #expect(try SyncRun(from: source, to: end(store)).run().gone == 1)
    #expect(store.content[StorageNames.parameters] == nil)
    try sync()
    #expect(try store.content == subject.content)
  }

  /// A list takes time. A file that the first list has may be needless only because of a head that the second one missed.
  @Test func whatGoesBetweenTwoListsStaysUntilTheNextRun() throws {
    let memory = try subject.inMemory()
    let tokens = TokenFile()
    try SyncRun(from: MemorySource(memory, tokens), to: end(store)).run()
    memory.place([1, 2, 3], as: .numbered(1000))
    let name = subject.names[3]
    let source = MemorySource(memory, tokens, beforeList: { if $0 == 1 { try? memory.delete(name) } })
    #expect(try SyncRun(from: source, to: end(store)).run().deleted == 0)
    #expect(store.content["segments/" + name.path] != nil)
    #expect(try SyncRun(from: MemorySource(memory, tokens), to: end(store)).run().deleted == 1)
    #expect(store.content["segments/" + name.path] == nil && store.content.count == memory.names.count + 1)
  }

  /// A file that another sync of the vault sends after this one began, and that the vault deletes before this one ends,
  /// may be needed by what the bucket has.
  @Test func whatAnotherSyncSendsMeanwhileStaysUntilTheNextRun() throws {
    let memory = try subject.inMemory()
    let (tokens, store) = (TokenFile(), store)
    try SyncRun(from: MemorySource(memory, tokens), to: end(store)).run()
    let (name, needless) = (SegmentIdentifier.numbered(1000), subject.names[3])
    let (lists, sent) = (Counter(), Counter())
    // The first request finds the parameters, the second lists the files.
    let hooked = HookedStore(store) { (action) throws(StoreError) in
      guard action == .list, lists.next() == 1 else { return }
      memory.place([1, 2, 3], as: name)
      let other = try? SyncRun(from: MemorySource(memory, tokens), to: end(store)).run()
      if other?.copied == 1 { _ = sent.next() }
      try? memory.delete(needless)
    }
    let source = MemorySource(memory, tokens, beforeList: { if $0 == 2 { try? memory.delete(name) } })
    var options = SyncOptions()
    options.jobs = 1
    #expect(try SyncRun(from: source, to: end(hooked), options).run().deleted == 1)
    #expect(sent.next() == 1)
    #expect(store.content["segments/" + name.path] != nil && store.content["segments/" + needless.path] == nil)
    #expect(try SyncRun(from: MemorySource(memory, tokens), to: end(store)).run().deleted == 1)
    #expect(store.content.count == memory.names.count + 1)
  }

  /// Each run sends about the same number of bytes, whether there is much that is new or nothing.
  @Test func aRateHoldsForEveryRun() throws {
    for (number, name) in subject.names.enumerated() {
      try subject.write(randomBytes(1000, seed: UInt64(number)), to: name)
    }
    let rate = { (options: inout SyncOptions) in options.mostBytes = 3000 }
    for run in 1...2 {
      let summary = try sync(rate)
      #expect(summary.copied == 3 && summary.waiting == 8 - 3 * run && summary.sentBytes == 3000)
      #expect(summary.waitingBytes == Int64(1000 * summary.waiting) && summary.resent == 0)
      #expect(store.content[StorageNames.parameters] == nil)
    }
    let rest = try sync(rate)
    #expect(rest.copied == 2 && rest.resent == 1 && rest.waiting == 0 && rest.sentBytes == 3000)
    #expect(try store.content == subject.content)

    for number in 1...7 {
      try subject.write(randomBytes(1000, seed: UInt64(100 + number)), to: .numbered(1000 + number))
    }
    for name in subject.names[0...2] { try subject.storage.delete(name) }
    for run in 1...2 {
      let summary = try sync(rate)
      #expect(summary.copied == 3 && summary.waiting == 7 - 3 * run && summary.deleted == 0)
      #expect(subject.names[0...2].allSatisfy { store.content["segments/" + $0.path] != nil })
    }
    let last = try sync(rate)
    #expect(last.copied == 1 && last.resent == 2 && last.deleted == 3 && last.sentBytes == 3000)
    #expect(try store.content == subject.content)
    let quiet = try sync(rate)
    #expect(quiet.copied == 0 && quiet.resent == 3 && quiet.deleted == 0 && quiet.sentBytes == 3000)
    #expect(try store.content == subject.content)
  }

  /// Requests and replies are lost, come late, and are cut or flipped; runs are repeated until one succeeds.
  @Test func aStoreWithAllFaultsBecomesLikeTheVault() throws {
    var cases = CaseCount("syncs with faults of the store")
    for seed in TestLength.seeds(1000, few: 30) {
      let store = MemoryStore(seed: seed, faults: .all(Int(seed % 40)))
      let name = SegmentIdentifier.numbered(Int(seed) + 5000)
      for round in 0...1 {
        if round == 1 {
          try subject.write(randomBytes(500, seed: seed), to: name)
          try subject.storage.delete(subject.names[2])
        }
        var rounds = Rounds(until: "a sync succeeds")
        while true {
          try rounds.begin()
          if (try? SyncRun(from: subject.end, to: end(store)).run()) != nil { break }
        }
      }
      // What comes late changes the bucket once more.
      store.setFaults(ObjectFaults())
      try subject.sync(to: store)
      #expect(try store.content == subject.content, "seed \(seed)")
      try subject.storage.delete(name)
      try subject.write(randomBytes(174, seed: 2), to: subject.names[2])
      cases.add()
    }
  }

  @Test func aSyncIsCanceled() throws {
    #expect(throws: CopyError.cancelled) { try SyncRun(from: subject.end, to: end(store)).run { _ in false } }
    try sync()
    #expect(try store.content == subject.content)
  }
}
