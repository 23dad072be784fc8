internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// Copies one file so that the copy shares only its bytes with the old one; owner and mode are the vault's. Uses
/// neither reflinks nor copy_file_range(2): with shared or copied extents the new file would show how the old one was
/// written.
@safe struct FileCopy: ~Copyable {
  /// Bytes of a complete file of segments. Other files keep their times.
  let completeSize: Int
  private let owner: VaultOwner
  private let buffer: UnsafeMutableRawBufferPointer

  init(completeSize: Int, owner: VaultOwner) {
    self.owner = owner
    self.completeSize = completeSize
    unsafe buffer = .allocate(byteCount: 1 << 20, alignment: 4096)
  }

  deinit { unsafe buffer.deallocate() }

  /// Copies a file in a folder to a new one in another folder. Durable on return, except the name.
  ///
  /// - Returns: the inode of the old file.
  /// - Throws: `.changedByOthers` when the file changes during the copy; `.notPermitted`, as root, when the file does
  ///   not belong to the vault's owner; `.moreReadable`.
  func copy(
    _ name: String, in folder: Descriptor, to newName: String, in newFolder: Descriptor, isDated: Bool = false
  ) throws(Errno) -> ino_t {
    // The old file is closed before the flush: where FUSE still has a file open that is replaced, the name is missing
    // for a moment.
    let (new, status) = try copyBytes(name, in: folder, to: newName, in: newFolder)
    if isDated || Int(status.st_size) == completeSize {
      try VaultFile.setTimes(of: new)
    } else {
      // The age of a short file shows whether another program may still be writing it.
      try systemCall { unsafe futimens(new.number, [status.st_atim, status.st_mtim]) }
    }
    try systemCall { fsync(new.number) }
    // It is not read again soon.
    posix_fadvise(new.number, 0, 0, POSIX_FADV_DONTNEED)
    return status.st_ino
  }

  /// Makes a file with the bytes of another one.
  ///
  /// - Returns: the new file, and the status of the old one.
  private func copyBytes(
    _ name: String, in folder: Descriptor, to newName: String, in newFolder: Descriptor
  ) throws(Errno) -> (new: Descriptor, status: stat) {
    let old = try VaultFile.open(name, in: folder, O_RDONLY)
    let status = try old.status()
    // The owner can read the new file at once.
    try owner.checkCopy(of: status)
    let new = try owner.create(newName, in: newFolder)
    // The directory may hand an access list down to it.
    unsafe fremovexattr(new.number, "system.posix_acl_access")
    let (source, target) = (SegmentFile(old), SegmentFile(new))
    var offset = 0
    while true {
      let count = try unsafe source.read(at: offset, into: buffer)
      if count == 0 { break }
      try unsafe target.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
      offset += count
    }
    let after = try old.status()
    guard offset == Int(status.st_size), after.st_size == status.st_size,
      after.st_mtim.tv_sec == status.st_mtim.tv_sec, after.st_mtim.tv_nsec == status.st_mtim.tv_nsec
    else { throw .changedByOthers }
    // It is not read again soon.
    posix_fadvise(old.number, 0, 0, POSIX_FADV_DONTNEED)
    return (new, status)
  }
}
