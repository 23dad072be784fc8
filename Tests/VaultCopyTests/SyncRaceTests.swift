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

/// Syncs of a bucket that another run uses at the same time.
@Suite struct SyncRaceTests {
  private let subject: CopySubject

  init() throws { subject = try CopySubject() }

  /// A store in which another run completes a first copy after the files were listed, and before the parameters are
  /// asked for.
  private final class ContestedStore: ObjectStore {
    private let store: MemoryStore
    private let other: any CopySource
    private let lists = Counter()
    private let isCopied = Mutex(false)

    init(_ store: MemoryStore, _ other: any CopySource) { (self.store, self.other) = (store, other) }

    func list(prefix: String, after: String?) throws(StoreError) -> ObjectPage {
      if prefix == StorageNames.parameters { try copyOnce() }
      let page = try store.list(prefix: prefix, after: after)
      if prefix.hasPrefix(StorageNames.segments) { _ = lists.next() }
      return page
    }

    private func copyOnce() throws(StoreError) {
      let isFirst = isCopied.withLock { isCopied in
        defer { isCopied = true }
        return !isCopied
      }
      guard isFirst else { return }
      do {
        try waitUntil("the files are listed") { lists.value > 0 }
        try CopyRun(from: other, to: end(store)).run()
      } catch {
        throw StoreError.unavailable("\(error)")
      }
    }

    func head(_ key: ObjectKey) throws(StoreError) -> ObjectEntry { try store.head(key) }

    func get(_ key: ObjectKey, range: Range<Int64>?) throws(StoreError) -> [UInt8] {
      try store.get(key, range: range)
    }

    func put(_ key: ObjectKey, _ content: HashedContent, ifAbsent: Bool) throws(StoreError) {
      try store.put(key, content, ifAbsent: ifAbsent)
    }

    func delete(_ key: ObjectKey) throws(StoreError) { try store.delete(key) }
  }

  /// The first list showed no file that the older vault lacks.
  @Test func aFirstCopyThatIsCompletedMeanwhileIsNotReplaced() throws {
    let store = MemoryStore()
    let older = FilePath(subject.folder.path("older"))
    try CopyRun(from: subject.end, to: DirectoryEnd(older)).run()
    try subject.write([1, 2, 3], to: .numbered(1000))
    let target = try end(ContestedStore(store, subject.end), atOnce: true)
    #expect(throws: CopyError.olderSource("\(older)", 1)) {
      try SyncRun(from: DirectoryEnd(older), to: target).run()
    }
    #expect(try store.content == subject.content)
  }

  /// Copies or syncs, and expects that the store is refused because it lags.
  private func expectRefusal(by store: any ObjectStore, syncs: Bool) throws {
    #expect(throws: CopyError.store(.lags, try address())) {
      if syncs {
        _ = try subject.sync(to: store)
      } else {
        _ = try CopyRun(from: subject.end, to: end(store)).run()
      }
    }
  }

  /// Another run began the copy.
  @Test(arguments: [true, false]) func theMarkOfAnotherRunStays(syncs: Bool) throws {
    var lies = ObjectLies()
    lies.readsLate = true
    let store = LyingStore(lies)
    let mark = try #require(ObjectKey(StorageNames.copyMarker))
    try store.memory.put(mark, subject.parameters.json, ifAbsent: true)
    // So that what the store shows late has the mark.
    try store.put(try #require(ObjectKey(StorageNames.synced)), [1], ifAbsent: true)
    try store.delete(try #require(ObjectKey(StorageNames.synced)))
    try expectRefusal(by: store, syncs: syncs)
    #expect(store.memory.objects == [mark: subject.parameters.json])
  }

  /// Another run found the mark of this one, and sent a file.
  @Test(arguments: [true, false]) func aMarkThatAnotherRunUsesStays(syncs: Bool) throws {
    let store = LyingStore()
    let mark = try #require(ObjectKey(StorageNames.copyMarker))
    let file = try #require(ObjectKey("segments/" + subject.names[1].path))
    let watched = WatchedStore(store) { (request) throws(StoreError) in
      guard request == .damaged else { return }
      try store.put(file, [1, 2, 3], ifAbsent: false)
      throw StoreError.lags
    }
    try expectRefusal(by: watched, syncs: syncs)
    #expect(store.memory.objects == [mark: subject.parameters.json, file: [1, 2, 3]])
  }

  /// A large vault takes long to list. The refusal comes before the first list of it ends.
  @Test func aRefusedPlaceEndsTheListing() throws {
    let store = MemoryStore()
    let other = try CopySubject(files: 2, identifier: 2)
    try CopyRun(from: other.end, to: end(store)).run()
    withExtendedLifetime(other) {}
    let memory = try subject.inMemory()
    let (lists, stops) = (Counter(), Counter())
    let source = MemorySource(
      memory, TokenFile(),
      beforeList: { _ in
        _ = lists.next()
        try? waitUntil("the place is refused") { stops.value > 0 }
      })
    let target = try end(store, stop: { _ = stops.next() })
    #expect(throws: CopyError.otherVault(bucket)) { try SyncRun(from: source, to: target).run() }
    #expect(lists.value <= 1)
  }
}
