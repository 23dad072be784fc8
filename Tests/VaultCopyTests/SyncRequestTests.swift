import FaultyObjects
import FaultyStorage
import ObjectStore
import Storage
import System
import TestSupport
import Testing

@testable import VaultCopy

/// A sync makes as few requests as the page on buckets says.
@Suite struct SyncRequestTests {
  private static let page = 10

  private func requests(_ subject: CopySubject, _ store: MemoryStore) throws -> Int {
    try RequestCounts.of(store) { _ = try SyncRun(from: subject.end, to: end(store, atOnce: true)).run() }
  }

  @Test func aSyncListsTwiceAndSendsWhatChanged() throws {
    let subject = try CopySubject(files: 60)
    let store = MemoryStore()
    store.setPageCount(Self.page)
    #expect(try requests(subject, store) <= RequestCounts.copy(objects: 60, page: Self.page))
    #expect(try requests(subject, store) <= RequestCounts.sync(objects: 60, page: Self.page))
    let added = 50
    for number in 0..<added {
      try subject.write(randomBytes(200 + number, seed: UInt64(1000 + number)), to: .numbered(1000 + number))
    }
    let lists = 2 * RequestCounts.lists(60 + added, Self.page)
    #expect(try requests(subject, store) <= RequestCounts.most + added + lists)
    #expect(try store.content == subject.content)
  }

  /// It is not probed either. With one job there are the same requests as with several.
  @Test(arguments: [1, 4]) func aSyncThatChangesNothingTakesFewRequests(jobs: Int) throws {
    let subject = try CopySubject()
    let store = WatchedStore(LyingStore())
    var options = SyncOptions()
    options.jobs = jobs
    let sync = { () throws -> [WatchedStore.Request: Int] in
      let before = store.counts
      try SyncRun(from: subject.end, to: end(store, atOnce: jobs > 1), options).run()
      return store.counts.merging(before) { $0 - $1 }.filter { $0.value > 0 }
    }
    #expect(try sync()[.damaged] == 1)
    // The settings, the parameters twice and the token, which a list or their facts describe, and the mark of an
    // incomplete copy.
    let idle: [WatchedStore.Request: Int] = [.setting: 2, .list: 2, .get: 3, .head: 2, .delete: 1]
    #expect(try sync() == idle)
    #expect(idle.values.reduce(0) { $0 + $1 } <= RequestCounts.sync(objects: subject.names.count))
    try subject.write([1, 2, 3], to: .numbered(1000))
    #expect(try sync()[.damaged] == 1)
  }
}
