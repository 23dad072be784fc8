// Invariants
// 1. A number in a snapshot stands for the file that was shown, not for whatever has its name by now: nothing else is
//    changed, moved or given away. What was made of it, and the video that belongs to it, are found by their names, and
//    are given only while that file has its own.

internal import Client
internal import Glibc
internal import HostFiles
internal import System
internal import SystemPackage

extension Gallery {
  static let replaced = GalleryError(
    .conflict, "Another file has this name by now, so nothing was done; load the list again.")

  /// Refuses what is not the file of a snapshot. Nothing is mounted in a space, so that its inode says which it is.
  static func check(_ status: FileStatus, is item: SnapshotItem) throws {
    guard status.kind == .file else { throw Errno.noSuchFileOrDirectory }
    guard status.inode == item.inode else { throw replaced }
  }

  /// Refuses a photo whose path leads to something else than when it was shown.
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

  /// Opens a content of a photo of a snapshot.
  ///
  /// - Throws: `.notFound` if there is none of this form; `.conflict` if another file has its name by now.
  public func open(_ form: ItemForm, _ index: Int, of snapshot: Snapshot) throws(GalleryError) -> ItemContent {
    let item = try snapshot.item(index)
    let content: ItemContent
    if snapshot.hasOtherFiles {
      // The catalog knows nothing of it, and no browser shows it, whatever it is.
      guard form == .original else { throw GalleryError(.notFound, "There is no such form of this file.") }
      content = try original(item.path, kind: nil)
    } else {
      content = try open(form, of: item.path)
    }
    try GalleryError.of(snapshot.thing) {
      // What is made of a photo is found by its name.
      if form == .original, content.inode != item.inode { throw Self.replaced }
      try check(item)
    }
    return content
  }

  /// The thumbnail of a photo of a snapshot, as `thumbnail(of:pixels:)` gives it.
  ///
  /// - Throws: as `open`.
  public func thumbnail(_ index: Int, of snapshot: Snapshot, pixels: Int) throws(GalleryError) -> [UInt8]? {
    let item = try snapshot.item(index)
    let picture = try thumbnail(of: item.path, pixels: pixels)
    try GalleryError.of("The photo") { try check(item) }
    return picture
  }

  /// All facts of a photo of a snapshot, and what a grid shows of it.
  ///
  /// - Throws: as `open`.
  public func facts(
    _ index: Int, of snapshot: Snapshot
  ) throws(GalleryError) -> (sections: [FactSection], item: ListedItem) {
    let item = try snapshot.item(index)
    let facts = try record(of: item.path)
    try GalleryError.of("The photo") { try check(item) }
    return (Self.shown(facts), ListedItem(index: index, name: item.path.name, facts: facts))
  }
}
