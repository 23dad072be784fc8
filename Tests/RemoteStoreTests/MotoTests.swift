import Glibc
import ObjectStore
import TestSupport
import Testing

@testable import RemoteStore

/// The Python of `scripts/web-tools`, which has Moto.
private let python =
  #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/.build/venv/bin/python"

/// The client with the store of Moto, which others wrote.
@Suite(.enabled(if: unsafe access(python, X_OK) == 0, "needs the Python of scripts/web-tools"))
struct MotoTests {
  @Test func objectsAreKept() throws {
    let server = try ObjectServer(script: "moto_server.py", python: python)
    let store = try server.store(patience: .seconds(10))
    try store.put(key("segments/a"), [1, 2, 3], ifAbsent: true)
    try store.put(key("segments/a"), [1, 2, 3], ifAbsent: true)
    #expect(throws: StoreError.alreadyThere) { try store.put(key("segments/a"), [4], ifAbsent: true) }
    try store.put(key("segments/b"), [], ifAbsent: false)
    #expect(try store.get(key("segments/a"), range: 1..<9) == [2, 3])
    #expect(try store.get(key("segments/a"), range: 3..<9) == [])
    #expect(try store.head(key("segments/a")).size == 3)
    #expect(throws: StoreError.notFound) { try store.head(key("c")) }
    #expect(throws: StoreError.notFound) { try store.get(key("c"), range: nil) }
    #expect(try store.list(prefix: "segments/", after: nil).entries.map(\.key.text) == ["segments/a", "segments/b"])
    #expect(try store.list(prefix: "", after: "segments/a").entries.map(\.key.text) == ["segments/b"])
    for _ in 0..<2 { try store.delete(key("segments/a")) }
    #expect(try store.list(prefix: "", after: nil).entries.map(\.key.text) == ["segments/b"])
    let other = RemoteStore(
      try server.settings(bucket: "others", patience: .zero), credentials: ObjectServer.credentials())
    #expect(throws: StoreError.noBucket) { try other.list(prefix: "", after: nil) }
  }

  /// Moto checks no hashes. It keeps no versions unless it is told to.
  @Test func aProbeFindsWhatMotoDoes() throws {
    let server = try ObjectServer(script: "moto_server.py", python: python)
    let store = try server.store(patience: .seconds(10))
    var expected = StoreFindings()
    expected.checksContent = false
    #expect(try StoreProbe(store).run() == expected)
    #expect(try store.list(prefix: "", after: nil).entries.isEmpty)
  }
}

/// A server that cannot start, as where the Python lacks Moto.
@Suite struct ObjectServerTests {
  @Test func oneThatEndsIsNotWaitedFor() throws {
    let failure = #expect(throws: StoreError.self) { try ObjectServer(script: "no_server.py") }
    let words = String(describing: failure)
    // What Python says, and what helps.
    #expect(words.contains("No such file or directory") && words.contains("scripts/web-tools"))
  }
}
