internal import Index
package import SystemPackage
package import Vault

/// Attributes of inodes, and of the file system.
extension FileSystem {
  /// The result of `stat`.
  package func attributes(of inode: InodeNumber) throws(Errno) -> Attributes {
    try reading { files throws(Errno) in files.attributes(try files.inode(inode)) }
  }

  /// Changes mode, owner, size and times, and returns the attributes afterwards.
  ///
  /// - Throws: `EISDIR`, `EINVAL` and `EFBIG` for an impossible size; `ENOSPC` when growing; `EROFS`.
  package func setAttributes(of inode: InodeNumber, _ changes: AttributeChanges) throws(Errno) -> Attributes {
    try changing { files throws(Errno) in
      let inode = if let size = changes.size { try files.data.resize(inode, to: size) } else { try files.inode(inode) }
      if let mode = changes.mode { try files.changeMode(of: inode, to: mode) }
      if let owner = changes.owner { inode.record.owner = owner }
      if let group = changes.group { inode.record.group = group }
      let now = Timestamp.now()
      if let accessed = changes.accessed { inode.record.accessed = accessed.time(now) }
      if let modified = changes.modified { inode.record.modified = modified.time(now) }
      inode.record.changed = changes.changed ?? now
      files.markChanged(inode)
      if changes.mode != nil || changes.owner != nil || changes.group != nil || changes.modified != nil {
        files.changeSink.noteRights(of: inode, files)
      }
      return files.attributes(inode)
    }
  }

  /// Clears the set-user-ID and set-group-ID bits, as a write, a truncation or a change of owner does; true when any
  /// were set. The set-group-ID bit of a file that its group may not execute stays for members of the group. Only the
  /// caller's own group is known.
  ///
  /// - Throws: `EROFS`.
  package func clearSetBits(of inode: InodeNumber, for caller: Caller) throws(Errno) -> Bool {
    func rest(_ record: InodeRecord) -> UInt32 {
      guard record.mode & FileKind.mask != FileKind.directory else { return record.mode }
      let runsAsGroup = record.mode & FileKind.groupExecutes != 0 || (caller.user != 0 && caller.group != record.group)
      return record.mode & ~(runsAsGroup ? FileKind.setUser | FileKind.setGroup : FileKind.setUser)
    }
    // Nearly all files have neither bit, and this is asked before every write.
    let mayHave = try reading { files throws(Errno) in
      let record = try files.inode(inode).record
      return rest(record) != record.mode
    }
    guard mayHave else { return false }
    return try changing { files throws(Errno) in
      let inode = try files.inode(inode)
      inode.record.mode = rest(inode.record)
      inode.record.changed = .now()
      files.markChanged(inode)
      return true
    }
  }

  /// The result of `statfs`.
  package func statistics() throws(Errno) -> Statistics {
    let capacity = space.capacity()
    let (reclaimable, live, waiting, inodes) = locked { files in
      (
        files.reclaimable(capacity), files.index.totalLiveBytes, Int64(files.writeBack.bytes), files.index.inodeCount
      )
    }
    let unit = Int64(4096)
    var left = capacity.availableBytes + reclaimable
    if let own = capacity.ownBytes { left = min(left, own - live) }
    let available = max(0, left - waiting) / unit
    let used = UInt64(clamping: inodes)
    let free = UInt64(available)
    let unowned = capacity.ownBytes == nil ? capacity.freeBytes / unit : 0
    return Statistics(
      blockSize: UInt64(unit), blocks: UInt64((capacity.ownBytes ?? capacity.totalBytes) / unit),
      freeBlocks: UInt64(max(available, unowned)), availableBlocks: free, files: used + free,
      freeFiles: free, maximumNameLength: UInt64(FileName.maximumLength))
  }
}

extension LockedFileSystem {
  fileprivate func changeMode(of inode: Inode, to mode: UInt32) throws(Errno) {
    let permissions = mode & 0o7777
    if inode.record.hasExtendedAttributes {
      let value = try result(of: index.attributes.value(named: AccessControlList.accessName, of: inode.number))
      if let value, var list = AccessControlList(value) {
        list.setPermissions(permissions)
        try result(of: index.attributes.set(named: AccessControlList.accessName, of: inode.number, to: list.encoded))
      }
    }
    inode.record.mode = inode.record.mode & FileKind.mask | permissions
  }

  /// The share of the dead bytes that cleaning frees on request.
  private static let reclaimedShare = 0.8
  /// The segments that cleaning keeps for itself.
  private static let cleaningSlack: Int64 = 4

  /// Bytes that deleting, cleaning and the copy window can free on request.
  fileprivate func reclaimable(_ capacity: SpaceCapacity) -> Int64 {
    let pages = Int64(space.databasePageCount) * Int64(Space.databasePageSize)
    let dead = capacity.usedBytes - index.totalLiveBytes - pages
    return max(0, Int64(Double(dead) * Self.reclaimedShare) - Self.cleaningSlack * Int64(space.segmentBytes))
  }
}

extension TimeChange {
  func time(_ now: Timestamp) -> Timestamp {
    switch self {
    case .now: now
    case .at(let time): time
    }
  }
}
