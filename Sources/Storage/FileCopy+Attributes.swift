internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

extension FileCopy {
  /// Gives a new folder the owner, mode, flags and extended attributes of another one: access control lists, security
  /// labels, and what a file system does with new files in it.
  static func setAttributes(of new: Descriptor, to old: Descriptor) throws(Errno) {
    try setOwnerAndMode(of: new, to: status(of: old))
    try systemCall { agonyfs_copy_flags(old.number, new.number) }
    for name in try attributeNames(of: old) {
      let value = try attribute(name, of: old)
      // A label that the new one has already may be set by root only.
      if let own = try? attribute(name, of: new), own == value { continue }
      try systemCall { unsafe fsetxattr(new.number, name, value, value.count, 0) }
    }
  }

  /// Linux has no longer values, and no longer lists of names.
  private static let longest = 64 << 10

  /// The names of extended attributes; none where the file system has none.
  private static func attributeNames(of file: Descriptor) throws(Errno) -> [String] {
    var bytes = [CChar](repeating: 0, count: longest)
    do throws(Errno) {
      bytes.removeLast(longest - (try systemCall { unsafe flistxattr(file.number, &bytes, longest) }))
    } catch .notSupported {
      return []
    }
    return bytes.split(separator: 0).map { String(decoding: $0.map { UInt8(bitPattern: $0) }, as: UTF8.self) }
  }

  private static func attribute(_ name: String, of file: Descriptor) throws(Errno) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: longest)
    bytes.removeLast(longest - (try systemCall { unsafe fgetxattr(file.number, name, &bytes, longest) }))
    return bytes
  }
}
