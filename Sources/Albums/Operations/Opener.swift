// The access rights of users. The kernel checks them for a path that a user opens (`generic_permission` in its
// fs/namei.c and `posix_acl_permission` in fs/posix_acl.c). Answers are not opened by a path, so the same check is made
// here.
//
// Invariants
// 1. Access that the kernel would refuse is refused here. Capabilities do not count; only user 0 may do everything.

package import Index
package import SystemPackage
package import Vault

/// A user that asks without opening a path, and gets only files that this user could find and read.
package struct Opener: Hashable, Sendable {
  /// Effective user id.
  package var user: UInt32
  /// Effective group id.
  package var group: UInt32
  /// Supplementary groups.
  package var groups: [UInt32]

  /// Sets all fields.
  package init(user: UInt32, group: UInt32, groups: [UInt32] = []) {
    self.user = user
    self.group = group
    self.groups = groups
  }

  /// The opener that sees everything: root, and a user who opens a vault with its password.
  package static let everything = Opener(user: 0, group: 0)

  /// Whether this opener sees everything.
  package var seesEverything: Bool { user == 0 }

  func isIn(_ number: UInt32) -> Bool { group == number || groups.contains(number) }

  /// Whether a file or directory with these permissions, and this access control list if it has one, grants a
  /// permission.
  package func may(_ wanted: Permission, mode: UInt32, owner: UInt32, group: UInt32, list: AccessControlList?) -> Bool {
    if seesEverything { return true }
    func permits(_ shift: UInt32) -> Bool { UInt16(truncatingIfNeeded: mode >> shift) & wanted.rawValue != 0 }
    if user == owner { return permits(6) }
    // The kernel does not look at a list whose mask is empty.
    if let list, mode & 0o070 != 0 { return list.permits(wanted.rawValue, user: user, owningGroup: group) { isIn($0) } }
    return permits(isIn(group) ? 3 : 0)
  }
}

/// A permission, as a bit.
package enum Permission: UInt16 {
  /// To look up names in a directory.
  case search = 1
  /// To read.
  case read = 4
}

extension AccessControlList {
  /// Whether the list grants a permission to a user who is not the owner.
  func permits(_ wanted: UInt16, user: UInt32, owningGroup: UInt32, isIn: (UInt32) -> Bool) -> Bool {
    let mask = maskPermissions ?? 7
    if let named = entries.first(where: { $0.tag == Self.user && $0.identifier == user }) {
      return named.permissions & mask & wanted == wanted
    }
    let mine = entries.filter { entry in
      entry.tag == Self.owningGroup && isIn(owningGroup) || entry.tag == Self.group && isIn(entry.identifier)
    }
    if let granting = mine.first(where: { $0.permissions & wanted == wanted }) {
      return granting.permissions & mask & wanted == wanted
    }
    return mine.isEmpty && entries.contains { $0.tag == Self.others && $0.permissions & wanted == wanted }
  }

  private var maskPermissions: UInt16? { entries.first { $0.tag == Self.mask }?.permissions }
}

extension Opener {
  /// Whether the opener has a permission for an inode, according to the access control list in an index.
  package func may(_ wanted: Permission, _ record: InodeRecord, in index: Index) throws(IndexError) -> Bool {
    if seesEverything { return true }
    var list: AccessControlList?
    if record.hasExtendedAttributes {
      list = try index.attributes.value(named: AccessControlList.accessName, of: record.number)
        .flatMap { AccessControlList($0) }
    }
    return may(wanted, mode: record.mode, owner: record.owner, group: record.group, list: list)
  }
}

extension AccessRights {
  /// Whether an opener has a permission for an inode.
  package func may(_ opener: Opener, _ wanted: Permission, _ record: InodeRecord) throws(Errno) -> Bool {
    try files.result(of: opener.may(wanted, record, in: files.index))
  }

  /// The current record of an inode, without bringing it into memory; nil if there is none.
  package func presentRecord(_ number: InodeNumber) throws(Errno) -> InodeRecord? {
    if let known = files.inodes[number] { return known.record }
    return try files.result(of: files.index.inode(number))
  }
}
