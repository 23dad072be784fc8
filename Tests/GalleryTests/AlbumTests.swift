import Client
import Glibc
import System
import SystemPackage
import TestSupport
import Testing

@testable import Gallery

/// Making and filling albums.
@Suite struct AlbumTests {
  private func path(_ text: String) throws -> SpacePath { try SpacePath(Array(text.utf8)) }

  @Test func albumsAreMadeAndRenamedButNeverReplaced() throws {
    let space = try PlainSpace()
    let gallery = try space.gallery()
    let summer = try gallery.makeAlbum(Array("Summer".utf8), in: .root)
    #expect(try gallery.makeAlbum(Array("Lake".utf8), in: summer) == path("Summer/Lake"))
    #expect(kind { _ = try gallery.makeAlbum(Array("Summer".utf8), in: .root) } == .exists)
    try space.write([1], to: "photo.jpg")
    #expect(kind { _ = try gallery.makeAlbum(Array("photo.jpg".utf8), in: .root) } == .exists)
    #expect(kind { _ = try gallery.makeAlbum(Array("x".utf8), in: try path("photo.jpg")) } == .notFound)
    #expect(kind { _ = try gallery.makeAlbum(Array("x".utf8), in: try path("none")) } == .notFound)
    for (name, reason) in [
      ("", GalleryError.Kind.emptyName), (".hidden", .badName), ("a/b", .badName), ("..", .badName),
      (".agonyfs", .badName), (String(repeating: "ü", count: 128), .nameTooLong),
    ] {
      #expect(kind { _ = try gallery.makeAlbum(Array(name.utf8), in: .root) } == reason, "\(name)")
      #expect(kind { _ = try gallery.renameAlbum(summer, to: Array(name.utf8)) } == reason, "\(name)")
    }
    _ = try gallery.makeAlbum(Array("Winter".utf8), in: .root)
    #expect(kind { _ = try gallery.renameAlbum(summer, to: Array("Winter".utf8)) } == .exists)
    #expect(try gallery.renameAlbum(summer, to: Array("Summer".utf8)) == summer)
    #expect(try gallery.renameAlbum(summer, to: Array("2019".utf8)) == path("2019"))
    #expect(try space.names("2019") == ["Lake"])
    for wrong in ["", ".Trash-0", "photo.jpg", "none"] {
      #expect(kind { try gallery.deleteAlbum(try path(wrong)) } != nil, "\(wrong)")
    }
  }

  @Test func addingGivesAFurtherNameAndNoCopy() throws {
    let space = try PlainSpace()
    let gallery = try space.gallery()
    for name in ["A", "B", "C"] { _ = try gallery.makeAlbum(Array(name.utf8), in: .root) }
    try space.write([1], to: "A/x.jpg")
    try space.write([2], to: "B/x.jpg")
    let snapshot = space.snapshot(["A/x.jpg", "B/x.jpg", "A/none.jpg"])
    #expect(try gallery.add([0, 1], of: snapshot, to: path("C")).isEmpty)
    #expect(try space.names("C") == ["x (2).jpg", "x.jpg"])
    // Once more changes nothing.
    #expect(try gallery.add([0, 1, 2], of: snapshot, to: path("C")).map(\.index) == [2])
    #expect(try space.names("C").count == 2)
    try space.write([3], to: "A/x.jpg")
    #expect(try space.read("C/x.jpg") == [3] && space.read("C/x (2).jpg") == [2])
    #expect(kind { _ = try gallery.add([0], of: snapshot, to: try path(".Trash-0")) } == .badRequest)
  }
}
