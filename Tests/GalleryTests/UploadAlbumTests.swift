import Glibc
import TestSupport
import Testing

@testable import Gallery

/// Albums that are renamed, moved or deleted while files are sent to them.
@Suite struct UploadAlbumTests: SendsUploads {
  /// What is sent to the album "Trip", from the first byte to the path of the file; `change` comes in its middle.
  private func sent(
    _ name: String, path: String = "", to gallery: Gallery, _ change: () throws -> Void = {}
  ) throws -> String {
    let content = bytes(2000)
    let began = try gallery.uploads.begin(description(2000, name, album: "Trip", path: path))
    try send(content[..<1000], began.identifier, at: 0, gallery)
    try change()
    let done = try send(content[1000...], began.identifier, at: 1000, gallery)
    // It is found again as well.
    #expect(try gallery.uploads.status(of: began.identifier) == done)
    return String(decoding: done.path?.bytes ?? [], as: UTF8.self)
  }

  private func move(_ space: PlainSpace, _ old: String, to new: String) {
    let status = unsafe rename(space.path(old), space.path(new))
    #expect(status == 0)
  }

  @Test func oneThatIsRenamedGetsTheRest() throws {
    let space = try PlainSpace()
    for name in ["Trip", "Years"] { try space.folder.makeDirectory("space/" + name) }
    let gallery = try space.gallery()
    #expect(try sent("a.jpg", to: gallery) { move(space, "Trip", to: "Italy") } == "Italy/a.jpg")
    // The page names it as before until it is asked for anew, also in folders that are not there yet.
    #expect(try sent("b.jpg", to: gallery) == "Italy/b.jpg")
    #expect(try sent("c.jpg", path: "Day 1/c.jpg", to: gallery) == "Italy/Day 1/c.jpg")
    #expect(try sent("d.jpg", to: gallery) { move(space, "Italy", to: "Years/Italy") } == "Years/Italy/d.jpg")
    #expect(try space.names("Years/Italy") == ["Day 1", "a.jpg", "b.jpg", "d.jpg"])
    #expect(try space.names(".") == [".agonyfs", "Years"])
    // One that has the name by now is the one that is meant.
    try space.folder.makeDirectory("space/Trip")
    #expect(try sent("e.jpg", to: gallery) == "Trip/e.jpg")
  }

  @Test(arguments: ["the trash", "nowhere", "another session"]) func oneThatIsGoneIsMadeAnew(how: String) throws {
    let space = try PlainSpace()
    for name in ["Trip", ".Trash-0", ".Trash-0/files"] { try space.folder.makeDirectory("space/" + name) }
    var gallery = try space.gallery()
    switch how {
    case "the trash":
      #expect(try sent("a.jpg", to: gallery) { move(space, "Trip", to: ".Trash-0/files/Trip") } == "Trip/a.jpg")
    case "nowhere":
      #expect(try sent("a.jpg", to: gallery) { _ = unsafe rmdir(space.path("Trip")) } == "Trip/a.jpg")
    default:
      #expect(try sent("b.jpg", to: gallery) == "Trip/b.jpg")
      move(space, "Trip", to: "Italy")
      gallery = try space.gallery()
      #expect(try sent("a.jpg", to: gallery) == "Trip/a.jpg")
    }
    #expect(try space.names("Trip") == ["a.jpg"])
  }
}
