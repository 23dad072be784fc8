internal import CPlatform
package import Glibc
package import SystemPackage

/// The owner of an open file descriptor, which is closed when the owner ends. Errors of closing are lost, so data that
/// must last is flushed before. All descriptors are close-on-exec.
package final class Descriptor: Sendable {
  /// The number, which belongs to this file as long as the owner exists.
  package let number: CInt

  /// The descriptors that every program has, which stay open.
  package static let standardInput = Descriptor(STDIN_FILENO)
  package static let standardOutput = Descriptor(STDOUT_FILENO)
  package static let standardError = Descriptor(STDERR_FILENO)

  /// Takes over an open descriptor.
  package init(_ number: CInt) { self.number = number }

  deinit { _ = Glibc.close(number) }

  /// openat(2): a path is relative to `directory`, or to the working directory.
  package static func open(
    _ path: String, in directory: Descriptor? = nil, _ flags: CInt, mode: UInt32 = 0o600
  ) throws(Errno) -> Descriptor {
    let number = try systemCall { unsafe openat(directory?.number ?? AT_FDCWD, path, flags | O_CLOEXEC, mode) }
    return Descriptor(number)
  }

  /// Like `open`, for a path of any bytes.
  package static func open(
    _ path: FilePath, in directory: Descriptor? = nil, _ flags: CInt, mode: UInt32 = 0o600
  ) throws(Errno) -> Descriptor {
    Descriptor(
      try unsafe path.call { unsafe openat(directory?.number ?? AT_FDCWD, $0, flags | O_CLOEXEC, mode) })
  }

  /// Like `open`, for an existing file or directory. Reading it leaves no access time, unless it belongs to another
  /// user: the kernel allows that only to the owner and root.
  package static func openQuietly(
    _ path: String, in directory: Descriptor? = nil, _ flags: CInt
  ) throws(Errno) -> Descriptor {
    do throws(Errno) {
      return try open(path, in: directory, flags | agonyfs_no_access_time_flag())
    } catch .notPermitted {
      return try open(path, in: directory, flags)
    }
  }

  /// Like `openQuietly`, for a path of any bytes.
  package static func openQuietly(
    _ path: FilePath, in directory: Descriptor? = nil, _ flags: CInt
  ) throws(Errno) -> Descriptor {
    do throws(Errno) {
      return try open(path, in: directory, flags | agonyfs_no_access_time_flag())
    } catch .notPermitted {
      return try open(path, in: directory, flags)
    }
  }

  /// Makes the descriptor point to nothing: this process no longer uses its file, even if another object still owns the
  /// descriptor.
  package func letGo() {
    guard let nothing = try? Descriptor.open("/dev/null", O_RDWR) else { return }
    if dup2(nothing.number, number) == number { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
  }

  /// Makes later reads leave no access time, if the kernel allows it.
  package func readQuietly() {
    let flags = fcntl(number, F_GETFL)
    if flags != -1 { _ = fcntl(number, F_SETFL, flags | agonyfs_no_access_time_flag()) }
  }

  /// pipe2(2). Neither end blocks if `blocks` is false.
  package static func pipe(blocks: Bool = true) throws(Errno) -> (reading: Descriptor, writing: Descriptor) {
    var ends: [CInt] = [-1, -1]
    try systemCall { unsafe agonyfs_pipe(&ends, blocks) }
    return (Descriptor(ends[0]), Descriptor(ends[1]))
  }

  /// socketpair(2): the two ends of a connection of bytes in both directions.
  package static func socketPair() throws(Errno) -> (Descriptor, Descriptor) {
    var ends: [CInt] = [-1, -1]
    let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    try systemCall { unsafe socketpair(AF_UNIX, type, 0, &ends) }
    return (Descriptor(ends[0]), Descriptor(ends[1]))
  }

  /// How many bytes this process's user may still write to the file system of the file.
  package func freeBytes() throws(Errno) -> Int64 {
    var host = statvfs()
    try systemCall { unsafe fstatvfs(number, &host) }
    // File systems in user space may return any value.
    let free = host.f_bavail.multipliedReportingOverflow(by: host.f_frsize)
    return free.overflow ? .max : Int64(clamping: free.partialValue)
  }

  /// fstat(2).
  package func status() throws(Errno) -> stat {
    var status = stat()
    try systemCall { unsafe fstat(number, &status) }
    return status
  }

  /// fstatat(2), of a path in this directory; a symbolic link at its end is itself.
  package func status(of path: String) throws(Errno) -> stat {
    var status = stat()
    try systemCall { unsafe fstatat(number, path, &status, AT_SYMLINK_NOFOLLOW) }
    return status
  }

  /// read(2): available bytes, at most `most`, or nothing at the end.
  package func readSome(most: Int) throws(Errno) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: most)
    let count = try systemCall { unsafe read(number, &bytes, most) }
    bytes.removeLast(most - count)
    return bytes
  }

  /// Reads from the current position to the end of the file, at most `limit` bytes.
  package func readToEnd(limit: Int = .max) throws(Errno) -> [UInt8] {
    Waiting.assertAllowed()
    var bytes: [UInt8] = []
    while bytes.count < limit {
      let block = try readSome(most: min(limit - bytes.count, 16 << 10))
      if block.isEmpty { break }
      bytes += block
    }
    return bytes
  }

  /// Writes all of `bytes` at the current position.
  package func writeAll(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    var rest = unsafe bytes
    while unsafe !rest.isEmpty {
      let count = try systemCall { unsafe write(number, rest.baseAddress, rest.count) }
      unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Writes all of `bytes` at the current position.
  package func writeAll(_ bytes: [UInt8]) throws(Errno) {
    try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(Errno) in try unsafe writeAll(bytes) }
  }
}
