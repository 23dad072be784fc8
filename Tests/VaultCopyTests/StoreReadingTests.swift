import FaultyObjects
import ObjectStore
import Storage
import Synchronization
import TestSupport
import Testing
import Vault

@testable import VaultCopy

/// How small objects of a bucket are read.
@Suite struct StoreReadingTests {
  private static func end(_ store: any ObjectStore) throws -> StoreEnd {
    StoreEnd(store, at: try address(), atOnce: true)
  }

  private static func attend(_ meeting: Meeting) throws(StoreError) {
    do {
      try meeting.attend()
    } catch {
      throw StoreError.unavailable("\(error)")
    }
  }

  @Test func factsAndBytesAreAskedForAtOnce() throws {
    let (store, token, meeting) = (MemoryStore(), SyncToken(), Meeting(of: 2))
    try Self.end(store).writeToken(token)
    let hooked = HookedStore(store) { (action) throws(StoreError) in
      if action == .head || action == .get { try Self.attend(meeting) }
    }
    #expect(try Self.end(hooked).readToken() == token)
    #expect(store.requests(.head) == 1 && store.requests(.get) == 1)
    #expect(try Self.end(MemoryStore()).readToken() == nil)
  }

  @Test func anEmptyPlaceIsAskedAtOnce() throws {
    let (store, lists, heads, meeting) = (MemoryStore(), Counter(), Counter(), Meeting(of: 2))
    let hooked = HookedStore(store) { (action) throws(StoreError) in
      // The first ones are those of the parameters.
      if action == .list, lists.next() == 1 { try Self.attend(meeting) }
      if action == .head, heads.next() == 1 { try Self.attend(meeting) }
    }
    #expect(try Self.end(hooked).check(accepts: { _ in true }) == nil)
    #expect(store.requests(.head) == 2 && store.requests(.list) == 2)
  }

  /// A proxy flips and cuts bytes on the way back.
  @Test func aReadingWithFaultsIsRepeated() throws {
    let token = SyncToken()
    var repeated = 0
    for seed in 1...50 {
      let store = MemoryStore(seed: UInt64(seed))
      try Self.end(store).writeToken(token)
      var faults = ObjectFaults()
      (faults.flipped, faults.cut) = (100, 100)
      store.setFaults(faults)
      #expect(try Self.end(store).readToken() == token, "seed \(seed)")
      if store.requests(.get) > 1 { repeated += 1 }
    }
    #expect(repeated > 0)
  }

  @Test func theMarkOfANewCopyGoesLast() throws {
    let parameters = try CopySubject(files: 1).parameters.json
    let store = MemoryStore()
    let order = Mutex<[StoreAction]>([])
    let end = try Self.end(HookedStore(store) { (action) throws(StoreError) in order.withLock { $0.append(action) } })
    #expect(try end.begin(parameters, accepts: { _ in true }) == nil)
    order.withLock { $0 = [] }
    try end.complete(parameters)
    // The parameters, the token of an earlier sync, the parameters, the mark.
    #expect(order.withLock { $0 } == [.head, .head, .put, .delete])
    #expect(store.objects.count == 1)
  }

  @Test func nextToAVaultTheMarkGoesAtOnce() throws {
    let parameters = try CopySubject(files: 1).parameters.json
    let store = MemoryStore()
    for name in [StorageNames.parameters, StorageNames.copyMarker] {
      try store.put(try #require(ObjectKey(name)), parameters, ifAbsent: true)
    }
    let (looks, meeting) = (Counter(), Meeting(of: 3))
    let end = try Self.end(
      HookedStore(store) { (_) throws(StoreError) in
        if looks.value > 0 { try Self.attend(meeting) }
      })
    #expect(try end.check(accepts: { _ in true }) == parameters)
    _ = looks.next()
    // The facts and the bytes of the parameters, and the mark.
    try end.complete(parameters)
    #expect(store.objects.count == 1)
  }
}
