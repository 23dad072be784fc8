import Glibc
import SystemPackage

/// A socket to which a program may think that it is /dev/log. It takes a connection without being looked at, so what is written to it waits
/// until the program has ended.
final class SystemLog {
  private let descriptor: CInt

  /// Makes the socket.
  init(at path: String) throws {
    let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    descriptor = socket(AF_UNIX, CInt(type), 0)
    if descriptor < 0 { throw Errno(rawValue: errno) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8.prefix(room - 1)) }
    let status = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if status != 0 || listen(descriptor, 64) != 0 { throw Errno(rawValue: errno) }
  }

  deinit { close(descriptor) }

  /// All lines of programs that have ended.
  func lines() throws -> [String] {
    var bytes: [UInt8] = []
    while true {
      let connection = accept(descriptor, nil, nil)
      if connection < 0 { break }
      let file = FileDescriptor(rawValue: connection)
      // A program that goes on is an error, not a reason to wait.
      var limit = timeval(tv_sec: 60, tv_usec: 0)
      unsafe setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      try file.closeAfter {
        var block = [UInt8](repeating: 0, count: 65536)
        while true {
          let count = try unsafe block.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
          if count == 0 { return }
          bytes += block[..<count]
        }
      }
    }
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }
}
