import FaultyObjects
import Glibc
import ObjectStore
import Storage
import Synchronization
import TestSupport
import Testing
import Vault

@testable import VaultCopy

/// What a copy does with what a probe of its target finds.
@Suite struct ProbedCopyTests {
  private let subject: CopySubject

  init() throws { subject = try CopySubject() }

  private func store(_ change: (inout ObjectLies) -> Void) -> LyingStore {
    var lies = ObjectLies()
    change(&lies)
    return LyingStore(lies)
  }

  /// Copies, and returns what it says of the target.
  private func copy(to store: LyingStore, _ options: CopyOptions = CopyOptions()) throws -> [String] {
    var sentences: [String] = []
    try CopyRun(from: subject.end, to: end(store), options).run(note: { sentences.append($0) })
    return sentences
  }

  @Test func aGoodStoreIsNotTalkedAboutNorReadBack() throws {
    let store = LyingStore()
    #expect(try copy(to: store).isEmpty)
    #expect(try store.memory.content == subject.content)
    #expect(store.memory.requests(.get) < subject.names.count)
  }

  @Test func filesInAStoreThatChecksNothingAreReadBack() throws {
    let store = store {
      $0.acceptsWrongMD5 = true
      $0.acceptsWrongSHA256 = true
    }
    let sentences = try copy(to: store)
    #expect(sentences.count == 1 && sentences[0].hasPrefix("s3://bucket/vault stores damaged objects"))
    #expect(try store.memory.content == subject.content)
    #expect(store.memory.requests(.get) >= subject.names.count)
    // Only files that are written.
    let before = store.memory.requests(.get)
    #expect(try copy(to: store).count == 1)
    #expect(store.memory.requests(.get) < before + subject.names.count)
  }

  /// Such a store keeps what was damaged on the way.
  @Test func aDamagedTransferIsRepeatedOnce() throws {
    let unchecked = { (damaged: Int) in
      store {
        $0.acceptsWrongMD5 = true
        $0.acceptsWrongSHA256 = true
        $0.damaged = damaged
      }
    }
    let once = unchecked(1)
    _ = try copy(to: once)
    #expect(try once.memory.content == subject.content)
    #expect(throws: CopyError.notKept(bucket)) { try copy(to: unchecked(1000)) }
  }

  @Test func aStoreThatLagsGetsNoFile() throws {
    let store = store { $0.listsLate = true }
    #expect(throws: CopyError.store(.lags, try address())) { try copy(to: store) }
    #expect(store.memory.objects.isEmpty)
  }

  /// A sync leaves no mark and no token there either.
  @Test func aStoreThatLagsGetsNothingFromASync() throws {
    let store = store { $0.listsLate = true }
    #expect(throws: CopyError.store(.lags, try address())) { try subject.sync(to: store) }
    #expect(store.memory.objects.isEmpty)
    #expect(try HostFile.read(subject.tokensPath).isEmpty)
  }

  /// Without its marker, the place would hold files of nothing.
  @Test func aBegunCopyKeepsItsMarkerWhenTheStoreIsRefused() throws {
    let store = store { $0.readsLate = true }
    let file = "segments/" + subject.names[1].path
    let bytes = try #require(try subject.content[file])
    for (name, bytes) in [(StorageNames.copyMarker, subject.parameters.json), (file, bytes)] {
      try store.put(try #require(ObjectKey(name)), bytes, ifAbsent: true)
    }
    #expect(throws: CopyError.store(.lags, try address())) { try copy(to: store) }
    #expect(Set(store.memory.objects.keys.map(\.text)) == [StorageNames.copyMarker, file])
  }

  @Test func whatABucketKeepsIsSaidOnce() throws {
    let store = store { $0.settings = [.versioning] }
    #expect(try copy(to: store).count == 1)
    // Nothing is written, so nothing is probed.
    var options = CopyOptions()
    options.onlyCompares = true
    let puts = store.memory.requests(.put)
    #expect(try copy(to: store, options).isEmpty)
    #expect(store.memory.requests(.put) == puts)
  }

  /// Also when nothing is changed, and nothing probed.
  @Test(arguments: [true, false]) func aSyncSaysWhatABucketKeeps(atOnce: Bool) throws {
    let store = store { $0.settings = [.versioning] }
    for _ in 0..<2 {
      var sentences: [String] = []
      try SyncRun(from: subject.end, to: end(store, atOnce: atOnce)).run(note: { sentences.append($0) })
      #expect(sentences.count == 1 && sentences[0].contains("keeps old versions"))
    }
  }

  /// With one request at a time.
  @Test func theSettingsOfARefusedPlaceAreNotAskedFor() throws {
    let watched = WatchedStore(LyingStore()) { (request) throws(StoreError) in
      if request == .list { throw StoreError.noBucket }
    }
    #expect(throws: CopyError.store(.noBucket, try address())) {
      try CopyRun(from: subject.end, to: end(watched)).run()
    }
    #expect(watched.counts == [.list: 1])
  }

  /// They need one connection.
  @Test func oneThreadAsksForTheSettings() throws {
    let threads = Mutex<Set<pthread_t>>([])
    let watched = WatchedStore(LyingStore()) { (request) throws(StoreError) in
      if request == .setting { _ = threads.withLock { $0.insert(pthread_self()) } }
    }
    try CopyRun(from: subject.end, to: end(watched, atOnce: true)).run()
    #expect(watched.counts[.setting] == 2 && threads.withLock { $0 }.count == 1)
  }

  /// The object of a probe that was killed, or may not be deleted, is not another program's.
  @Test func aPlaceWithTheObjectOfAProbeIsEmpty() throws {
    let store = store { $0.deniesDeleting = true }
    let left = try #require(try StoreProbe(store).run().left)
    #expect(StoreProbe.isOwn(left) && store.memory.objects.count == 1)
    #expect(try copy(to: store).count == 1)
    #expect(try subject.content.allSatisfy { store.memory.content[$0.key] == $0.value })
  }
}
