// Invariants
// 1. A number in a snapshot stands for the file that was shown, not for the file that has its name now: no other file
//    is changed, moved or returned. Thumbnails and the video of a photo are found by name, and are returned only while
//    that name leads to the file that was shown.

internal import Client
internal import Glibc
internal import HostFiles
internal import System
internal import SystemPackage

extension Gallery {
  static let replaced = GalleryError(
    .conflict, "Another file has this name now, so nothing was done; load the list again.")

  /// Throws unless the status is that of the snapshot's file. A space contains no mounts, so the inode identifies the
  /// file.
  static func check(_ status: FileStatus, is item: SnapshotItem) throws {
    guard status.kind == .file else { throw Errno.noSuchFileOrDirectory }
    guard status.inode == item.inode else { throw replaced }
  }

  /// Throws unless the path of a photo still leads to the file that was shown.
  func check(_ item: SnapshotItem) throws {
    let (directory, name) = try root.place(of: item.path.bytes)
    try Self.check(try calls.status(of: name, in: directory), is: item)
  }

  func opened(_ item: SnapshotItem) throws -> (file: Descriptor, status: FileStatus) {
    let file = try root.open(item.path.bytes, O_RDONLY)
    let status = try calls.status(of: file)
    try Self.check(status, is: item)
    return (file, status)
  }

  /// Opens a form of a photo of a snapshot.
  ///
  /// - Throws: `.notFound` if the photo does not have this form; `.conflict` if another file has its name now.
  public func open(_ form: ItemForm, _ index: Int, of snapshot: Snapshot) throws(GalleryError) -> ItemContent {
    let item = try snapshot.item(index)
    let content: ItemContent
    if snapshot.hasOtherFiles {
      // The catalog does not know such a file, and browsers may only save it.
      guard form == .original else { throw GalleryError(.notFound, "This file does not have this form.") }
      content = try original(item.path, kind: nil)
    } else {
      content = try open(form, of: item.path)
    }
    try GalleryError.of(snapshot.thing) {
      // Previews and videos of a photo are found by its name.
      if form == .original, content.inode != item.inode { throw Self.replaced }
      try check(item)
    }
    return content
  }

  /// The thumbnail of a photo of a snapshot, as `thumbnail(of:pixels:)` returns it.
  ///
  /// - Throws: `.notFound` or `.conflict`, as `open`.
  public func thumbnail(_ index: Int, of snapshot: Snapshot, pixels: Int) throws(GalleryError) -> [UInt8]? {
    let item = try snapshot.item(index)
    let picture = try thumbnail(of: item.path, pixels: pixels)
    try GalleryError.of("The photo") { try check(item) }
    return picture
  }

  /// All facts of a photo of a snapshot, and its record.
  ///
  /// - Throws: `.notFound` or `.conflict`, as `open`.
  public func facts(
    _ index: Int, of snapshot: Snapshot
  ) throws(GalleryError) -> (sections: [FactSection], item: ListedItem) {
    let item = try snapshot.item(index)
    let facts = try record(of: item.path)
    try GalleryError.of("The photo") { try check(item) }
    return (Self.shown(facts), ListedItem(index: index, name: item.path.name, facts: facts))
  }
}
