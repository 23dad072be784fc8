internal import CPlatform
internal import Glibc
package import System
package import SystemPackage

/// Extended attributes that any user may set: those whose names begin with `user.`.
extension FileCalls {
  /// Longest list of names, and longest value, in bytes: the limits of Linux.
  private static let mostBytes = 65_536

  /// Their names; empty if the file system lacks extended attributes.
  private func attributeNames(of file: Descriptor) throws(Errno) -> [[UInt8]] {
    var names = [CChar](repeating: 0, count: Self.mostBytes)
    let length: Int
    do throws(Errno) {
      length = try call(.attributes) { unsafe flistxattr(file.number, &names, names.count) }
    } catch {
      if error == .notSupported || error == .noData || error == Errno(rawValue: ENOSYS) { return [] }
      throw error
    }
    return names[..<length].split(separator: 0).map { $0.map { UInt8(bitPattern: $0) } }
      .filter { $0.starts(with: Array("user.".utf8)) }
  }

  private func attribute(_ name: [UInt8], of file: Descriptor) throws(Errno) -> [UInt8] {
    let name = text(name)
    var value = [UInt8](repeating: 0, count: Self.mostBytes)
    let count = try call(.attributes) { unsafe fgetxattr(file.number, name, &value, value.count) }
    return Array(value.prefix(count))
  }

  /// Copies extended attributes to another file. Returns the names of those that cannot be read or are not allowed
  /// there.
  ///
  /// - Throws: `ENOSPC` and `EIO` of the target; the error of listing the names.
  package func copyAttributes(from source: Descriptor, to target: Descriptor) throws(Errno) -> [[UInt8]] {
    var missing: [[UInt8]] = []
    for name in try attributeNames(of: source) {
      do throws(Errno) {
        let value = try attribute(name, of: source)
        let text = text(name)
        _ = try call(.attributes) { unsafe fsetxattr(target.number, text, value, value.count, 0) }
      } catch {
        if error == .noSpace || error == .ioError { throw error }
        missing.append(name)
      }
    }
    return missing
  }

  /// The extended attributes of a file that can be read.
  package func attributes(of file: Descriptor) -> [(name: [UInt8], value: [UInt8])] {
    ((try? attributeNames(of: file)) ?? []).compactMap { name in
      (try? attribute(name, of: file)).map { (name, $0) }
    }
  }

  /// All extended attributes of a file.
  ///
  /// - Throws: the error if one of them cannot be read.
  package func readAttributes(of file: Descriptor) throws(Errno) -> [(name: [UInt8], value: [UInt8])] {
    var found: [(name: [UInt8], value: [UInt8])] = []
    for name in try attributeNames(of: file) { found.append((name, try attribute(name, of: file))) }
    return found
  }

  /// Sets extended attributes. Returns the names of those that are not allowed there. Throws `ENOSPC` and `EIO`.
  package func set(attributes: [(name: [UInt8], value: [UInt8])], of file: Descriptor) throws(Errno) -> [[UInt8]] {
    var missing: [[UInt8]] = []
    for (name, value) in attributes {
      let text = text(name)
      do throws(Errno) {
        _ = try call(.attributes) { unsafe fsetxattr(file.number, text, value, value.count, 0) }
      } catch {
        if error == .noSpace || error == .ioError { throw error }
        missing.append(name)
      }
    }
    return missing
  }
}
