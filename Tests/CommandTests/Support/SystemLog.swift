import Glibc
import System

/// A socket to which a program may think that it is /dev/log. It takes a connection without being looked at, so what is
/// written to it waits until the program has ended.
final class SystemLog {
  private let socket: Descriptor

  /// Makes the socket.
  init(at path: String) throws {
    let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let socket = Descriptor(try systemCall { Glibc.socket(AF_UNIX, CInt(type), 0) })
    self.socket = socket
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8.prefix(room - 1)) }
    try systemCall {
      unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe bind(socket.number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
    }
    try systemCall { listen(socket.number, 64) }
  }

  /// All lines of programs that have ended.
  func lines() throws -> [String] {
    var bytes: [UInt8] = []
    while let number = try? systemCall({ accept(socket.number, nil, nil) }) {
      let connection = Descriptor(number)
      // A program that goes on is an error, not a reason to wait.
      var limit = timeval(tv_sec: 60, tv_usec: 0)
      unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      bytes += try connection.readToEnd()
    }
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }
}
