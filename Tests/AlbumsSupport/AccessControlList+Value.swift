package import Albums

extension AccessControlList {
  /// The value of an extended attribute with such entries, each with tag, permissions and id.
  package static func value(_ entries: [(Int, Int, Int)], version: UInt8 = 2) -> [UInt8] {
    var bytes: [UInt8] = [version, 0, 0, 0]
    for (tag, permissions, identifier) in entries {
      bytes += [UInt8(tag), 0, UInt8(permissions), 0]
      for shift in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: identifier >> (8 * shift))) }
    }
    return bytes
  }
}
