import AlbumsSupport
import Catalog
import Index
import Media
import SystemPackage
import Testing

@testable import Albums
@testable import Library
@testable import Vault

/// Covers, thumbnails in views, whole pictures and motion photos, without the kernel.
@Suite struct CoverTests {
  let fixture: ViewFixture
  var files: FileSystem { fixture.files }

  init() throws { fixture = try ViewFixture() }

  private func choose(_ cover: String, of album: InodeNumber) throws {
    try files.setAttribute("user.agonyfs.cover", of: album, to: Array(cover.utf8))
  }

  @Test func coverIsTheNewestPhotoOrTheChosenOne() throws {
    let album = try files.folder("2024")
    let inner = try files.folder("Summer", in: album)
    try fixture.photo("old.jpg", in: inner, fixture.taken(2024, 6, 1))
    try fixture.photo("new.jpg", in: inner, fixture.taken(2024, 8, 15))
    try fixture.photo("film.mp4", in: inner) { item in
      fixture.taken(2024, 9, 1)(&item)
      item.kind = .mp4
    }
    try fixture.photo("no time.jpg", in: inner)
    _ = try files.folder("empty")
    #expect(try fixture.list("covers") == ["2024", "2024.jpg"])
    #expect(try fixture.list("covers/2024", part: 1) == ["Summer", "Summer.jpg"])
    #expect(try fixture.read("covers/2024/Summer.jpg") == "large photo new.jpg")
    // An album without photos of its own has the newest below it.
    #expect(try fixture.read("covers/2024.jpg") == "large photo new.jpg")
    try choose("old.jpg", of: inner)
    #expect(try fixture.read("covers/2024/Summer.jpg") == "large photo old.jpg")
    let attributes = try fixture.tree.attributes(of: fixture.node("covers/2024/Summer.jpg"))
    #expect(attributes.mode == FileKind.regular | 0o400)
    #expect(attributes.size == Int64("large photo old.jpg".utf8.count))
    // What is not there, or no photo, is not chosen.
    for name in ["gone.jpg", "../old.jpg", ""] {
      try choose(name, of: inner)
      #expect(try fixture.read("covers/2024/Summer.jpg") == "large photo new.jpg")
    }
    for path in ["empty.jpg", "2024/old.jpg", "2025.jpg", ".jpg"] {
      expect(.noSuchFileOrDirectory) { _ = try fixture.node("covers/" + path) }
    }
    try files.close()
  }

  @Test func theChosenCoverIsFoundUnderAnotherName() throws {
    let album = try files.folder("album")
    let trash = try files.folder(".Trash-1000")
    let old = try fixture.photo("old.jpg", in: album, fixture.taken(2020, 1, 1))
    try fixture.photo("new.jpg", in: album, fixture.taken(2024, 1, 1))
    try choose("old.jpg/\(old.rawValue)", of: album)
    #expect(try fixture.read("covers/album.jpg") == "large photo old.jpg")
    try files.rename(.of("old.jpg"), in: album, to: .of("renamed.jpg"), in: album, flags: [])
    #expect(try fixture.read("covers/album.jpg") == "large photo old.jpg")
    // It goes, and comes back.
    try files.rename(.of("renamed.jpg"), in: album, to: .of("old.jpg"), in: trash, flags: [])
    #expect(try fixture.read("covers/album.jpg") == "large photo new.jpg")
    try files.rename(.of("old.jpg"), in: trash, to: .of("back.jpg"), in: album, flags: [])
    #expect(try fixture.read("covers/album.jpg") == "large photo old.jpg")
    // An editor that writes a file anew gives it another inode under the same name.
    try choose("new.jpg/\(old.rawValue)", of: album)
    #expect(try fixture.read("covers/album.jpg") == "large photo new.jpg")
    for inode in ["0", "x", "99999999999999999999", "-1"] {
      try choose("none.jpg/\(inode)", of: album)
      #expect(try fixture.read("covers/album.jpg") == "large photo new.jpg")
    }
    try files.close()
  }

  @Test func coverIsNoPhotoThatIsThrownAwayOrClosedToTheOwner() throws {
    let trash = try files.folder(".Trash-1000")
    try fixture.photo("gone.jpg", in: trash)
    let album = try files.folder("album")
    try fixture.photo("seen.jpg", in: album, fixture.taken(2020, 1, 1))
    try fixture.closedPhoto(in: album, fixture.taken(2024, 1, 1))
    #expect(try fixture.list("covers") == ["album", "album.jpg"])
    #expect(try fixture.list("covers/album") == [])
    expect(.noSuchFileOrDirectory) { _ = try fixture.node("covers/album/closed.jpg") }
    expect(.noSuchFileOrDirectory) { _ = try fixture.node("covers/.Trash-1000.jpg") }
    try files.close()
  }

  /// A file manager looks for a link's thumbnail beside the link.
  @Test func linksHaveThumbnails() throws {
    let folders = [try files.folder("a"), try files.folder("b")]
    let photo = try fixture.photo("one two.jpg", in: folders[0]) { $0.words.isFavourite = true }
    try files.change(photo) { $0.modified = .at(Timestamp(seconds: 1_500_000_000, nanoseconds: 0)) }
    try fixture.describe(photo) { $0.words.isFavourite = true }
    // MD5 of "./one%20two.jpg" and of "one%20two.jpg", by md5sum.
    for name in ["c78cf30b64a17ceb00ca5cf438a47589", "388d64fe6f4fc6cddb950a221740f1ab"] {
      #expect(
        try fixture.read("views/favourites/.sh_thumbnails/normal/\(name).png")
          == "png 128 Thumb::URI=./one%20two.jpg Thumb::MTime=1500000000 small photo one two.jpg")
    }
    expect(.noSuchFileOrDirectory) {
      _ = try fixture.node("views/favourites/.sh_thumbnails/normal/" + String(repeating: "0", count: 32) + ".png")
    }
    expect(.noSuchFileOrDirectory) { _ = try fixture.node("views/.sh_thumbnails") }
    #expect(try fixture.list("views/favourites") == ["one two.jpg"])
    // With a second of the name, links have others.
    try fixture.photo("one two.jpg", in: folders[1]) { $0.words.isFavourite = true }
    let marked = "one two~\(photo.rawValue).jpg"
    #expect(try fixture.list("views/favourites").contains(marked))
    let digest = try #require(NameDigests.digests(of: .of(marked)).first)
    let name = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(try fixture.read("views/favourites/.sh_thumbnails/normal/\(name).png").contains("one%20two~"))
    try files.close()
  }

  @Test func duplicatesAreDirectories() throws {
    let folders = [try files.folder("a"), try files.folder("b")]
    let first = try fixture.photo("x.jpg", in: folders[0], content: "same")
    let second = try fixture.photo("x.jpg", in: folders[1], content: "same")
    try fixture.photo("y.jpg", content: "other")
    let group = "views/duplicates/x~\(first.rawValue)"
    #expect(try fixture.list("views/duplicates") == ["x~\(first.rawValue)"])
    #expect(try fixture.list(group) == ["x~\(first.rawValue).jpg", "x~\(second.rawValue).jpg"])
    #expect(try fixture.target(group + "/x~\(second.rawValue).jpg") == "../../../../b/x.jpg")
    expect(.noSuchFileOrDirectory) { _ = try fixture.node("views/duplicates/y") }
    try files.setAttribute("user.agonyfs.distinct", of: first, to: [0x31])
    #expect(try fixture.list("views/duplicates") == [])
    try files.close()
  }

  @Test func wholePicturesAreMadeOfWhatFewProgramsRead() throws {
    let album = try files.folder("album")
    let plain = try fixture.photo("a.jpg", in: album)
    #expect(try fixture.read("thumbnails/full/album/a.jpg") == "photo a.jpg")
    #expect(try fixture.tree.attributes(of: .full(plain)).size == 11)
    let raw = try fixture.photo("b.cr2", in: album)
    try setKind(.raw, of: raw)
    #expect(try fixture.tree.attributes(of: .full(raw)).size == 0)
    #expect(try fixture.read("thumbnails/full/album/b.cr2") == "full 11")
    #expect(try fixture.tree.attributes(of: .full(raw)).size == 7)
    let film = try fixture.photo("c.mp4", in: album)
    try setKind(.mp4, of: film)
    try files.put(Array("text".utf8), try files.make("notes.txt", in: album))
    try files.waitUntilNothingIsPending()
    for name in ["c.mp4", "notes.txt", "none"] {
      expect(.noSuchFileOrDirectory) { _ = try fixture.node("thumbnails/full/album/" + name) }
    }
    #expect(try fixture.list("thumbnails/full/album", part: 1) == ["a.jpg", "b.cr2"])
    #expect(try fixture.list("thumbnails/full") == ["album"])
    #expect(fixture.tree.openFileCount == 0 && files.openFileCount == 0)
    try files.close()
  }

  private func setKind(_ kind: MediaKind, of inode: InodeNumber) throws {
    try files.changing { files throws(Errno) in
      try files.withIndex { index throws(IndexError) in
        guard var row = try index.media.row(inode) else { return }
        row.kind = Int64(kind.rawValue)
        try index.media.setMedia(row)
      }
    }
  }

  @Test func motionPhotosHaveTheirVideo() throws {
    let album = try files.folder("album")
    let photo = try fixture.photo("m.jpg", in: album, content: "picture+video") { $0.links.motion = 14..<19 }
    try fixture.photo("plain.jpg", in: album)
    // A fact that cannot be.
    try fixture.photo("liar.jpg", in: album) { $0.links.motion = 4..<5000 }
    #expect(try fixture.read("motion/album/m.jpg") == "video")
    #expect(try fixture.read("motion/album/m.jpg.mp4") == "video")
    #expect(try fixture.tree.attributes(of: .motion(photo)).size == 5)
    for name in ["plain.jpg", "liar.jpg", "plain.jpg.mp4", "none"] {
      expect(.noSuchFileOrDirectory) { _ = try fixture.node("motion/album/" + name) }
    }
    #expect(try fixture.list("motion/album", part: 1) == ["m.jpg"])
    #expect(files.openFileCount == 0)
    try files.close()
  }
}
