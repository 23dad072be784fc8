import Glibc
import Synchronization
import TestSupport
import Testing

@testable import System
@testable import WebAccess

/// Programs in the place of agonyfs that do not do what it does.
@Suite struct AgonyfsProgramTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func program(_ script: String, _ time: Duration = .seconds(100)) throws -> AgonyfsProgram {
    let path = folder.path("agonyfs")
    let file = try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o700)
    try file.writeAll(Array("#!/bin/sh\n\(script)\n".utf8))
    return try AgonyfsProgram(path: path, .init(mount: time, prove: time, unmount: time))
  }

  private static func mounted(_ program: AgonyfsProgram) -> String {
    switch program.mount("Vault", at: "place", options: [], idle: 60, password: PasswordBuffer()) {
    case .success(.here): "mounted"
    case .success(.elsewhere(let path, server: let server)): "at \(path) by \(String(decoding: server, as: UTF8.self))"
    case .wrong: "wrong"
    case .inUse: "in use"
    case .failed(let reason): reason
    }
  }

  @Test func itsStatusIsTheOutcome() throws {
    #expect(Self.mounted(try program("read line; exit 12")) == "wrong")
  }

  @Test func whatItSaysIsOneLine() throws {
    #expect(
      Self.mounted(try program("printf 'no\\033[31m vault\\nhere'; printf 'bad\\033[31m vault\\nhere' >&2; exit 1"))
        == "bad\u{FFFD}[31m vault here")
  }

  /// One start of it says all: its path may have any byte, and the last line is what serves the mount.
  @Test(arguments: [
    ("echo 1 2 3", "in use"), ("echo /mnt/other", "in use"), ("printf '/mnt/other\\n1 2 3'", "in use"), ("", "in use"),
    ("echo other; echo 1 2 3", "in use"), ("echo /mnt/other place; echo 1 2 3", "at /mnt/other place by 1 2 3"),
    ("printf '/mnt/two\\nlines\\n1 2 3\\n'", "at /mnt/two\nlines by 1 2 3"),
  ]) func aSpaceThatIsInUseIsTakenWhereItIsSaidToBe(script: String, outcome: String) throws {
    #expect(Self.mounted(try program("\(script)\nexit 15")) == outcome)
  }

  @Test func aPlaceCountsOnlyWithTheStatus() throws {
    #expect(Self.mounted(try program("echo /mnt/other; echo 1 2 3")) == "mounted")
  }

  @Test(arguments: [(0, "proven"), (12, "wrong"), (15, "in use"), (1, "failed")])
  func aMountIsProvenByTheStatus(status: Int, outcome: String) throws {
    let program = try program("exit \(status)")
    let found =
      switch program.prove("Vault", root: 0, password: PasswordBuffer()) {
      case .success: "proven"
      case .wrong: "wrong"
      case .inUse: "in use"
      case .failed: "failed"
      }
    #expect(found == outcome)
  }

  @Test func oneThatHangsIsKilledWithWhatItStarted() throws {
    let program = try program("sleep 300 & echo $! > \(folder.path("child")); wait", .seconds(5))
    #expect(Self.mounted(program).contains("took longer"))
    #expect(program.unmount("place")?.contains("took longer") == true)
    let text = String(decoding: try HostFile.read(folder.path("child")), as: UTF8.self)
    let child = try #require(CInt(text.prefix { $0 != "\n" }))
    try waitUntil("the child of the program was killed") { kill(child, 0) != 0 }
  }

  @Test func oneThatLeavesItsPipesOpenIsNotWaitedFor() throws {
    let program = try program("setsid sleep 300 & echo $! > \(folder.path("child")); exit 15", .seconds(60))
    #expect(Self.mounted(program) == "in use")
    let text = String(decoding: try HostFile.read(folder.path("child")), as: UTF8.self)
    kill(try #require(CInt(text.prefix { $0 != "\n" })), SIGKILL)
  }

  @Test func oneThatSaysMuchIsHeardToItsEnd() throws {
    let program = try program("head -c 1000000 /dev/zero | tr '\\0' x >&2; exit 1")
    #expect(Self.mounted(program) == String(repeating: "x", count: 4096))
  }

  /// Ctrl-C does not wait for a key derivation, but mounts are taken away.
  @Test func afterTheStopOnlyUnmountingGoesOn() throws {
    let program = try program("case $1 in unmount) exit 0;; esac; : > \(folder.path("begun")); sleep 300")
    let outcome = Mutex("")
    let thread = try Thread { outcome.withLock { $0 = Self.mounted(program) } }
    try waitUntil("the program runs") { unsafe access(folder.path("begun"), F_OK) == 0 }
    program.stop()
    thread.join()
    #expect(outcome.withLock { $0 }.contains("the server ends"))
    #expect(Self.mounted(program) == "The server is ending.")
    #expect(program.unmount("place") == nil)
  }
}
