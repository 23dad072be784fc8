package import SystemPackage
internal import Vault

extension FileSystem {
  /// When the file system is closed, the disk gets back what holds only what was deleted, also what is kept for copies of the
  /// vault that are being made.
  ///
  /// - Throws: `ENOTSUP` in a space with a number of files of its own; `ESTALE` when the newest state is not the one that was
  ///   opened, which a repair or the rest of a copy may still bring; `EROFS`.
  package func giveBackAtClose() throws(Errno) {
    let origin = space.origin
    guard origin.warning == nil, !origin.isUnfinishedCopy, !origin.isMissedBySearch else {
      throw .staleNFSFileHandle
    }
    guard space.capacity().ownBytes == nil else { throw .notSupported }
    try locked { files throws(Errno) in
      if let refusal = files.refusal { throw refusal }
      files.life.givesBack = true
    }
  }

  /// Keeps what is deleted, as if `giveBackAtClose` had not been called.
  package func keepAtClose() { locked { $0.life.givesBack = false } }
}

extension Cleaner {
  /// Gives back what was asked for, when the threads have ended.
  func giveBack() throws(Errno) {
    // Nothing is copied at the end: what lies between files that stay is left to the cleaner.
    try clean()
    try fileSystem.result(of: space.deleteRetired())
  }
}
