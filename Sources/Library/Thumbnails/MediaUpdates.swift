// Records which contents have been looked at, and which derivatives were made of them.
//
// Invariants
// 1. A row of `media` describes the file's present content: every change of content makes the row pending, in the
//    same operation. A file without a row does not begin like a photo, or was never written to.
// 2. A derivative is an inode without a name. Its link count is the number of rows of `media` that point to it.
// 3. `Inode.isMediaPending` is set only if the row says that the content must still be looked at.

internal import Albums
internal import Catalog
package import Index
internal import Media
internal import System
internal import SystemPackage
internal import Vault

extension MediaUpdates {
  /// Records that a file's content is about to change. Its derivatives lose their links.
  func noteContentChange(_ inode: Inode) throws(Errno) {
    inode.contentChanged = monotonicTime()
    if inode.isMediaPending { return }
    inode.isKnownNotMedia = false
    files.catalogUpdates.noteSidecarChange(inode)
    let old = try files.result(of: files.index.media.row(inode.number))
    if let old, old.state == .known || old.state == .failed {
      try files.withSavepoint { index throws(IndexError) in try CatalogUpdates.dropItem(inode.number, in: index) }
    }
    try lookAgain(at: inode.number, as: inode.isHidden || old?.state == .hidden ? .hidden : .pending)
    inode.isMediaPending = true
  }

  /// Marks a content as never looked at. Its derivatives lose their links.
  func lookAgain(at number: InodeNumber, as state: MediaRecord.State = .pending) throws(Errno) {
    let old = try files.withIndex { index throws(IndexError) in
      let old = try index.media.row(number)
      try index.media.setMedia(MediaRecord(inode: number, state: state))
      return old
    }
    files.thumbnails.underWay.noteChange(of: number)
    dropLinks(of: old)
    files.signals[.sinkWork].signal()
  }

  /// Records a write. A file that does not begin like a photo or video needs no row, because there is nothing to look
  /// at.
  func noteWrite(_ inode: Inode, at offset: Int64, _ bytes: UnsafeRawBufferPointer) throws(Errno) {
    let size = MediaKind.beginningSize
    if files.catalogUpdates.isSidecar(inode) {
      inode.contentChanged = monotonicTime()
      files.catalogUpdates.noteSidecarChange(inode)
    }
    if inode.isKnownNotMedia, offset >= size { return }
    // Another file with content may have a row, which must then be removed.
    if !inode.isMediaPending, offset == 0, inode.isKnownNotMedia || inode.record.size == 0, bytes.count >= size,
      unsafe !mayBeMedia(bytes)
    {
      inode.isKnownNotMedia = true
      return
    }
    try noteContentChange(inode)
  }

  private func mayBeMedia(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let maker = files.library.options.thumbnails?.maker else { return unsafe MediaKind.mayBegin(with: bytes) }
    return unsafe maker.mayBegin(with: bytes)
  }

  /// Removes one link from each derivative of a row.
  func dropLinks(of record: MediaRecord?) {
    if let record { files.dropLinks(of: record.derivatives) }
  }

  /// Records the name that a file has now: a file with a name that no photo has is looked at only on demand.
  func noteName(_ name: FileName, of inode: Inode) {
    guard inode.isRegular else { return }
    inode.isHidden = name.isNoPhoto
    do throws(Errno) {
      try files.withIndex { index throws(IndexError) in
        guard let state = try index.media.row(inode.number)?.state else { return }
        if inode.isHidden, state == .pending { try index.media.setMediaState(of: inode.number, to: .hidden) }
        if !inode.isHidden, state == .hidden { try index.media.setMediaState(of: inode.number, to: .pending) }
        // It lost its row with its last name.
        if !inode.isHidden, state == .known || state == .failed, index.hasCatalog,
          try index.catalog.item(inode.number) == nil
        {
          try index.catalog.addStale(inode.number, .look)
        }
      }
    } catch {
      // The rename has priority over this: a row that stays as it was costs one thumbnail too many or too few.
      return
    }
    inode.contentChanged = monotonicTime()
    files.signals[.sinkWork].signal()
  }

  /// Adds a link to each derivative of a row with the same content; false if one of them no longer exists.
  func share(_ record: MediaRecord) -> Bool {
    guard let derivatives = presentDerivatives(of: record) else { return false }
    for derivative in derivatives { files.addLink(to: derivative) }
    return true
  }

  /// Whether the derivatives can be shared: the content was examined, and all of them exist.
  func canShare(_ record: MediaRecord) -> Bool { record.state == .known && presentDerivatives(of: record) != nil }

  private func presentDerivatives(of record: MediaRecord) -> [Inode]? {
    let numbers = record.derivatives
    let derivatives = numbers.compactMap { try? files.inode($0) }.filter { $0.record.links > 0 }
    return derivatives.count == numbers.count ? derivatives : nil
  }
}

extension MediaRecord {
  /// The inodes of the JPEGs that were made.
  var derivatives: [InodeNumber] { [small, large].compactMap(\.self) }
}

extension FileName {
  /// Whether the name begins with a dot.
  package var isHidden: Bool { bytes.first == 0x2E }

  /// Whether a file of this name is not an independent photo or video: it is hidden, or it is the small picture (THM)
  /// or small video (LRV) that cameras write next to a video. Every look-up asks, so only the last bytes are
  /// compared.
  package var isNoPhoto: Bool {
    if isHidden { return true }
    let count = bytes.count
    guard count > 4, bytes[count - 4] == 0x2E else { return false }
    let last = (bytes[count - 3] | 0x20, bytes[count - 2] | 0x20, bytes[count - 1] | 0x20)
    return last == (0x74, 0x68, 0x6D) || last == (0x6C, 0x72, 0x76)
  }
}
