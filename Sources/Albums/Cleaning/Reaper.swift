// Deletes inodes without a name that are not open, in steps, so that a large file delays no other operation.

internal import Index
internal import Logging
internal import System
internal import SystemPackage
internal import Vault

extension Reaper {
  /// The most extents that one step removes.
  private static let step = 512

  /// Deletes an inode without a name that is not open: at once if a single step is enough, otherwise in the
  /// background.
  func delete(_ inode: Inode) {
    guard inode.noteDeletionPending() else { return }
    files.writeBack.discard(0..<Int64.max, of: inode)
    files.signals[.progress].broadcast()
    if files.refusal == nil, !files.commits.isCritical, inode.buffer.isEmpty, reap(inode) {
      files.committer.noteChange()
      return
    }
    files.inodes.queueDeletion(of: inode)
    files.signals[.reapWork].signal()
  }

  /// The work of the reaper's thread.
  mutating func runReaper() {
    queueLeftovers()
    while !files.life.isStopping, files.refusal == nil {
      if files.commits.isCritical {
        files.wait(for: .progress)
      } else if let number = files.inodes.nextDeletion() {
        guard let inode = files.inodes[number] else { continue }
        if !inode.buffer.isEmpty {
          files.inodes.queueDeletion(of: inode)
          files.wait(for: .progress)
        } else {
          if reap(inode) { files.signals[.progress].broadcast() } else { files.inodes.queueDeletion(of: inode) }
          files.committer.noteChange()
          // Other threads get the lock between two steps.
          files.unlocked { _ in }
        }
      } else {
        files.signals[.progress].broadcast()
        files.wait(for: .reapWork)
      }
    }
    // Waiting threads see why it ended.
    files.signals[.progress].broadcast()
  }

  /// Queues the orphans of a crash, or of an earlier mount that ended quickly.
  private func queueLeftovers() {
    do throws(IndexError) {
      for number in try files.index.orphans(limit: .max) {
        guard let record = try files.index.inode(number), record.links == 0 else {
          try files.index.removeOrphan(number)
          continue
        }
        let inode = files.keep(record)
        if inode.opens == 0, inode.noteDeletionPending() { files.inodes.queueDeletion(of: inode) }
      }
    } catch {
      _ = files.failed(error)
    }
  }

  /// Deletes a part of an inode, or its rest; true when it is gone.
  private func reap(_ inode: Inode) -> Bool {
    var removed: Int64 = 0
    var isGone = false
    var derivatives: [InodeNumber] = []
    do throws(Errno) {
      try files.withSavepoint { index throws(IndexError) in
        if inode.record.allocated > 0 {
          let all = FileOffset.zero..<FileOffset(rawValue: .max)
          let pieces = try index.extents.removeExtents(of: inode.number, in: all, limit: Self.step)
          removed = pieces.reduce(0) { $0 + Int64($1.length) }
          if pieces.count == Self.step { return }
        }
        if inode.record.hasExtendedAttributes { try index.attributes.removeAll(of: inode.number) }
        if inode.isRegular { derivatives = try files.changeSink.noteRemoval(of: inode, in: index) }
        try index.deleteInode(inode.number)
        if inode.deletion.isListed { try index.removeOrphan(inode.number) }
        isGone = true
      }
    } catch {
      // It stays among the index's orphans, and the next mount tries again.
      files.options.logger.warning("inode \(inode.number.rawValue) could not be deleted: \(error)")
      return true
    }
    inode.record.allocated -= removed
    if isGone {
      files.inodes.noteDeleted(inode)
      dropLinks(of: derivatives)
    } else {
      files.markChanged(inode)
    }
    return isGone
  }

  /// Removes one link from each of these inodes without a name, and deletes those without another link.
  func dropLinks(of derivatives: [InodeNumber]) {
    for number in derivatives {
      // A derivative that cannot be read is left for a check to find.
      guard let derivative = try? files.inode(number), derivative.record.links > 0 else { continue }
      derivative.record.removeLink()
      files.markChanged(derivative)
      if derivative.record.links > 0 { continue }
      files.inodes.noteOrphaned(derivative)
      delete(derivative)
    }
  }

  /// Deletes all inodes without a name, open or not, when the file system is no longer in use.
  mutating func deleteOrphans() {
    for inode in Array(files.inodes.all) where inode.record.links == 0 {
      files.inodes.noteReleased(inode, count: inode.opens)
      delete(inode)
    }
    waitForReaper()
  }

  /// Waits until all inodes without a name are deleted, so that their data is dead; no longer than `deadline`.
  mutating func waitForReaper(until deadline: UInt64? = nil) {
    while !files.inodes.pendingDeletion.isEmpty, files.refusal == nil, !files.life.isStopping,
      deadline.map({ monotonicTime() < $0 }) ?? true
    {
      files.wait(for: .progress, until: deadline)
    }
  }
}
