import CMount
import Glibc
import System
import SystemPackage

/// System calls that throw `Errno`.
enum System {
  static func status(_ path: String) throws -> stat {
    var status = stat()
    try check(unsafe lstat(path, &status))
    return status
  }

  static func check(_ outcome: CInt) throws {
    if outcome < 0 { throw Errno.current }
  }

  static func write(_ bytes: [UInt8], to path: String) throws {
    try Descriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o666).writeAll(bytes)
  }

  static func read(_ path: String) throws -> [UInt8] { try WholeFile.read(path) }

  static func attribute(_ name: String, of path: String, room: Int = 256) throws -> [UInt8] {
    var value = [UInt8](repeating: 0, count: room)
    let count = try systemCall { unsafe lgetxattr(path, name, &value, room) }
    return room == 0 ? [UInt8](repeating: 0, count: count) : Array(value[..<count])
  }

  static func setAttribute(_ name: String, of path: String, to value: [UInt8]) throws {
    try check(unsafe value.withUnsafeBytes { unsafe lsetxattr(path, name, $0.baseAddress, $0.count, 0) })
  }

  static func attributeNames(of path: String) throws -> [String] {
    var names = [UInt8](repeating: 0, count: 4096)
    let count = try systemCall {
      unsafe names.withUnsafeMutableBytes { bytes in
        unsafe llistxattr(path, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
      }
    }
    return names[..<count].split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }
}
