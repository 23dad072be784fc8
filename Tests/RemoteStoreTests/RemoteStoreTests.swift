import ObjectStore
import Synchronization
import System
import TestSupport
import Testing

@testable import RemoteStore

/// The client and its helper with a server that checks signatures by itself.
@Suite struct RemoteStoreTests {
  private let server: ObjectServer

  init() throws { server = try ObjectServer() }

  private func content(_ count: Int) -> [UInt8] {
    var generator = SplitMix64(seed: UInt64(count))
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  @Test func objectsAreKept() throws {
    let store = try server.store()
    #expect(throws: StoreError.notFound) { try store.head(key("a")) }
    #expect(throws: StoreError.notFound) { try store.get(key("a"), range: nil) }
    let large = content(5 << 20)
    try store.put(key("segments/a-1_b.c"), large, ifAbsent: true)
    try store.put(key("empty"), [], ifAbsent: true)
    #expect(try server.object("segments/a-1_b.c") == large)
    let entry = try store.head(key("segments/a-1_b.c"))
    #expect(entry.size == large.count && entry.md5?.count == 16)
    #expect(try store.get(key("segments/a-1_b.c"), range: nil) == large)
    #expect(try store.get(key("segments/a-1_b.c"), range: 1000..<300_000) == Array(large[1000..<300_000]))
    let (end, beyond) = (Int64(large.count), Int64(large.count) + 10)
    #expect(try store.get(key("segments/a-1_b.c"), range: (end - 5)..<beyond) == Array(large.suffix(5)))
    #expect(try store.get(key("segments/a-1_b.c"), range: end..<beyond) == [])
    #expect(try store.get(key("empty"), range: nil) == [])
    #expect(throws: StoreError.alreadyThere) { try store.put(key("empty"), [1], ifAbsent: true) }
    // The same bytes are there already.
    try store.put(key("empty"), [], ifAbsent: true)
    try store.put(key("empty"), [1], ifAbsent: false)
    #expect(try server.object("empty") == [1])
    for _ in 0..<2 { try store.delete(key("empty")) }
    #expect(try server.object("empty") == nil)
  }

  @Test func listsHaveParts() throws {
    let store = try server.store()
    for number in 10..<25 { try store.put(key("segments/\(number)"), [1, 2], ifAbsent: true) }
    try store.put(key("outside"), [1], ifAbsent: true)
    try server.tell("set page 4")
    var (names, next, parts) = ([String](), String?.none, 0)
    repeat {
      let page = try store.list(prefix: "segments/", after: next)
      names += page.entries.map(\.key.text)
      #expect(page.entries.allSatisfy { $0.size == 2 && $0.md5 != nil })
      next = page.next
      parts += 1
    } while next != nil && parts < 10
    #expect(names == (10..<25).map { "segments/\($0)" } && parts == 4)
    #expect(try store.list(prefix: "none/", after: nil) == ObjectPage(entries: [], next: nil))
  }

  @Test(arguments: [
    "busy", "error500", "conflict", "drop", "lose", "double", "garbage", "html", "error200", "proxy404",
    "no-identifier",
  ])
  func aPutOutlastsFaults(fault: String) throws {
    let store = try server.store()
    try store.put(key("before"), [0], ifAbsent: true)
    try server.tell("fault \(fault) 2")
    try store.put(key("a"), [1, 2, 3], ifAbsent: true)
    #expect(try server.object("a") == [1, 2, 3])
    try store.put(key("a"), [4, 5, 6], ifAbsent: false)
    #expect(try server.object("a") == [4, 5, 6])
    try server.tell("fault \(fault) 1")
    #expect(throws: StoreError.alreadyThere) { try store.put(key("a"), [7], ifAbsent: true) }
    #expect(try server.object("a") == [4, 5, 6])
  }

  @Test(arguments: [
    "busy", "error500", "drop", "lose", "double", "cut", "short-range", "stall", "garbage", "html", "proxy404",
    "no-identifier", "bad-list", "entities",
  ])
  func readingOutlastsFaults(fault: String) throws {
    let store = try server.store()
    let bytes = content(10_000)
    try store.put(key("a"), bytes, ifAbsent: true)
    try store.put(key("b"), [9], ifAbsent: true)
    try server.tell("fault \(fault) 2")
    for _ in 0..<2 {
      #expect(try store.get(key("a"), range: 100..<9000) == Array(bytes[100..<9000]))
      #expect(try store.list(prefix: "", after: nil).entries.map(\.key.text) == ["a", "b"])
      #expect(try store.get(key("b"), range: nil) == [9])
      #expect(try store.head(key("a")).size == 10_000)
    }
    try store.delete(key("b"))
    #expect(try server.object("b") == nil)
  }

  @Test func aLostReplyIsLookedUp() throws {
    let store = try server.store()
    try server.tell("fault lose 1")
    try store.put(key("a"), [1, 2, 3], ifAbsent: true)
    #expect(try server.count("PUT") == 1 && server.count("HEAD") == 1)
    try server.tell("fault lose 1")
    try store.delete(key("a"))
    #expect(try server.object("a") == nil)
  }

  @Test func aReplyThatCameTwiceIsNotTheNextOne() throws {
    let store = try server.store()
    for name in 0..<10 { try store.put(key("k\(name)"), [UInt8(name)], ifAbsent: true) }
    try server.tell("fault double 20")
    for name in 0..<10 { #expect(try store.get(key("k\(name)"), range: nil) == [UInt8(name)]) }
  }

  @Test func aSlowReplyIsNoFailure() throws {
    let store = try server.store(patience: .zero)
    let bytes = content(200_000)
    try store.put(key("a"), bytes, ifAbsent: true)
    try server.tell("fault slow 1")
    #expect(try store.get(key("a"), range: nil) == bytes)
  }

  /// The connection never stands still, so only a rate ends the attempt.
  @Test func aReplyOfSingleBytesIsAskedForAgain() throws {
    var settings = try server.settings()
    settings.rateSeconds = 2
    let store = RemoteStore(settings, credentials: ObjectServer.credentials())
    let bytes = content(300)
    try store.put(key("a"), bytes, ifAbsent: true)
    try server.tell("fault drip 1")
    #expect(try store.get(key("a"), range: nil) == bytes)
    #expect(try server.count("GET") == 2)
  }

  @Test func theClockOfTheStoreCounts() throws {
    for difference in [86_400, -86_400, 0] {
      try server.tell("set clock \(difference)")
      let store = try server.store(patience: .zero)
      try store.put(key("k"), [1], ifAbsent: false)
      #expect(try store.head(key("k")).size == 1)
      #expect(abs((store.clockDifference ?? .max) - Int64(difference)) < 60)
      // The clock of the store is set while it is used.
      try server.tell("set clock \(difference + 7200)")
      #expect(try store.head(key("k")).size == 1)
    }
  }

  /// The helper asks for a content of several pieces again.
  @Test func aSecondRequestHasTheWholeContent() throws {
    let bytes = content(3 << 20)
    try server.tell("set clock 86400")
    let store = try server.store(patience: .zero)
    try store.put(key("a"), bytes, ifAbsent: false)
    #expect(try server.object("a") == bytes)
    #expect(try server.count("PUT") == 2)
    // The connection that was kept is closed after the request; libcurl sends it again on another one.
    try server.tell("fault drop 1")
    try store.put(key("b"), bytes, ifAbsent: false)
    #expect(try server.object("b") == bytes)
    #expect(try server.count("PUT") == 4)
  }

  /// A reply that comes while the content is sent ends the request, and not the helper.
  @Test func aReplyBeforeTheContentCounts() throws {
    let store = try server.store(patience: .zero)
    try store.put(key("a"), [1], ifAbsent: false)
    try server.tell("fault early 1")
    // More than sockets take.
    let large = [UInt8](repeating: 1, count: 24 << 20)
    #expect(throws: StoreError.slowDown) { try store.put(key("a"), large, ifAbsent: false) }
    #expect(try server.object("a") == [1])
    let bytes = content(1 << 20)
    try store.put(key("a"), bytes, ifAbsent: false)
    #expect(try server.object("a") == bytes)
    #expect(try server.count("PUT") == 3)
  }

  @Test func otherBytesInTheStoreAreNoticed() throws {
    let store = try server.store(patience: .zero)
    try server.tell("fault keep-other 1")
    #expect(throws: StoreError.keptOtherBytes) { try store.put(key("a"), [1, 2, 3], ifAbsent: true) }
  }

  @Test func otherTagsAreComparedOnce() throws {
    let store = try server.store(patience: .zero)
    try server.tell("fault other-tag 100")
    try store.put(key("a"), [1, 2, 3], ifAbsent: true)
    #expect(try server.count("GET") == 1)
    for name in ["b", "c"] { try store.put(key(name), [1], ifAbsent: true) }
    #expect(try server.count("GET") == 1 && server.count("HEAD") == 1)
  }

  @Test func ofManyWritersOneWins() throws {
    let store = try server.store()
    try server.tell("fault lose 6")
    let winners = Mutex<[Int]>([])
    try inThreads(12) { writer in
      do throws(StoreError) {
        try store.put(key("head"), [UInt8(writer)], ifAbsent: true)
        winners.withLock { $0.append(writer) }
      } catch {
        if error != .alreadyThere { throw error }
      }
    }
    let winner = try #require(winners.withLock { $0.count == 1 ? $0.first : nil })
    #expect(try server.object("head") == [UInt8(winner)])
  }
}
