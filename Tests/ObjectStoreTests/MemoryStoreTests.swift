import FaultyObjects
import ObjectStore
import Testing

/// What the store for tests does: it has to keep the promises of the protocol itself.
@Suite struct MemoryStoreTests {
  private let first = key("a")

  @Test func objectsAreKept() throws {
    let store = MemoryStore()
    #expect(throws: StoreError.notFound) { try store.head(first) }
    try store.put(first, Array("hello".utf8), ifAbsent: true)
    #expect(throws: StoreError.alreadyThere) { try store.put(first, [1], ifAbsent: true) }
    #expect(try store.head(first).size == 5)
    #expect(try store.get(first, range: 1..<3) == Array("el".utf8))
    #expect(try store.get(first, range: 4..<9) == Array("o".utf8))
    #expect(try store.get(first, range: 5..<9) == [])
    try store.put(first, [1], ifAbsent: false)
    #expect(try store.get(first, range: nil) == [1])
    try store.delete(first)
    try store.delete(first)
    #expect(store.objects.isEmpty)
  }

  @Test func listsHaveParts() throws {
    let store = MemoryStore()
    for name in ["b/1", "b/2", "a", "b/3", "c"] { try store.put(key(name), [], ifAbsent: true) }
    store.setPageCount(2)
    let first = try store.list(prefix: "b/", after: nil)
    #expect(first.entries.map(\.key.text) == ["b/1", "b/2"] && first.next == "b/2")
    let second = try store.list(prefix: "b/", after: first.next)
    #expect(second.entries.map(\.key.text) == ["b/3"] && second.next == nil)
  }

  @Test func theQuotaHolds() throws {
    let store = MemoryStore()
    store.setQuota(4)
    try store.put(first, [1, 2, 3], ifAbsent: true)
    #expect(throws: StoreError.quota) { try store.put(key("b"), [1, 2], ifAbsent: true) }
    try store.put(first, [1, 2, 3, 4], ifAbsent: false)
  }

  @Test func faultsAreTheSameWithTheSameSeed() throws {
    func outcomes(_ seed: UInt64) -> [String] {
      let store = MemoryStore(seed: seed, faults: .all(150))
      return (0..<100).map { number in
        let result = Result { () throws(StoreError) in
          try store.put(key("k\(number % 7)"), [UInt8(number)], ifAbsent: number.isMultiple(of: 2))
          return try store.get(key("k\(number % 5)"), range: nil)
        }
        return "\(result)"
      }
    }
    #expect(outcomes(1) == outcomes(1) && outcomes(1) != outcomes(2))
  }
}

/// A key that the test knows to be one.
func key(_ text: String) -> ObjectKey {
  guard let key = ObjectKey(text) else { preconditionFailure("\(text) is not a key") }
  return key
}
