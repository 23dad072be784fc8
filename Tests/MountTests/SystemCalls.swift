import CMount
import Glibc
import SystemPackage

/// System calls that throw `Errno`.
enum System {
  static func status(_ path: String) throws -> stat {
    var status = stat()
    try check(unsafe lstat(path, &status))
    return status
  }

  static func check(_ outcome: CInt) throws {
    if outcome < 0 { throw Errno(rawValue: errno) }
  }

  static func write(_ bytes: [UInt8], to path: String) throws {
    let file = try FileDescriptor.open(
      FilePath(path), .writeOnly, options: [.create, .truncate], permissions: FilePermissions(rawValue: 0o666))
    try file.closeAfter { _ = try file.writeAll(bytes) }
  }

  static func read(_ path: String) throws -> [UInt8] {
    let file = try FileDescriptor.open(FilePath(path), .readOnly)
    return try file.closeAfter {
      var content: [UInt8] = []
      var block = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = try unsafe block.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
        if count == 0 { return content }
        content += block[..<count]
      }
    }
  }

  static func attribute(_ name: String, of path: String, room: Int = 256) throws -> [UInt8] {
    var value = [UInt8](repeating: 0, count: room)
    let count = unsafe value.withUnsafeMutableBytes { unsafe lgetxattr(path, name, $0.baseAddress, $0.count) }
    if count < 0 { throw Errno(rawValue: errno) }
    return room == 0 ? [UInt8](repeating: 0, count: count) : Array(value[..<count])
  }

  static func setAttribute(_ name: String, of path: String, to value: [UInt8]) throws {
    try check(unsafe value.withUnsafeBytes { unsafe lsetxattr(path, name, $0.baseAddress, $0.count, 0) })
  }

  static func attributeNames(of path: String) throws -> [String] {
    var names = [UInt8](repeating: 0, count: 4096)
    let count = unsafe names.withUnsafeMutableBytes { bytes in
      unsafe llistxattr(path, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    if count < 0 { throw Errno(rawValue: errno) }
    return names[..<count].split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }
}
