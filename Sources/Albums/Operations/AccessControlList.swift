// Invariants
// 1. A list has one entry each for the owner, the owning group and others; a mask when it has entries for other users
//    or groups; and its entries are in the order of tags and ids that Linux requires.

/// A POSIX ACL, in the form that Linux uses in extended attributes: 4 bytes of version, then 8 bytes for each entry,
/// little-endian.
package struct AccessControlList: Equatable {
  struct Entry: Equatable {
    var tag: UInt16
    var permissions: UInt16
    var identifier: UInt32
  }

  /// The extended attribute of the list itself.
  package static let accessName = Array("system.posix_acl_access".utf8)
  static let defaultName = Array("system.posix_acl_default".utf8)

  private static let version: UInt32 = 2
  static let owner: UInt16 = 1
  static let user: UInt16 = 2
  static let owningGroup: UInt16 = 4
  static let group: UInt16 = 8
  static let mask: UInt16 = 0x10
  static let others: UInt16 = 0x20

  private(set) var entries: [Entry]

  /// Reads a list; nil when the bytes are not a valid one. A list without entries, which means "no list", is not valid
  /// here.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 4, (bytes.count - 4) % 8 == 0, Self.integer(bytes, 0, 4) == Self.version else { return nil }
    entries = stride(from: 4, to: bytes.count, by: 8).map { place in
      Entry(
        tag: UInt16(Self.integer(bytes, place, 2)), permissions: UInt16(Self.integer(bytes, place + 2, 2)),
        identifier: Self.integer(bytes, place + 4, 4))
    }
    guard isValid else { return nil }
  }

  /// Whether the bytes say "no list": a version and no entries.
  static func isEmpty(_ bytes: [UInt8]) -> Bool { bytes.count == 4 && integer(bytes, 0, 4) == version }

  private static func integer(_ bytes: [UInt8], _ place: Int, _ count: Int) -> UInt32 {
    bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private var isValid: Bool {
    guard entries.allSatisfy({ $0.permissions <= 7 }) else { return false }
    var counts: [UInt16: Int] = [:]
    var last: UInt16 = 0
    for entry in entries {
      guard entry.tag >= last else { return false }
      last = entry.tag
      counts[entry.tag, default: 0] += 1
    }
    for tag in [Self.owner, Self.owningGroup, Self.others] where counts[tag] != 1 { return false }
    let named = counts[Self.user, default: 0] + counts[Self.group, default: 0]
    let masks = counts[Self.mask, default: 0]
    guard masks == 1 || (masks == 0 && named == 0) else { return false }
    return entries.count == 3 + named + masks
  }

  /// The list as an extended attribute's value.
  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    func add(_ value: UInt32, _ count: Int) {
      for byte in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(8 * byte))) }
    }
    add(Self.version, 4)
    for entry in entries {
      add(UInt32(entry.tag), 2)
      add(UInt32(entry.permissions), 2)
      add(entry.identifier, 4)
    }
    return bytes
  }

  /// Whether the permission bits express the whole list.
  var isMinimal: Bool { entries.count == 3 }

  /// The permission bits that stand for the list: the mask takes the place of the group.
  var permissions: UInt32 {
    UInt32(self[Self.owner]) << 6 | UInt32(self[groupTag]) << 3 | UInt32(self[Self.others])
  }

  /// Changes the list as `chmod` does.
  mutating func setPermissions(_ mode: UInt32) {
    self[Self.owner] = UInt16(mode >> 6 & 7)
    self[groupTag] = UInt16(mode >> 3 & 7)
    self[Self.others] = UInt16(mode & 7)
  }

  /// Narrows a default list for a file that is created with `mode`; returns the file's permission bits.
  mutating func narrow(to mode: UInt32) -> UInt32 {
    self[Self.owner] &= UInt16(mode >> 6 & 7)
    self[groupTag] &= UInt16(mode >> 3 & 7)
    self[Self.others] &= UInt16(mode & 7)
    return permissions
  }

  /// The tag of the entry that the group's permission bits show.
  private var groupTag: UInt16 { entries.contains { $0.tag == Self.mask } ? Self.mask : Self.owningGroup }

  private subscript(tag: UInt16) -> UInt16 {
    get { entries.first { $0.tag == tag }?.permissions ?? 0 }
    set { for index in entries.indices where entries[index].tag == tag { entries[index].permissions = newValue } }
  }
}
