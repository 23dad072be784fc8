import Glibc
import ObjectStore
import Synchronization
import TestSupport
import Testing

@testable import RemoteStore

/// Two gateways to the same buckets of a real engine.
private struct Gateways: Sendable {
  let endpoints: [String]
  let accessKey: String
  let secretKey: String

  /// The gateways that `scripts/test --engine` starts; nil without them.
  static let found: Gateways? = {
    guard let text = unsafe getenv("AGONYFS_TEST_S3").map({ unsafe String(cString: $0) }) else { return nil }
    let words = text.split(separator: ",").map { String($0) }
    precondition(words.count == 4, "AGONYFS_TEST_S3 has other than four words")
    return Gateways(endpoints: Array(words[..<2]), accessKey: words[2], secretKey: words[3])
  }()
}

/// The client with a real engine, such as the object gateways of Ceph. Each test has a prefix, because the buckets stay
/// until all tests have ended.
@Suite(.enabled(if: Gateways.found != nil, "needs scripts/test --engine ceph"))
struct EngineStoreTests {
  private let gateways: Gateways
  private let prefix = "run-\(UInt64.random(in: 0...(.max)))"

  init() throws { gateways = try #require(Gateways.found) }

  /// A store through one of the gateways.
  private func makeStore(
    gateway: Int = 0, bucket: String = "photos", accessKey: String? = nil, secretKey: String? = nil,
    patience: Duration = .seconds(60)
  ) throws -> RemoteStore {
    let address = try StoreAddress("s3://\(bucket)/\(prefix)", endpoint: gateways.endpoints[gateway])
    var settings = RemoteStore.Settings(program: builtProgram("agonyfs-store"), address: address)
    settings.patience = patience
    settings.connections = 8
    let credentials = ObjectServer.credentials(
      accessKey: accessKey ?? gateways.accessKey, secretKey: secretKey ?? gateways.secretKey)
    return RemoteStore(settings, credentials: credentials)
  }

  private func content(_ count: Int) -> [UInt8] {
    var generator = SplitMix64(seed: UInt64(count))
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  @Test func objectsAreKept() throws {
    let (store, other) = (try makeStore(), try makeStore(gateway: 1))
    let name = key("segments/a-1_b.c")
    #expect(throws: StoreError.notFound) { try store.head(name) }
    #expect(throws: StoreError.notFound) { try store.get(name, range: nil) }
    let bytes = content(5 << 20)
    try store.put(name, bytes, ifAbsent: true)
    let entry = try other.head(name)
    #expect(entry.size == bytes.count && entry.md5?.count == 16)
    #expect(try other.get(name, range: nil) == bytes)
    #expect(try other.get(name, range: 1000..<300_000) == Array(bytes[1000..<300_000]))
    let (end, beyond) = (Int64(bytes.count), Int64(bytes.count) + 10)
    #expect(try other.get(name, range: (end - 5)..<beyond) == Array(bytes.suffix(5)))
    #expect(try other.get(name, range: end..<beyond) == [])
    #expect(throws: StoreError.alreadyThere) { try other.put(name, [1], ifAbsent: true) }
    // The same bytes are there already.
    try other.put(name, bytes, ifAbsent: true)
    try other.put(name, [1], ifAbsent: false)
    #expect(try store.get(name, range: nil) == [1])
    for _ in 0..<2 { try store.delete(name) }
    #expect(throws: StoreError.notFound) { try other.head(name) }
    try other.put(name, [], ifAbsent: true)
    #expect(try store.head(name).size == 0 && store.get(name, range: nil) == [])
  }

  @Test func theLargestObjectIsKept() throws {
    let store = try makeStore()
    let bytes: [UInt8] = (0..<256).flatMap { [UInt8](repeating: UInt8($0), count: ObjectLimits.mostBytes / 256) }
    try store.put(key("large"), bytes, ifAbsent: true)
    #expect(try store.head(key("large")).size == bytes.count)
    #expect(try store.get(key("large"), range: nil) == bytes)
    let range: Range<Int64> = (33 << 20) - 7..<(33 << 20) + 7
    #expect(try store.get(key("large"), range: range) == Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
  }

  @Test func listsGoOnBeyondOnePart() throws {
    let (store, other) = (try makeStore(), try makeStore(gateway: 1))
    let count = ObjectLimits.mostEntries + 50
    let names = (0..<count).map { "segments/\(10_000 + $0)" }
    let number = Counter()
    try inThreads(8) { _ in
      while true {
        let next = number.next()
        guard next < count else { return }
        try store.put(key(names[next]), [1, 2], ifAbsent: true)
      }
    }
    try store.put(key("outside"), [1], ifAbsent: true)
    let first = try other.list(prefix: "segments/", after: nil)
    #expect(first.entries.count == ObjectLimits.mostEntries && first.next != nil)
    let second = try other.list(prefix: "segments/", after: first.next)
    #expect(second.next == nil)
    let entries = first.entries + second.entries
    #expect(entries.map(\.key.text) == names)
    #expect(entries.allSatisfy { $0.size == 2 && $0.md5 != nil })
    #expect(try store.list(prefix: "none/", after: nil) == ObjectPage(entries: [], next: nil))
  }

  @Test func ofManyWritersAtBothGatewaysOneWins() throws {
    let stores = [try makeStore(), try makeStore(gateway: 1)]
    for round in 0..<20 {
      let name = key("head\(round)")
      let winners = Mutex<[UInt8]>([])
      try inThreads(16) { writer in
        do throws(StoreError) {
          try stores[writer % 2].put(name, [UInt8(round), UInt8(writer)], ifAbsent: true)
          winners.withLock { $0.append(UInt8(writer)) }
        } catch {
          if error != .alreadyThere { throw error }
        }
      }
      let winner = try #require(winners.withLock { $0.count == 1 ? $0.first : nil })
      for store in stores { #expect(try store.get(name, range: nil) == [UInt8(round), winner]) }
    }
  }

  @Test func eachTroubleIsNamed() throws {
    func failure(_ store: RemoteStore) -> StoreError? {
      do throws(StoreError) {
        _ = try store.list(prefix: "", after: nil)
        return nil
      } catch {
        return error
      }
    }
    #expect(failure(try makeStore(patience: .zero)) == nil)
    #expect(failure(try makeStore(secretKey: "wrong", patience: .zero)) == .wrongCredentials)
    #expect(failure(try makeStore(accessKey: "AKIAOTHER", patience: .zero)) == .wrongCredentials)
    #expect(failure(try makeStore(bucket: "absent", patience: .zero)) == .noBucket)
  }

  /// The bucket `small` takes one object.
  @Test func aFullBucketIsNamed() throws {
    let store = try makeStore(bucket: "small", patience: .zero)
    var failure: StoreError?
    for number in 0..<20 where failure == nil {
      do throws(StoreError) {
        try store.put(key("\(number)"), [1], ifAbsent: true)
      } catch {
        failure = error
      }
    }
    #expect(failure == .quota)
  }
}
