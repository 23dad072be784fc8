package import SystemPackage
internal import Vault

extension FileSystem {
  /// Frees the room of deleted files on the disk when the file system is closed, including files that are kept for
  /// copies of the vault in progress.
  ///
  /// - Throws: `ENOTSUP` in a space that owns cover, whose number of files is fixed; `ESTALE` when the newest state is
  ///   not the open one, because a repair or the rest of a copy may still bring it; `EROFS`.
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

  /// Keeps deleted files, as if `giveBackAtClose` had not been called.
  package func keepAtClose() { locked { $0.life.givesBack = false } }
}

extension Cleaner {
  /// Frees the room, after the threads have ended.
  func giveBack() throws(Errno) {
    // Nothing is copied at the end. Garbage between files that stay is left to the cleaner.
    try clean()
    try fileSystem.result(of: space.deleteRetired())
  }
}
