internal import Glibc
internal import System
package import SystemPackage

/// The file in a vault's directory with the tokens of `agonyfs sync`. No other command needs it.
extension DirectoryStorage {
  private static let lockAttempts = 1000

  /// Reads the file, at most `limit` bytes; nil if there is none.
  package func readSynced(limit: Int) throws(Errno) -> [UInt8]? {
    DiskAccess.assertAllowed()
    return try ifThere { () throws(Errno) in
      let file = try VaultFile.open(StorageNames.synced, in: directory, O_RDONLY)
      guard try owner.mayUse(file.status()) else { throw .notPermitted }
      return try file.readToEnd(limit: limit)
    }
  }

  /// Replaces the file by what `change` makes of it, one process at a time. A crash leaves the old one or the new one.
  /// Durable on return.
  ///
  /// - Parameters:
  ///   - limit: most bytes that are read.
  ///   - change: gets the content, or nil if there is no file. If it returns nil, the file stays as it is.
  package func changeSynced(limit: Int, _ change: ([UInt8]?) -> [UInt8]?) throws(Errno) {
    let opened = try VaultFile.openDirectory(".", in: directory)
    defer { withExtendedLifetime(opened) {} }
    // Others hold it until the disk has flushed their file, which may take seconds. Where the host has no such lock,
    // two runs at once may lose a token, and the next run is refused.
    for _ in 0..<Self.lockAttempts {
      guard flock(opened.number, LOCK_EX | LOCK_NB) != 0, Errno.current == .wouldBlock else { break }
      usleep(10_000)
    }
    guard let content = try change(readSynced(limit: limit)) else { return }
    try WholeFile.replace(StorageNames.synced, in: opened, with: content, dated: Self.completeTime) { owner.give($0) }
  }
}
