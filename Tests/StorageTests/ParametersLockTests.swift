import FaultyStorage
import Glibc
import Storage
import System
import SystemPackage
import TestSupport
import Testing

/// What leases are in a directory: locks on bytes of the parameters.
@Suite struct ParametersLockTests {
  private let folder: TemporaryFolder
  private let storage: DirectoryStorage
  private var parameters: String { folder.path("agonyfs.json") }

  init() throws {
    folder = try TemporaryFolder()
    storage = try DirectoryStorage.make(at: folder.path)
    try storage.replaceParameters(with: [1])
  }

  /// The locks on the parameters in /proc/locks: kind, how, and the first and last byte.
  private func locks() throws -> Set<String> {
    let inode = HostFile.status(parameters).st_ino
    let lines = String(decoding: try HostFile.read("/proc/locks"), as: UTF8.self).split(separator: "\n")
    return Set(
      lines.map { $0.split(separator: " ") }.filter { $0[5].hasSuffix(":\(inode)") }
        .map { "\($0[1]) \($0[3]) \($0[6]) \($0[7])" })
  }

  @Test func everyLeaseIsOneByteFarBeyondTheContent() throws {
    let vault = try storage.lease(.vault, exclusive: false)
    let first = try storage.lease(.space(0), exclusive: true)
    let last = try storage.lease(.space(.max), exclusive: false)
    #expect(
      try locks() == [
        "OFDLCK READ 1099511627776 1099511627776", "OFDLCK WRITE 2199023255552 2199023255552",
        "OFDLCK READ 2207613190142 2207613190142",
      ])
    first.announceEnd()
    #expect(try locks().contains("OFDLCK READ 2199023255553 2199023255553"))
    #expect(HostFile.status(parameters).st_size == 1)
    withExtendedLifetime((vault, first, last)) {}
  }

  @Test func thereIsNoLeaseWithoutParameters() throws {
    try systemCall { unsafe unlink(parameters) }
    #expect(throws: Errno.noSuchFileOrDirectory) { try storage.lease(.vault, exclusive: false) }
    #expect(throws: Errno.noSuchFileOrDirectory) { try storage.lease(.space(1), exclusive: true) }
    #expect(!storage.leaseEndIsAnnounced(.vault))
  }

  /// A lock on a file that was replaced keeps nobody out, so it is none.
  @Test func theLeaseIsOnTheFileThatHasTheName() throws {
    let old = try storage.lease(.vault, exclusive: true)
    try storage.replaceParameters(with: [2])
    let new = try storage.lease(.vault, exclusive: false)
    #expect(try locks() == ["OFDLCK READ 1099511627776 1099511627776"])
    try old.change(exclusive: false)
    #expect(throws: Errno.wouldBlock) { try old.change(exclusive: true) }
    withExtendedLifetime((old, new)) {}
  }

  /// The parameters are replaced between the look for the file and its lock, as often as can be.
  @Test func aLeaseThatIsTakenWhileTheParametersAreReplacedIsOnTheNewOnes() throws {
    let storage = storage
    try inThreads(2) { thread in
      for round in 0..<300 {
        if thread == 0 {
          try storage.replaceParameters(with: [UInt8(truncatingIfNeeded: round)])
        } else {
          let lease = try storage.lease(.space(UInt32(round)), exclusive: true)
          withExtendedLifetime(lease) {}
        }
      }
    }
    let lease = try storage.lease(.space(7), exclusive: true)
    #expect(try locks().count == 1)
    withExtendedLifetime(lease) {}
  }

  /// Locks of fcntl(2) that belong to a process would end with any close of the file in it.
  @Test func readingTheParametersEndsNoLease() throws {
    let lease = try storage.lease(.space(3), exclusive: true)
    #expect(try storage.readParameters(limit: 10) == [1])
    _ = storage.leaseEndIsAnnounced(.space(3))
    #expect(throws: Errno.wouldBlock) { try storage.lease(.space(3), exclusive: false) }
    withExtendedLifetime(lease) {}
  }
}
