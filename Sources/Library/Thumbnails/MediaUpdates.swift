// Which contents have been looked at, and what was made of them.
//
// Invariants
// 1. What `media` says of a file is of its present content: every change of content makes the row one that waits, in
//    the same operation. A file without a row begins as no photo does, or nothing was written to it.
// 2. A derivative is an inode without a name. Its link count is the number of rows of `media` that point at it.
// 3. `Inode.isMediaPending` is set only where the row says that the content is still to be looked at.

internal import Albums
internal import Catalog
package import Index
internal import Media
internal import System
internal import SystemPackage
internal import Vault

extension MediaUpdates {
  /// Notes that a file's content is about to change. Its derivatives lose their links.
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

  /// Lets a content be looked at as if nothing were known of it. Its derivatives lose their links.
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

  /// The same, for a write. A file that begins as no photo or video does needs no row: there is nothing to look at.
  func noteWrite(_ inode: Inode, at offset: Int64, _ bytes: UnsafeRawBufferPointer) throws(Errno) {
    let size = MediaKind.beginningSize
    if files.catalogUpdates.isSidecar(inode) {
      inode.contentChanged = monotonicTime()
      files.catalogUpdates.noteSidecarChange(inode)
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
    guard let maker = files.library.options.thumbnails?.maker else { return unsafe MediaKind.mayBegin(with: bytes) }
    return unsafe maker.mayBegin(with: bytes)
  }

  /// Removes one link from each derivative that a row pointed at.
  func dropLinks(of record: MediaRecord?) {
    if let record { files.dropLinks(of: record.derivatives) }
  }

  /// Notes the name that a file has now: what has the name of no photo is not looked at by itself.
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
      // The name counts, not this: a row that stays as it was costs a thumbnail too many or too few.
      return
    }
    inode.contentChanged = monotonicTime()
    files.signals[.sinkWork].signal()
  }

  /// Adds a link to each derivative that a row of the same content points at; false when one is gone.
  func share(_ record: MediaRecord) -> Bool {
    guard let derivatives = presentDerivatives(of: record) else { return false }
    for derivative in derivatives { files.addLink(to: derivative) }
    return true
  }

  /// Whether they can be shared: it is known what the content is, and none is gone.
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

  /// Whether a file of this name is no photo or video of its own: what is hidden, and the small picture (THM) and the small
  /// video (LRV) that cameras write beside a video. Every look-up asks, so only the last bytes count.
  package var isNoPhoto: Bool {
    if isHidden { return true }
    let count = bytes.count
    guard count > 4, bytes[count - 4] == 0x2E else { return false }
    let last = (bytes[count - 3] | 0x20, bytes[count - 2] | 0x20, bytes[count - 1] | 0x20)
    return last == (0x74, 0x68, 0x6D) || last == (0x6C, 0x72, 0x76)
  }
}
