import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import System

@Suite(.timeLimit(.minutes(5))) struct ForkingProgramTests {
  /// A killed program that the kernel does not let end keeps the copy's socket open. Here its child `sleep` does: it
  /// shares the program's socket, in which the request with the copy's socket stays unread.
  @Test func aSocketThatStaysOpenHoldsNobodyUp() throws {
    let folder = try TemporaryFolder()
    // The answer, the number of an error (EAGAIN), comes when the child has the socket.
    try folder.write("#!/bin/sh\nexec 3<&0\nsleep 600 &\nprintf '\\013\\000\\000\\000' >&3\nwait\n", to: "program")
    try systemCall { unsafe chmod(folder.path("program"), 0o755) }
    let program = try ForkingProgram(folder.path("program"))
    defer {
      withExtendedLifetime(folder) {}
      _ = kill(-program.process.identifier, SIGKILL)
      program.process.end()
    }
    #expect(throws: Errno.resourceTemporarilyUnavailable) { _ = try program.copy(within: 60_000) }
  }
}
