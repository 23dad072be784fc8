// Deleting inodes that have no name left and are not open, in steps, so that a large file holds nobody up.

internal import Index
internal import Logging
internal import System
internal import SystemPackage
internal import Vault

extension FileSystem {
  /// Extents that go in one step.
  private static let step = 512

  /// Has an inode deleted; at once when that is quick. Lock held.
  func bury(_ inode: Inode) {
    guard !inode.isDying else { return }
    inode.isDying = true
    for chunk in inode.buffer.discard(0..<Int64.max) { drop(chunk) }
    signals.progress.broadcast()
    if refusal == nil, !commits.isCritical, inode.buffer.isEmpty, reap(inode) {
      noteChange()
      return
    }
    inodes.pendingDeletion.append(inode.number)
    signals.reapWork.signal()
  }

  /// The work of the thread that deletes.
  func runReaper() {
    monitor.lock()
    buryLeftovers()
    while !life.isStopping, refusal == nil {
      if commits.isCritical {
        signals.progress.wait()
      } else if let number = inodes.pendingDeletion.popFirst() {
        guard let inode = inodes.table[number] else { continue }
        if !inode.buffer.isEmpty {
          inodes.pendingDeletion.append(number)
          signals.progress.wait()
        } else {
          if !reap(inode) { inodes.pendingDeletion.append(number) }
          noteChange()
          // Others have their turn between two steps.
          monitor.unlock()
          monitor.lock()
        }
      } else {
        signals.reapWork.wait()
      }
    }
    monitor.unlock()
  }

  /// Finds what a crash, or an end in a hurry, left. Lock held.
  private func buryLeftovers() {
    do throws(IndexError) {
      for number in try index.orphans(limit: .max) {
        guard let record = try index.inode(number), record.links == 0 else {
          try index.removeOrphan(number)
          continue
        }
        let inode = keep(record)
        inode.isStoredOrphan = true
        if inode.isDying || inode.opens > 0 { continue }
        inode.isDying = true
        inodes.pendingDeletion.append(number)
      }
    } catch {
      _ = failed(error)
    }
  }

  /// Deletes a part of an inode, or the rest of it; true when nothing is left. Lock held.
  private func reap(_ inode: Inode) -> Bool {
    var removed: Int64 = 0
    var isGone = false
    var media: MediaRecord?
    do throws(Errno) {
      try stored { () throws(IndexError) in
        try index.withSavepoint { () throws(IndexError) in
          if inode.record.allocated > 0 {
            let all = FileOffset.zero..<FileOffset(rawValue: .max)
            let pieces = try index.removeExtents(of: inode.number, in: all, limit: Self.step)
            removed = pieces.reduce(0) { $0 + Int64($1.length) }
            if pieces.count == Self.step { return }
          }
          if inode.record.hasExtendedAttributes { try index.removeAllAttributes(of: inode.number) }
          if inode.isRegular {
            media = try index.media(inode.number)
            if media != nil { try index.deleteMedia(inode.number) }
          }
          try index.deleteInode(inode.number)
          if inode.isStoredOrphan { try index.removeOrphan(inode.number) }
          isGone = true
        }
      }
    } catch {
      // It stays an orphan; the next mount tries again.
      options.logger.warning("inode \(inode.number.rawValue) could not be deleted: \(error)")
      return true
    }
    inode.record.allocated -= removed
    if isGone {
      inode.isDeleted = true
      inode.isStored = true
      inodes.table.remove(inode.number)
      dropLinks(of: media)
    } else {
      markChanged(inode)
    }
    return isGone
  }

  /// Deletes all inodes without a name, open or not. Call without the lock, when nobody uses the file system any more.
  func buryAll() {
    monitor.lock()
    defer { monitor.unlock() }
    for inode in Array(inodes.table.all) where inode.record.links == 0 {
      inodes.opens -= inode.opens
      inode.opens = 0
      if !inode.isDying { bury(inode) }
    }
    while refusal == nil, let number = inodes.pendingDeletion.popFirst() {
      while commits.isCritical { signals.progress.wait() }
      guard let inode = inodes.table[number] else { continue }
      if !inode.buffer.isEmpty { signals.progress.wait() }
      if !inode.buffer.isEmpty || !reap(inode) { inodes.pendingDeletion.append(number) }
    }
  }
}
