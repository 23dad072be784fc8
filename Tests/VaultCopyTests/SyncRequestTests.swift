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
    try RequestCounts.of(store) {
      _ = try SyncRun(from: subject.end, to: StoreEnd(store, at: address()), SyncOptions()).run()
    }
  }

  @Test func aSyncListsTwiceAndSendsWhatChanged() throws {
    let subject = try CopySubject(files: 60)
    let store = MemoryStore()
    store.setPageCount(Self.page)
    #expect(try requests(subject, store) <= RequestCounts.copy(objects: 60, page: Self.page))
    let most = RequestCounts.sync(objects: 60, page: Self.page)
    #expect(try requests(subject, store) <= most)
    let added = 50
    for number in 0..<added {
      try subject.write(randomBytes(200 + number, seed: UInt64(1000 + number)), to: .numbered(1000 + number))
    }
    let lists = 2 * (RequestCounts.lists(60 + added, Self.page) - RequestCounts.lists(60, Self.page))
    #expect(try requests(subject, store) <= most + added + lists)
    #expect(try store.content == subject.content)
  }
}
