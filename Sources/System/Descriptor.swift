internal import CPlatform
internal import Glibc
package import SystemPackage

/// The owner of an open file descriptor, which is closed when the owner ends. Errors of closing are lost: what must last
/// is flushed before. All descriptors are close-on-exec.
package final class Descriptor: Sendable {
  /// The number, which is this file's as long as the owner exists.
  package let number: CInt

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

  /// pipe2(2). Neither end blocks if `blocks` is false.
  package static func pipe(blocks: Bool = true) throws(Errno) -> (reading: Descriptor, writing: Descriptor) {
    var ends: [CInt] = [-1, -1]
    try systemCall { unsafe agonyfs_pipe(&ends, blocks) }
    return (Descriptor(ends[0]), Descriptor(ends[1]))
  }

  /// Reads from where the file stands to its end, but `limit` bytes at most.
  package func readToEnd(limit: Int = .max) throws(Errno) -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: min(limit, 16 << 10))
    while bytes.count < limit {
      let count = try systemCall { unsafe read(number, &block, min(block.count, limit - bytes.count)) }
      if count == 0 { break }
      bytes += block[..<count]
    }
    return bytes
  }

  /// Writes all of `bytes` where the file stands.
  package func writeAll(_ bytes: [UInt8]) throws(Errno) {
    var rest = bytes[...]
    while !rest.isEmpty {
      rest = rest.dropFirst(
        try systemCall { unsafe rest.withUnsafeBytes { unsafe write(number, $0.baseAddress, $0.count) } })
    }
  }
}
