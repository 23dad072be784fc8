internal import Index
package import SystemPackage
package import Vault

/// Extended attributes; ACLs are two of them.
extension FileSystem {
  /// Longest name, value, and list of names that Linux has, in bytes.
  private static let maximumNameLength = 255
  private static let maximumValueSize = 65536
  fileprivate static let maximumListSize = 65536

  /// The value of an extended attribute. The caller compares it with the size of the buffer.
  ///
  /// - Throws: `ENODATA`, `EOPNOTSUPP`.
  package func extendedAttribute(_ name: [UInt8], of inode: InodeNumber) throws(Errno) -> [UInt8] {
    try reading { files throws(Errno) in
      let inode = try files.inode(inode)
      // The kernel asks for a capability before every write. Most inodes have no attribute, and need no query.
      guard inode.record.hasExtendedAttributes else { throw Self.isKnown(name) ? .noData : .notSupported }
      let value = try files.result(of: files.index.attributes.value(named: name, of: inode.number))
      guard let value else { throw Self.isKnown(name) ? .noData : .notSupported }
      return value
    }
  }

  /// Whether a name is in a namespace that is supported.
  private static func isKnown(_ name: [UInt8]) -> Bool {
    name.starts(with: Array("user.".utf8)) || name.starts(with: Array("security.".utf8))
      || name.starts(with: Array("trusted.".utf8)) || isAccessControlList(name)
  }

  private static func isAccessControlList(_ name: [UInt8]) -> Bool {
    name == AccessControlList.accessName || name == AccessControlList.defaultName
  }

  /// Sets an extended attribute. Setting an access ACL sets the permission bits as well, and with `clearsSetGroup`
  /// (`FUSE_SETXATTR_ACL_KILL_SGID`) also clears the set-group-ID bit.
  ///
  /// - Throws: `EEXIST` and `ENODATA` according to the flags; `EOPNOTSUPP`, `ERANGE` for the name, `E2BIG` for the
  ///   value, `EINVAL` for a malformed ACL; `EACCES` for a default ACL of anything except a directory; `ENOSPC`,
  ///   `EROFS`.
  package func setExtendedAttribute(
    _ name: [UInt8], of inode: InodeNumber, value: [UInt8], flags: AttributeFlags, caller: Caller,
    clearsSetGroup: Bool = false
  ) throws(Errno) {
    guard Self.isKnown(name) else { throw .notSupported }
    guard name.last != 0x2E else { throw .invalidArgument }
    guard name.count <= Self.maximumNameLength else { throw .outOfRange }
    guard value.count <= Self.maximumValueSize else { throw .argListTooLong }
    guard flags != [.create, .replace] else { throw .invalidArgument }
    try changing { files throws(ChangeError) in
      let file = try ChangeError.result(of: files.inode(inode))
      if Self.isAccessControlList(name) {
        try files.setAccessControlList(name, of: file, value, clearsSetGroup: clearsSetGroup)
        return files.changeSink.noteRights(of: file, files)
      }
      try files.requireRoom()
      try ChangeError.result(of: files.setAttribute(name, of: file, value, flags))
      files.changeSink.noteAttribute(name, of: file, files)
    }
  }

  /// All names, each followed by a NUL.
  package func listExtendedAttributes(of inode: InodeNumber) throws(Errno) -> [UInt8] {
    try reading { files throws(Errno) in
      let inode = try files.inode(inode)
      guard inode.record.hasExtendedAttributes else { return [] }
      let names = try files.result(of: files.index.attributes.names(of: inode.number))
      return names.reduce(into: []) { list, name in list += name + [0] }
    }
  }

  /// Removes an extended attribute.
  ///
  /// - Throws: `ENODATA`, but not for ACLs, as on Linux; `EOPNOTSUPP`, `EROFS`.
  package func removeExtendedAttribute(_ name: [UInt8], of inode: InodeNumber) throws(Errno) {
    guard Self.isKnown(name) else { throw .notSupported }
    try changing { files throws(Errno) in
      let inode = try files.inode(inode)
      if !Self.isAccessControlList(name) {
        guard inode.record.hasExtendedAttributes else { throw .noData }
        let value = try files.result(of: files.index.attributes.value(named: name, of: inode.number))
        guard value != nil else { throw .noData }
      }
      try files.remove(name, of: inode)
      if Self.isAccessControlList(name) { files.changeSink.noteRights(of: inode, files) }
      files.changeSink.noteAttribute(name, of: inode, files)
    }
  }
}

extension LockedFileSystem {
  /// Sets an attribute other than an access control list.
  fileprivate func setAttribute(
    _ name: [UInt8], of inode: Inode, _ value: [UInt8], _ flags: AttributeFlags
  ) throws(Errno) {
    let names =
      inode.record.hasExtendedAttributes ? try result(of: index.attributes.names(of: inode.number)) : []
    let exists = names.contains(name)
    if exists && flags.contains(.create) { throw .fileExists }
    if !exists && flags.contains(.replace) { throw .noData }
    let listSize = names.reduce(0) { $0 + $1.count + 1 }
    guard exists || listSize + name.count + 1 <= FileSystem.maximumListSize else { throw .noSpace }
    try result(of: index.attributes.set(named: name, of: inode.number, to: value))
    noteAttributes(of: inode, true)
  }

  fileprivate func setAccessControlList(
    _ name: [UInt8], of inode: Inode, _ value: [UInt8], clearsSetGroup: Bool
  ) throws(ChangeError) {
    let isAccess = name == AccessControlList.accessName
    if AccessControlList.isEmpty(value) { return try ChangeError.result(of: remove(name, of: inode)) }
    guard let list = AccessControlList(value) else { throw .failed(.invalidArgument) }
    guard isAccess || inode.isDirectory else { throw .failed(.permissionDenied) }
    try requireRoom()
    try ChangeError.result(of: set(list, name, of: inode, value, clearsSetGroup: clearsSetGroup))
  }

  /// Sets an access control list for which there is room; `value` is its encoding.
  private func set(
    _ list: AccessControlList, _ name: [UInt8], of inode: Inode, _ value: [UInt8], clearsSetGroup: Bool
  ) throws(Errno) {
    let isAccess = name == AccessControlList.accessName
    if isAccess && list.isMinimal {
      try remove(name, of: inode)
    } else {
      try result(of: index.attributes.set(named: name, of: inode.number, to: value))
      noteAttributes(of: inode, true)
    }
    if isAccess {
      inode.record.mode = inode.record.mode & ~0o777 | list.permissions
      if clearsSetGroup { inode.record.mode &= ~FileKind.setGroup }
      noteAttributes(of: inode, inode.record.hasExtendedAttributes)
    }
  }

  /// Removes an attribute, if it is there.
  fileprivate func remove(_ name: [UInt8], of inode: Inode) throws(Errno) {
    guard inode.record.hasExtendedAttributes else { return }
    let (wasThere, hasOthers) = try withIndex { index throws(IndexError) in
      let wasThere = try index.attributes.remove(named: name, of: inode.number)
      return (wasThere, try !index.attributes.names(of: inode.number).isEmpty)
    }
    if wasThere { noteAttributes(of: inode, hasOthers) }
  }

  fileprivate func noteAttributes(of inode: Inode, _ hasSome: Bool) {
    inode.record.hasExtendedAttributes = hasSome
    inode.record.changed = .now()
    markChanged(inode)
  }
}
