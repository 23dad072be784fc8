import Client
import Glibc
import System
import SystemPackage
import TestSupport
import Testing

@testable import Gallery

/// The trash, and back.
@Suite struct TrashTests {
  private let space: PlainSpace
  private let gallery: Gallery

  init() throws {
    space = try PlainSpace()
    gallery = try space.gallery()
  }

  private var trash: String { ".Trash-\(getuid())" }

  @Test func whatIsRestoredIsWhereItWas() throws {
    try space.folder.makeDirectory("space/A b%")
    try space.write([1], to: "A b%/ü.jpg")
    #expect(try gallery.trash([0], of: space.snapshot(["A b%/ü.jpg"])).isEmpty)
    #expect(try space.names("A b%") == [] && space.names(trash + "/files") == ["ü.jpg"])
    // The album goes meanwhile, and comes back with the photo.
    try systemCall { unsafe rmdir(space.path("A b%")) }
    let trashed = space.snapshot([trash + "/files/ü.jpg"])
    #expect(try gallery.trash([0], of: trashed).map(\.error.kind) == [.conflict])
    #expect(try gallery.restore([0], of: trashed).isEmpty)
    #expect(try space.read("A b%/ü.jpg") == [1])
    #expect(try space.names(trash + "/info") == [])
  }

  @Test func restoringReplacesNothing() throws {
    try space.write([1], to: "a.jpg")
    _ = try gallery.trash([0], of: space.snapshot(["a.jpg"]))
    try space.write([2], to: "a.jpg")
    #expect(try gallery.restore([0], of: space.snapshot([trash + "/files/a.jpg"])).isEmpty)
    #expect(try space.read("a.jpg") == [2] && space.read("a (2).jpg") == [1])
  }

  @Test func aPhotoOfADeletedAlbumComesBackAlone() throws {
    for name in ["space/A", "space/A/B"] { try space.folder.makeDirectory(name) }
    try space.write([1], to: "A/B/1.jpg")
    try space.write([2], to: "A/2.jpg")
    try gallery.deleteAlbum(SpacePath(Array("A".utf8)))
    #expect(try gallery.restore([0], of: space.snapshot([trash + "/files/A/B/1.jpg"])).isEmpty)
    #expect(try space.read("A/B/1.jpg") == [1] && space.read(trash + "/files/A/2.jpg") == [2])
    #expect(try space.names(trash + "/info") == ["A.trashinfo"])
  }

  @Test func infoThatLeadsOutIsRefused() throws {
    try space.write([1], to: "a.jpg")
    _ = try gallery.trash([0], of: space.snapshot(["a.jpg"]))
    let snapshot = space.snapshot([trash + "/files/a.jpg"])
    for path in [
      "../x", "/etc/x", "a/../../x", "", ".agonyfs/query", ".Trash-0/files/y", "a%00b", "%2e%2e/x", "a//b", "%zz",
    ] {
      try space.write(Array("[Trash Info]\nPath=\(path)\n".utf8), to: trash + "/info/a.jpg.trashinfo")
      let failures = try gallery.restore([0], of: snapshot)
      #expect(failures.count == 1, "\(path)")
      #expect(try space.read(trash + "/files/a.jpg") == [1], "\(path)")
    }
    try systemCall { unsafe unlink(space.path(trash + "/info/a.jpg.trashinfo")) }
    #expect(try gallery.restore([0], of: snapshot).map(\.error.kind) == [.conflict])
  }

  @Test func aTrashThatIsALinkIsNotUsed() throws {
    try space.folder.makeDirectory("elsewhere")
    try systemCall { unsafe symlink("../elsewhere", space.path(trash)) }
    try space.write([1], to: "a.jpg")
    #expect(kind { _ = try gallery.trash([0], of: space.snapshot(["a.jpg"])) } == .forbidden)
    #expect(try space.read("a.jpg") == [1])
    #expect(try Directory.names(in: space.folder.path("elsewhere")).isEmpty)
  }
}
