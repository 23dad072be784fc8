// The system calls on files of the host and of a mounted space. Tests let each of them fail, or end the program before
// it.
//
// Invariants
// 1. Every change that an import, an export or an upload makes on the host or in the space goes through here, by a name
//    in an open directory.
// 2. No existing name is replaced, and no symbolic link is followed.

internal import CPlatform
internal import Crypto
internal import Glibc
package import System
package import SystemPackage

/// A kind of system call.
package enum FileCall: String, CaseIterable, Sendable {
  case open, create, list, status, read, write, truncate, times, attributes
  case digest, rename, link, unlink, makeDirectory, flush, lease, lock
}

/// The system calls on files of the host and of a mounted space.
package final class FileCalls: Sendable {
  /// Runs before each call, and may throw instead of it.
  package typealias Hook = @Sendable (FileCall) throws(Errno) -> Void
  /// Returns the hash of the stored content of a file.
  package typealias Digester = @Sendable (Descriptor) throws(Errno) -> FileDigest

  /// Changes bytes after they were read, like a faulty medium; for tests.
  package typealias Alteration = @Sendable (inout [UInt8]) -> Void

  private let before: Hook?
  private let alteration: Alteration?
  private let digester: Digester
  /// Bytes to read or write at once: a multiple of `alignment`.
  package let step: Int
  /// Direct I/O needs addresses, offsets and counts that are multiples of this, in bytes.
  package static let alignment = 4096

  /// The calls of this machine. `digester` asks the mount, unless a test replaces it.
  package init(
    before: Hook? = nil, altering alteration: Alteration? = nil, step: Int = 1 << 20,
    digester: @escaping Digester = FileCalls.storedDigest
  ) {
    self.before = before
    self.alteration = alteration
    self.digester = digester
    self.step = step
  }

  func call<Result: FixedWidthInteger & SignedInteger>(_ kind: FileCall, _ body: () -> Result) throws(Errno) -> Result {
    try before?(kind)
    return try systemCall(body)
  }

  func text(_ bytes: [UInt8]) -> [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }

  private func number(_ directory: Descriptor?) -> CInt { directory?.number ?? AT_FDCWD }
}

extension FileCalls {
  /// Opens a directory; the last component of the path must not be a symbolic link.
  package func openDirectory(_ path: [UInt8], in directory: Descriptor? = nil) throws(Errno) -> Descriptor {
    let name = text(path)
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    return Descriptor(try call(.open) { unsafe openat(number(directory), name, flags) })
  }

  /// Opens a file for reading, without waiting for the other end of a FIFO. `pastMemory` asks for direct I/O.
  ///
  /// - Throws: `ELOOP` for a symbolic link; `EINVAL` if the file system lacks direct I/O.
  package func openFile(
    _ name: [UInt8], in directory: Descriptor?, pastMemory: Bool = false
  ) throws(Errno) -> Descriptor {
    let text = text(name)
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    let direct = pastMemory ? agonyfs_direct_flag() : 0
    let file = Descriptor(try call(.open) { unsafe openat(number(directory), text, flags | direct) })
    file.readQuietly()
    return file
  }

  /// Creates a file for reading and writing. Throws `EEXIST` if the name is taken.
  package func create(
    _ name: [UInt8], in directory: Descriptor, permissions: UInt32 = 0o600
  ) throws(Errno) -> Descriptor {
    let name = text(name)
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    return Descriptor(try call(.create) { unsafe openat(directory.number, name, flags, permissions) })
  }

  /// Opens an existing file for reading and writing.
  ///
  /// - Throws: `ELOOP` for a symbolic link.
  package func openToWrite(_ name: [UInt8], in directory: Descriptor) throws(Errno) -> Descriptor {
    let name = text(name)
    let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    return Descriptor(try call(.open) { unsafe openat(directory.number, name, flags) })
  }

  /// The names in a directory, without "." and "..".
  package func names(in directory: Descriptor) throws(Errno) -> [[UInt8]] {
    try before?(.list)
    return try Directory.names(in: ".", of: directory)
  }

  /// The status of an open file.
  package func status(of file: Descriptor) throws(Errno) -> FileStatus {
    var information = stat()
    _ = try call(.status) { unsafe fstat(file.number, &information) }
    return FileStatus(information)
  }

  /// The status of the file with a name; symbolic links are not followed.
  package func status(of name: [UInt8], in directory: Descriptor?) throws(Errno) -> FileStatus {
    let name = text(name)
    var information = stat()
    _ = try call(.status) { unsafe fstatat(number(directory), name, &information, AT_SYMLINK_NOFOLLOW) }
    return FileStatus(information)
  }

  /// As `status(of:in:)`; nil if the name is free.
  package func statusIfTaken(_ name: [UInt8], in directory: Descriptor) throws(Errno) -> FileStatus? {
    do throws(Errno) {
      return try status(of: name, in: directory)
    } catch .noSuchFileOrDirectory {
      return nil
    }
  }

  /// Makes a directory, unless the name exists.
  package func makeDirectory(_ name: [UInt8], in directory: Descriptor) throws(Errno) {
    let name = text(name)
    do throws(Errno) {
      _ = try call(.makeDirectory) { unsafe mkdirat(directory.number, name, 0o777) }
    } catch .fileExists {}
  }

  /// Moves a file to a free name. Throws `EEXIST` if that is taken.
  package func rename(
    _ name: [UInt8], in directory: Descriptor, to newName: [UInt8], in newDirectory: Descriptor
  ) throws(Errno) {
    let (name, newName) = (text(name), text(newName))
    _ = try call(.rename) {
      unsafe agonyfs_move_if_absent(directory.number, name, newDirectory.number, newName)
    }
  }

  /// Renames a file in its directory; the new name must be free. If the file system cannot guarantee that (FAT and some
  /// FUSE file systems), the name is checked right before. Throws `EEXIST`.
  package func moveIfAbsent(_ name: [UInt8], to newName: [UInt8], in directory: Descriptor) throws(Errno) {
    do throws(Errno) {
      try rename(name, in: directory, to: newName, in: directory)
    } catch .invalidArgument {
      do throws(Errno) {
        try link(name, in: directory, to: newName, in: directory)
        return try unlink(name, in: directory)
      } catch .fileExists {
        throw .fileExists
      } catch {}
      guard try statusIfTaken(newName, in: directory) == nil else { throw .fileExists }
      let (old, new) = (text(name), text(newName))
      _ = try call(.rename) { unsafe renameat(directory.number, old, directory.number, new) }
    }
  }

  /// Links a file under another name. Throws `EEXIST` if that is taken.
  package func link(
    _ name: [UInt8], in directory: Descriptor, to newName: [UInt8], in newDirectory: Descriptor
  ) throws(Errno) {
    let (name, newName) = (text(name), text(newName))
    _ = try call(.link) { unsafe linkat(directory.number, name, newDirectory.number, newName, 0) }
  }

  /// Removes a name of a file.
  package func unlink(_ name: [UInt8], in directory: Descriptor) throws(Errno) {
    let name = text(name)
    _ = try call(.unlink) { unsafe unlinkat(directory.number, name, 0) }
  }

  /// Whether the file system of an open directory is read-only.
  package func isReadOnly(_ directory: Descriptor) throws(Errno) -> Bool {
    var information = statvfs()
    _ = try call(.status) { unsafe fstatvfs(directory.number, &information) }
    return information.f_flag & UInt(ST_RDONLY) != 0
  }
}

extension FileCalls {
  /// Reads at an offset until the buffer is full or the file ends; returns the number of bytes.
  package func read(
    _ file: Descriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    var done = 0
    while done < buffer.count {
      let count = try call(.read) {
        unsafe pread(
          file.number, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done, off_t(offset) + off_t(done))
      }
      if count == 0 { break }
      done += count
    }
    unsafe alter(buffer, done)
    return done
  }

  private func alter(_ buffer: UnsafeMutableRawBufferPointer, _ count: Int) {
    guard let alteration else { return }
    var bytes = unsafe Array(buffer[..<count])
    alteration(&bytes)
    unsafe buffer.copyBytes(from: bytes)
  }

  /// Up to `count` bytes at an offset, fewer at the end of the file.
  package func bytes(of file: Descriptor, at offset: Int64, count: Int) throws(Errno) -> [UInt8] {
    try unsafe Array(unsafeUninitializedCapacity: count) { (buffer, found) throws(Errno) in
      found = try unsafe read(file, at: offset, into: UnsafeMutableRawBufferPointer(buffer))
    }
  }

  /// Reads once at an offset; returns the number of bytes, 0 at the end. With direct I/O the buffer must be whole
  /// blocks.
  package func readOnce(
    _ file: Descriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    let count = try call(.read) { unsafe pread(file.number, buffer.baseAddress, buffer.count, off_t(offset)) }
    unsafe alter(buffer, count)
    return count
  }

  /// Writes all bytes at an offset.
  package func write(_ bytes: UnsafeRawBufferPointer, to file: Descriptor, at offset: Int64) throws(Errno) {
    var done = 0
    while done < bytes.count {
      let count = try call(.write) {
        unsafe pwrite(
          file.number, bytes.baseAddress.map { unsafe $0 + done }, bytes.count - done, off_t(offset) + off_t(done))
      }
      if count == 0 { throw .ioError }
      done += count
    }
  }

  /// Writes all bytes at the end of a file.
  package func append(_ bytes: [UInt8], to file: Descriptor) throws(Errno) {
    try before?(.write)
    try file.writeAll(bytes)
  }

  /// The offset of the next data at or after an offset; nil if only a hole follows. If the file system cannot find
  /// holes, everything counts as data.
  package func nextData(of file: Descriptor, from offset: Int64) throws(Errno) -> Int64? {
    do throws(Errno) {
      return Int64(try call(.read) { lseek(file.number, off_t(offset), agonyfs_seek_data()) })
    } catch .noSuchAddressOrDevice {
      return nil
    } catch .invalidArgument {
      return offset
    }
  }

  /// Sets the length of a file, in bytes.
  package func truncate(_ file: Descriptor, to size: Int64) throws(Errno) {
    _ = try call(.truncate) { ftruncate(file.number, off_t(size)) }
  }

  /// Sets the permissions of a file.
  package func set(permissions: UInt32, of file: Descriptor) throws(Errno) {
    _ = try call(.times) { fchmod(file.number, permissions) }
  }

  /// Sets the times of a file, and the permissions of an imported one: no execution, and its owner may always read and
  /// write.
  package func set(_ status: FileStatus, of file: Descriptor) throws(Errno) {
    try set(permissions: status.permissions & 0o666 | 0o600, of: file)
    try setTimes(of: status, file)
  }

  /// Sets permissions and times; a time that is nil stays. Returns whether the times were set: not all file systems
  /// have them. File systems without owners, such as FAT, may refuse permissions; this is no error.
  package func set(
    permissions: UInt32, accessed: FileTime?, modified: FileTime?, of file: Descriptor
  ) throws(Errno) -> Bool {
    let refusals: [Errno] = [.notPermitted, .notSupported, Errno(rawValue: ENOSYS)]
    do throws(Errno) {
      _ = try call(.times) { fchmod(file.number, permissions) }
    } catch {
      guard refusals.contains(error) else { throw error }
    }
    // UTIME_OMIT.
    let omitted = timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)
    let times = [accessed?.timespec ?? omitted, modified?.timespec ?? omitted]
    do throws(Errno) {
      _ = try call(.times) { unsafe futimens(file.number, times) }
      return true
    } catch {
      guard refusals.contains(error) else { throw error }
      return false
    }
  }

  /// Copies the access and modification times of a status to a file.
  package func setTimes(of status: FileStatus, _ file: Descriptor) throws(Errno) {
    let times = [status.accessed.timespec, status.modified.timespec]
    _ = try call(.times) { unsafe futimens(file.number, times) }
  }

  /// Sets the times of a file to now.
  package func touch(_ file: Descriptor) throws(Errno) { _ = try call(.times) { futimens(file.number, nil) } }

  /// Takes a lease, so that other programs cannot open the file for writing while it is open here; false if a program
  /// has it open for writing. If the file system has no leases, or the file belongs to another user, returns true
  /// without protection.
  package func holdAgainstWriters(_ file: Descriptor) throws(Errno) -> Bool {
    try before?(.lease)
    return agonyfs_hold_against_writers(file.number) == 0 || errno != EAGAIN
  }

  /// Locks a file against other imports while it is open here; false if another import has locked it.
  package func holdAgainstImports(_ file: Descriptor) throws(Errno) -> Bool {
    try before?(.lock)
    return flock(file.number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
  }

  /// Evicts a file, or a part of it, from the kernel's cache, as far as the kernel allows.
  package func forgetCache(of file: Descriptor, from offset: Int64 = 0, count: Int = 0) {
    posix_fadvise(file.number, off_t(offset), off_t(count), POSIX_FADV_DONTNEED)
  }

  /// Turns direct I/O off; some file systems allow it only for opening.
  package func stopDirectReading(_ file: Descriptor) {
    let flags = fcntl(file.number, F_GETFL)
    if flags != -1 { _ = fcntl(file.number, F_SETFL, flags & ~agonyfs_direct_flag()) }
  }

  /// Makes all earlier changes durable: of the whole space, if the file is in one.
  package func flush(_ file: Descriptor) throws(Errno) { _ = try call(.flush) { fsync(file.number) } }

  /// The hash of the stored content of a file.
  package func digest(of file: Descriptor) throws(Errno) -> FileDigest {
    try before?(.digest)
    return try digester(file)
  }

  /// Asks the mount for the hash of a file's content in the vault's storage.
  package static let storedDigest: Digester = { (file) throws(Errno) in
    var digest = agonyfs_digest()
    unsafe withUnsafeMutableBytes(of: &digest.key) { unsafe $0.copyBytes(from: ContentKey.ofThisRun.bytes) }
    try systemCall { unsafe agonyfs_stored_digest(file.number, &digest) }
    let hash = unsafe withUnsafeBytes(of: digest.hash) { unsafe Array($0) }
    return FileDigest(size: Int64(clamping: digest.size), hash: hash)
  }
}
