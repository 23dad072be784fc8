// Which contents have been looked at, and what was made of them.
//
// Invariants
// 1. What `media` says of a file is of its present content: every change of content makes the row one that waits, in
//    the same operation. A file without a row begins as no photo does, or nothing was written to it.
// 2. A derivative is an inode without a name. Its link count is the number of rows of `media` that point at it.
// 3. `Inode.isMediaPending` is set only where the row says that the content is still to be looked at.

internal import Catalog
package import Index
internal import Media
internal import System
package import SystemPackage
internal import Vault

extension LockedFileSystem {
  /// Notes that a file's content is about to change. Its derivatives lose their links.
  func noteContentChange(_ inode: Inode) throws(Errno) {
    inode.contentChanged = monotonicTime()
    if inode.isMediaPending { return }
    inode.isKnownNotMedia = false
    noteSidecarChange(inode)
    let old = try result(of: index.media(inode.number))
    if let old, old.state == .known || old.state == .failed {
      try withSavepoint { index throws(IndexError) in try Self.dropItem(inode.number, in: index) }
    }
    try lookAgain(at: inode.number, as: inode.isHidden || old?.state == .hidden ? .hidden : .pending)
    inode.isMediaPending = true
  }

  /// Lets a content be looked at as if nothing were known of it. Its derivatives lose their links.
  func lookAgain(at number: InodeNumber, as state: MediaRecord.State = .pending) throws(Errno) {
    let old = try withIndex { index throws(IndexError) in
      let old = try index.media(number)
      try index.setMedia(MediaRecord(inode: number, state: state))
      return old
    }
    dropLinks(of: old)
    signals[.thumbnailWork].signal()
  }

  /// The same, for a write. A file that begins as no photo or video does needs no row: there is nothing to look at.
  func noteWrite(_ inode: Inode, at offset: Int64, _ bytes: UnsafeRawBufferPointer) throws(Errno) {
    let size = MediaKind.beginningSize
    if isSidecar(inode) {
      inode.contentChanged = monotonicTime()
      noteSidecarChange(inode)
    }
    if inode.isKnownNotMedia, offset >= size { return }
    // What else has content may have a row, which would have to go.
    if !inode.isMediaPending, offset == 0, inode.isKnownNotMedia || inode.record.size == 0, bytes.count >= size,
      unsafe !mayBeMedia(bytes)
    {
      inode.isKnownNotMedia = true
      return
    }
    try noteContentChange(inode)
  }

  private func mayBeMedia(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let maker = options.thumbnails?.maker else { return unsafe MediaKind.mayBegin(with: bytes) }
    return unsafe maker.mayBegin(with: bytes)
  }

  /// Removes one link from each derivative that a row pointed at.
  func dropLinks(of record: MediaRecord?) {
    for number in [record?.small, record?.large].compactMap(\.self) {
      // One that cannot be read is left for a check to find.
      guard let derivative = try? inode(number), derivative.record.links > 0 else { continue }
      derivative.record.removeLink()
      markChanged(derivative)
      if derivative.record.links > 0 { continue }
      inodes.noteOrphaned(derivative)
      delete(derivative)
    }
  }

  /// Notes the name that a file has now: what has a name that begins with a dot is not looked at by itself.
  func noteName(_ name: FileName, of inode: Inode) {
    guard inode.isRegular else { return }
    inode.isHidden = name.isHidden
    do throws(Errno) {
      try withIndex { index throws(IndexError) in
        guard let state = try index.media(inode.number)?.state else { return }
        if inode.isHidden, state == .pending { try index.setMediaState(of: inode.number, to: .hidden) }
        if !inode.isHidden, state == .hidden { try index.setMediaState(of: inode.number, to: .pending) }
        // It lost its row with its last name.
        if !inode.isHidden, state == .known || state == .failed, index.hasCatalog, try index.item(inode.number) == nil {
          try index.addStale(inode.number, .look)
        }
      }
    } catch {
      // The name counts, not this: a row that stays as it was costs a thumbnail too many or too few.
      return
    }
    inode.contentChanged = monotonicTime()
    signals[.thumbnailWork].signal()
  }

  /// Makes an inode without a name that holds `bytes`.
  func makeDerivative(_ bytes: [UInt8]) throws(Errno) -> InodeNumber {
    let record = InodeRecord(
      number: index.nextInodeNumber(), mode: FileKind.regular | 0o400, links: 1, owner: 0, group: 0, time: .now())
    try result(of: index.insert(record))
    let inode = Inode(record)
    inodes.insert(inode)
    unsafe bytes.withUnsafeBytes { unsafe put($0, at: 0, in: inode) }
    inode.record.size = Int64(bytes.count)
    markChanged(inode)
    return inode.number
  }

  /// Adds a link to each derivative that a row of the same content points at; false when one is gone.
  func share(_ record: MediaRecord) -> Bool {
    let numbers = [record.small, record.large].compactMap(\.self)
    let derivatives = numbers.compactMap { try? inode($0) }.filter { $0.record.links > 0 }
    guard derivatives.count == numbers.count else { return false }
    for derivative in derivatives {
      derivative.record.addLink()
      markChanged(derivative)
    }
    return true
  }
}

extension FileSystem {
  /// How many files wait for thumbnails, and so on.
  package func mediaCounts() throws(Errno) -> MediaCounts {
    try reading { files throws(Errno) in
      try files.result(of: files.index.mediaCounts())
    }
  }

  /// How many files the catalog does not know as they are: never looked at, or changed since. Photos that have no row yet
  /// count, too; a mount that may not write makes none.
  func unexaminedCount() throws(Errno) -> Int64 {
    try reading { files throws(Errno) in
      let isFilled = files.catalog.filled == .done
      return try files.withIndex { index throws(IndexError) in
        let counts = try index.mediaCounts()
        var count = counts.pending + (try index.staleCount(for: [.merge, .look, .read]))
        if !isFilled, try index.metaInteger(LockedFileSystem.filledKey) != Int64(MediaItem.factsVersion) {
          count += max(0, counts.known + counts.failed - (index.hasCatalog ? try index.itemCount() : 0))
        }
        return count
      }
    }
  }

  /// Why no thumbnails can be made for now; nil when they can.
  var thumbnailPause: String? { locked { $0.thumbnails.unavailable } }

  /// Whether photos and videos that were never looked at are looked at without being asked for.
  var looksAtNewFiles: Bool { space.gate.isOpen && options.thumbnails?.isLazy == false }

  /// The files without a thumbnail that should have one: path from the root, as bytes, and reason.
  func failedThumbnails() throws(Errno) -> [(path: [UInt8], reason: String)] {
    try reading { files throws(Errno) in
      try files.withIndex { index throws(IndexError) in
        let failed = try index.failedMedia()
        let reasons = [InodeNumber: String](failed.map { ($0.inode, $0.reason) }) { first, _ in first }
        if reasons.isEmpty { return [] }
        return try index.names(of: Set(reasons.keys)).map { (entry) throws(IndexError) in
          let path = try index.path(of: entry.parent) + [entry.name]
          return (Array(path.map(\.bytes).joined(separator: [0x2F])), reasons[entry.inode] ?? "")
        }
      }
    }
  }

  /// Makes the thumbnail of a content again, whichever files hold it.
  func remakeThumbnail(of inode: InodeNumber) throws(Errno) {
    try changing { files throws(Errno) in
      var next = try files.result(of: files.index.media(inode))
      while let old = next {
        try files.lookAgain(at: old.inode)
        next = if let hash = old.hash { try files.result(of: files.index.media(withHash: hash)) } else { nil }
      }
    }
  }

  /// Makes all thumbnails again.
  package func remakeThumbnails() throws(Errno) {
    var last: InodeNumber?
    while true {
      let batch = try changing { files throws(Errno) in
        let batch = try files.result(of: files.index.derivatives(after: last, limit: 64))
        for entry in batch { try files.lookAgain(at: entry.inode) }
        return batch
      }
      guard let end = batch.last else { break }
      last = end.inode
    }
    try changing { files throws(Errno) in
      try files.withIndex { index throws(IndexError) in
        try index.changeMediaStates(from: .failed, to: .pending)
        try index.changeMediaStates(from: .other, to: .pending)
        try index.noteAllContents()
      }
      files.thumbnails.noteSuccess()
      files.signals[.thumbnailWork].signal()
    }
  }
}

extension FileName {
  /// Whether the name begins with a dot.
  package var isHidden: Bool { bytes.first == 0x2E }
}
