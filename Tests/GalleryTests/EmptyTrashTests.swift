import Client
import Glibc
import HostFiles
import System
import SystemPackage
import TestSupport
import Testing

@testable import Gallery

/// Emptying the trash for good.
@Suite struct EmptyTrashTests {
  private let space: PlainSpace
  private let gallery: Gallery

  init() throws {
    space = try PlainSpace()
    gallery = try space.gallery()
  }

  private var trash: String { ".Trash-\(getuid())" }

  private func throwAway(_ names: String...) throws {
    #expect(try gallery.trash(Array(names.indices), of: space.snapshot(names)).isEmpty)
  }

  /// Deletes what was listed, a few at a time; why some of it was not.
  private func empty(_ listing: TrashListing) throws -> [GalleryError] {
    var failures: [GalleryError] = []
    var left = listing.count
    while left > 0 {
      let done = try gallery.delete(2, of: listing)
      #expect(done.left < left)
      left = done.left
      failures += done.failures
    }
    return failures
  }

  @Test func everythingThatWasListedGoes() throws {
    for name in ["space/A", "space/A/B", "space/A/C", "space/D"] { try space.folder.makeDirectory(name) }
    try space.write([1, 2, 3], to: "A/B/1.jpg")
    try space.write([4], to: "A/2.txt")
    try space.write([5, 6], to: "x.jpg")
    try systemCall { unsafe symlink("../../..", space.path("A/link")) }
    // It has a name in an album that stays.
    try systemCall { unsafe link(space.path("x.jpg"), space.path("D/x.jpg")) }
    // Two names of one file.
    try systemCall { unsafe link(space.path("A/2.txt"), space.path("A/3.txt")) }
    try throwAway("x.jpg")
    try gallery.deleteAlbum(SpacePath(Array("A".utf8)))
    let listing = try gallery.trashListing()
    #expect(listing.count == 8 && listing.files == 4 && listing.shared == 1)
    #expect(listing.bytes == 3 + 1 + Int64("../../..".utf8.count))
    #expect(try empty(listing).isEmpty)
    #expect(try space.names(trash + "/files") == [] && space.names(trash + "/info") == [])
    #expect(try space.read("D/x.jpg") == [5, 6])
    #expect(try gallery.trashListing().count == 0)
    #expect(try gallery.delete(of: listing).left == 0)
  }

  @Test func whatCameAfterTheQuestionStays() throws {
    try space.folder.makeDirectory("space/A")
    try space.write([1], to: "A/1.jpg")
    for name in ["a.jpg", "b.jpg", "c.jpg"] { try space.write([2], to: name) }
    try throwAway("a.jpg", "b.jpg")
    try gallery.deleteAlbum(SpacePath(Array("A".utf8)))
    let listing = try gallery.trashListing()
    #expect(listing.files == 3)
    // A new one, one in an album that was listed, one that is restored, and another one of its name.
    try throwAway("c.jpg")
    try space.write([3], to: trash + "/files/A/2.jpg")
    #expect(try gallery.restore([0], of: space.snapshot([trash + "/files/b.jpg"])).isEmpty)
    try space.write([4], to: "new")
    try systemCall { unsafe rename(space.path("new"), space.path(trash + "/files/b.jpg")) }
    try space.write([], to: trash + "/info/b.jpg.trashinfo")
    #expect(try empty(listing).isEmpty)
    #expect(try space.names(trash + "/files") == ["A", "b.jpg", "c.jpg"])
    #expect(try space.names(trash + "/files/A") == ["2.jpg"])
    #expect(try space.names(trash + "/info") == ["A.trashinfo", "b.jpg.trashinfo", "c.jpg.trashinfo"])
    #expect(try space.read("b.jpg") == [2] && space.read(trash + "/files/b.jpg") == [4])
  }

  @Test func whatCannotBeDeletedIsSaidAndStays() throws {
    for name in ["a.jpg", "b.jpg"] { try space.write([1], to: name) }
    try throwAway("a.jpg", "b.jpg")
    let listing = try gallery.trashListing()
    let calls = Counter()
    space.fail { $0 == .unlink && calls.next() == 0 ? .notPermitted : nil }
    #expect(try empty(listing).map(\.kind) == [.forbidden])
    space.fail(nil)
    let left = try space.names(trash + "/files")
    let notes = try space.names(trash + "/info")
    #expect(left.count == 1 && notes == left.map { $0 + ".trashinfo" })
    // What would fail for all ends it.
    let other = try gallery.trashListing()
    space.fail { $0 == .unlink ? .readOnlyFileSystem : nil }
    #expect(kind { _ = try gallery.delete(of: other) } == .readOnly)
    #expect(try space.names(trash + "/files") == left)
  }

  @Test func nothingElseIsDeleted() throws {
    try space.folder.makeDirectory("space/.Trash-4294967294")
    try space.folder.makeDirectory("space/.Trash-4294967294/files")
    try space.write([1], to: ".Trash-4294967294/files/theirs.jpg")
    try space.write([2], to: "kept.jpg")
    try throwAway("kept.jpg")
    // A directory that becomes a link to the photos.
    try space.folder.makeDirectory("space/" + trash + "/files/A")
    try space.write([3], to: trash + "/files/A/1.jpg")
    try space.folder.makeDirectory("space/B")
    let listing = try gallery.trashListing()
    #expect(listing.files == 2)
    try systemCall { unsafe rename(space.path(trash + "/files/A"), space.path("A")) }
    try systemCall { unsafe symlink("../../A", space.path(trash + "/files/A")) }
    #expect(try empty(listing).map(\.kind) == [.notFound])
    #expect(try space.read("A/1.jpg") == [3] && space.read(".Trash-4294967294/files/theirs.jpg") == [1])
    #expect(try space.names(trash + "/files") == ["A"])
    // The trash itself is a link.
    try systemCall { unsafe rename(space.path(trash), space.path("old")) }
    try systemCall { unsafe symlink("B", space.path(trash)) }
    #expect(kind { _ = try gallery.trashListing() } == .forbidden)
    #expect(kind { _ = try gallery.delete(of: listing) } == .forbidden)
  }
}
