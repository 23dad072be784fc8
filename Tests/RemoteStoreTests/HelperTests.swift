import Glibc
import ObjectStore
import System
import TestSupport
import Testing

@testable import RemoteStore

/// What a helper may do, and what becomes of one that does something else.
@Suite struct HelperTests {
  @Test func itIsConfined() throws {
    let server = try ObjectServer()
    let store = try server.store()
    #expect(store.confinement == "not started yet")
    try store.put(key("a"), [1], ifAbsent: true)
    #expect(store.confinement.hasPrefix("Landlock ") && store.confinement.hasSuffix(", filter of system calls"))
  }

  /// The names of what a confined process tried, and what came of it.
  @Test func nothingElseIsAllowed() throws {
    let server = try ObjectServer()
    // A pipe, as the helper has.
    let outcome = try Outcome(
      "/bin/sh", arguments: ["-c", "env -i '\(builtProgram("store-attempts"))' \(server.port) | cat"])
    let lines = outcome.output.split(separator: "\n").map { $0.split(separator: " ") }
    var outcomes = Dictionary(uniqueKeysWithValues: lines.map { (String($0[0]), String($0[1])) })
    // A test in which everything fails shows nothing.
    for name in ["connect-to-port", "map-memory"] { #expect(outcomes.removeValue(forKey: name) == "done", "\(name)") }
    // Landlock refuses it, since version 4.
    if let version = outcomes.removeValue(forKey: "landlock").flatMap({ Int($0) }), version >= 4 {
      #expect(outcomes["connect-to-other-port"] == "EACCES")
    }
    outcomes["connect-to-other-port"] = nil
    #expect(outcomes.count == 19, "\(outcome)")
    for (name, outcome) in outcomes { #expect(outcome == "EPERM", "\(name)") }
  }

  /// A program that sends these bytes and then waits.
  private func helper(_ bytes: [UInt8], in folder: TemporaryFolder, ending: String = "exec sleep 600") throws -> String
  {
    let octal = bytes.map { "\\0" + String($0, radix: 8) }.joined()
    try folder.write("#!/bin/sh\nprintf '%b' '\(octal)'\n\(ending)\n", to: "helper")
    unsafe chmod(folder.path("helper"), 0o755)
    return folder.path("helper")
  }

  private static let hello = StoreMessage.hello.header(5) + [1, 0, 0, 0, 1]
  private static func done(_ answer: StoreAnswer) -> [UInt8] {
    let body = StoreMessage.outcome(answer.encoded, date: nil)
    return StoreMessage.done.header(body.count) + body
  }
  private static func wanted(_ range: Range<Int>) -> [UInt8] {
    StoreMessage.wanted.header(8) + StoreMessage.bytes(ofWanted: range)
  }

  private func store(_ program: String) throws -> RemoteStore {
    var settings = RemoteStore.Settings(
      program: program, address: try StoreAddress("s3://photos", endpoint: "http://127.0.0.1:1"))
    settings.patience = .zero
    return RemoteStore(settings, credentials: ObjectServer.credentials())
  }

  @Test func oneThatDoesNotBeginIsUnavailable() throws {
    let folder = try TemporaryFolder()
    #expect(throws: StoreError.unavailable("it ended")) {
      try store(helper([], in: folder, ending: "exit 1")).head(key("a"))
    }
    #expect(throws: StoreError.unavailable("it broke the protocol")) {
      try store(helper([1, 2, 3, 4, 5, 6, 7, 8], in: folder)).head(key("a"))
    }
    #expect(throws: StoreError.unavailable("the kernel does not filter its system calls")) {
      try store(helper(StoreMessage.hello.header(5) + [6, 0, 0, 0, 0], in: folder)).head(key("a"))
    }
    #expect(throws: StoreError.self) { try store(folder.path("none")).head(key("a")) }
  }

  @Test func whatItSaysIsChecked() throws {
    let folder = try TemporaryFolder()
    let wrong: [[UInt8]] = [
      Self.done(.entry(ObjectEntry(key: key("b"), size: 1))), Self.done(.deleted), Self.done(.bytes([1])),
      StoreMessage.done.header(2) + [1, 2], StoreMessage.hello.header(0), [255, 255, 255, 255, 255, 255, 255, 255],
      StoreMessage.progress.header(1) + [1],
    ]
    for bytes in wrong {
      let store = try store(helper(Self.hello + bytes, in: folder))
      #expect(throws: StoreError.interrupted, "\(bytes)") { try store.head(key("a")) }
      // A request may have been sent before.
      #expect(throws: StoreError.unknownOutcome, "\(bytes)") { try store.put(key("a"), [1], ifAbsent: true) }
    }
    let right = Self.hello + StoreMessage.progress.header(0) + Self.done(.entry(ObjectEntry(key: key("a"), size: 7)))
    #expect(try store(helper(right, in: folder)).head(key("a")).size == 7)
    // More bytes than were asked for.
    #expect(throws: StoreError.interrupted) {
      try store(helper(Self.hello + Self.done(.bytes([1, 2, 3])), in: folder)).get(key("a"), range: 0..<2)
    }
  }

  /// A helper that nobody trusts gets the bytes of the object that is stored, as often as it wants, and no others.
  @Test func onlyTheObjectIsGivenAway() throws {
    let folder = try TemporaryFolder()
    let done = Self.done(.stored(hasOtherTag: false))
    let right = Self.wanted(0..<3) + Self.wanted(1..<2) + StoreMessage.progress.header(0) + Self.wanted(0..<3)
    try store(helper(Self.hello + right + done, in: folder)).put(key("a"), [1, 2, 3], ifAbsent: true)
    for wrong in [0..<4, 3..<4, 4..<5, 1..<1, 0..<Int(UInt32.max)] {
      let store = try store(helper(Self.hello + Self.wanted(0..<1) + Self.wanted(wrong) + done, in: folder))
      #expect(throws: StoreError.unknownOutcome, "\(wrong)") { try store.put(key("a"), [1, 2, 3], ifAbsent: true) }
    }
    let other = Self.hello + Self.wanted(0..<1) + Self.done(.entry(ObjectEntry(key: key("a"), size: 7)))
    #expect(throws: StoreError.interrupted) { try store(helper(other, in: folder)).head(key("a")) }
  }

  @Test func aStopEndsAllWaits() throws {
    let server = try ObjectServer()
    var settings = try server.settings(patience: .seconds(600))
    settings.connections = 1
    let store = RemoteStore(settings, credentials: ObjectServer.credentials())
    try store.put(key("a"), [UInt8](repeating: 1, count: 1000), ifAbsent: true)
    try server.tell("fault stall 1")
    try server.tell("fault busy 1000")
    // One waits for its next attempt and the others for a helper, or during a request.
    let threads = try (0..<3).map { _ in
      try TestThread { #expect(throws: StoreError.self) { try store.get(key("a"), range: nil) } }
    }
    try waitUntil("requests came") { try server.count("GET") > 0 }
    store.stop()
    for thread in threads { try thread.join(within: .seconds(20)) }
    #expect(throws: StoreError.unavailable("stopped")) { try store.head(key("a")) }
  }
}
