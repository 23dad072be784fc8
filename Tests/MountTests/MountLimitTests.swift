import FaultyStorage
import Glibc
import Synchronization
import SystemPackage
import TestSupport
import Testing

extension LiveMountTests {
  /// A mount that hangs does not hold the tests for ever.
  @Suite struct MountLimitTests {
    @Test func whoWaitsTooLongGetsAnError() throws {
      let live = try LiveMount()
      try System.write([1], to: live.path("file"))
      let file = try FileDescriptor.open(FilePath(live.path("file")), .readWrite)
      let said = Mutex("")
      live.storage.holdFlushes(true)
      let limit = try #require(
        try MountLimit(live.root, for: .seconds(3)) { text in said.withLock { $0 = text } })
      try file.writeAll([2])
      #expect(throws: Errno.connectionAbort) { try System.check(fsync(file.rawValue)) }
      live.storage.holdFlushes(false)
      #expect(throws: Errno.socketNotConnected) { try file.writeAll([1]) }
      try file.close()
      _ = try live.waitForEnd()
      #expect(said.withLock { $0 } == "the mount of whoWaitsTooLongGetsAnError() was cut off after 3.0 seconds")
      withExtendedLifetime(limit) {}
    }

    @Test func whatEndsInTimeIsNotCutOff() throws {
      let live = try LiveMount()
      let said = Mutex(0)
      do { _ = try #require(try MountLimit(live.root, for: .seconds(100)) { _ in said.withLock { $0 += 1 } }) }
      try System.write([1], to: live.path("file"))
      #expect(said.withLock { $0 } == 0)
    }
  }
}
