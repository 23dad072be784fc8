import AlbumsSupport
import Catalog
import Index
import Media
import Synchronization
import TestSupport
import Testing
import Vault

@testable import Albums
@testable import Library

/// Files of one directory that belong together.
@Suite struct CatalogMatchingTests {
  private let vault: CatalogVault
  /// What the files of a stack say.
  private let facts = "make=Canon;taken=2020-01-01T10:00:00"

  init() throws { vault = try CatalogVault() }

  @Test func sidecarsSpeakForPhotos() throws {
    let photo = try vault.photo("a.jpg", "title=inside;make=Canon")
    let other = try vault.photo("b.jpg", "title=other")
    let sidecar = try vault.text("a.jpg.xmp", "title=beside;tags=t")
    var item = try #require(try vault.item(photo))
    #expect(item.words.title == "beside" && item.words.tags == ["t"] && item.camera.make == "Canon")
    #expect(item.links.sidecar == sidecar.rawValue && item.sources[.title] == FactSources(.sidecar))
    #expect(try vault.item(other)?.words.title == "other")
    // It is written again.
    try vault.text("a.jpg.xmp", "title=again")
    item = try #require(try vault.item(photo))
    #expect(item.words.title == "again" && item.words.tags == [])
    // It gets another name, and with it another photo.
    try vault.files.rename(.of("a.jpg.xmp"), in: .root, to: .of("b.jpg.xmp"), in: .root, flags: [])
    try vault.settle()
    #expect(try vault.item(photo)?.words.title == "inside")
    #expect(try vault.item(other)?.words.title == "again")
    try vault.files.unlink(.of("b.jpg.xmp"), in: .root)
    try vault.settle()
    #expect(try vault.item(other)?.words.title == "other")
    #expect(try vault.item(other)?.links.sidecar == nil)
    try vault.files.close()
  }

  /// A sidecar that not everybody may read who may read the photo says nothing about it.
  @Test func closedSidecarsAreSilent() throws {
    let photo = try vault.photo("a.jpg", "title=inside")
    let sidecar = try vault.text("a.jpg.xmp", "title=beside")
    #expect(try vault.item(photo)?.words.title == "beside")
    for (mode, title) in [(0o600, "inside"), (0o644, "beside")] as [(UInt32, String)] {
      try vault.files.change(sidecar) { $0.mode = mode }
      try vault.settle()
      #expect(try vault.item(photo)?.words.title == title)
    }
    try vault.files.close()
  }

  /// A sidecar that was there before its photo, and one without a photo.
  @Test func sidecarsWait() throws {
    let album = try vault.files.folder("album")
    try vault.text("a.xmp", "title=beside", in: album)
    try vault.text("none.xmp", "title=nobody", in: album)
    let photo = try vault.photo("a.jpg", in: album)
    #expect(try vault.item(photo)?.words.title == "beside")
    try vault.vault.reopen()
    #expect(try vault.item(photo)?.words.title == "beside")
    let reads = vault.maker.read
    try vault.settle()
    #expect(vault.maker.read == reads)
    try vault.files.close()
  }

  /// A sidecar says in itself whether it is of the raw file or of the picture beside that.
  @Test func sidecarsAreOfTheFileWhoseEndingTheySay() throws {
    let raw = try vault.photo("a.CR3", "raw!")
    let photo = try vault.photo("a.JPG")
    for (ending, titles) in [("CR3", ["beside", nil]), ("JPG", [nil, "beside"]), ("NEF", [nil, nil])]
      as [(String, [String?])]
    {
      try vault.text("a.xmp", "title=beside;ending=\(ending)")
      #expect(try [raw, photo].map { try vault.item($0)?.words.title } == titles, "\(ending)")
    }
    try vault.files.close()
  }

  @Test func stacksAreFoundAndTheUserDecides() throws {
    let photo = try vault.photo("IMG_1.jpg", facts)
    let raw = try vault.photo("IMG_1.CR2", facts + ";raw!")
    let third = try vault.photo("x.jpg")
    let stack = StackMembership(stack: photo.rawValue, kind: .raw, isCover: true)
    #expect(try vault.item(photo)?.links.stack == stack)
    #expect(try vault.item(raw)?.links.stack == StackMembership(stack: photo.rawValue, kind: .raw, isCover: false))
    #expect(try vault.item(third)?.links.stack == nil)
    // It is taken apart, and stays so.
    try vault.set("user.agonyfs.stack", of: raw, to: "apart")
    #expect(try vault.item(photo)?.links.stack == nil && vault.item(raw)?.links.stack == nil)
    try vault.vault.reopen()
    #expect(try vault.item(raw)?.links.stack == nil)
    // The user puts others together.
    for file in [photo, third] { try vault.set("user.agonyfs.stack", of: file, to: "trip") }
    #expect(try vault.item(third)?.links.stack?.kind == .manual)
    #expect(try vault.item(photo)?.links.stack?.stack == vault.item(third)?.links.stack?.stack)
    // One of them goes.
    try vault.files.unlink(.of("x.jpg"), in: .root)
    #expect(try vault.item(photo)?.links.stack == nil)
    try vault.files.removeExtendedAttribute(Array("user.agonyfs.stack".utf8), of: raw)
    try vault.files.removeExtendedAttribute(Array("user.agonyfs.stack".utf8), of: photo)
    #expect(try vault.item(photo)?.links.stack == stack)
    try vault.files.close()
  }

  @Test func anAlbumHasACover() throws {
    let album = try vault.files.folder("album")
    let (one, two) = (try vault.photo("1.jpg", "title=1", in: album), try vault.photo("2.jpg", "title=2", in: album))
    #expect(try vault.item(one)?.words.isCover == false)
    for (cover, isCover) in [("1.jpg", [true, false]), ("2.jpg", [false, true])] as [(String, [Bool?])] {
      try vault.set("user.agonyfs.cover", of: album, to: cover)
      #expect(try [one, two].map { try vault.item($0)?.words.isCover } == isCover, "\(cover)")
    }
    // One that got another name is found by its inode.
    try vault.set("user.agonyfs.cover", of: album, to: "1.jpg/\(one.rawValue)")
    try vault.files.rename(.of("1.jpg"), in: album, to: .of("3.jpg"), in: album, flags: [])
    #expect(try [one, two].map { try vault.item($0)?.words.isCover } == [true, false])
    try vault.files.close()
  }

  /// A decoder finds facts faster than a large directory is matched: a question does not wait for its end.
  @Test func aQuestionEndsWhileMoreIsFound() throws {
    // More than are read under one hold of the lock, so that the other thread gets it.
    let photos = try (0..<600).map { try vault.photo("\($0).jpg") }
    try vault.settle()
    vault.vault.library.thumbnails = nil
    try vault.vault.reopen()
    let files = vault.files
    let most = 20
    let found = Atomic(0)
    let isAnswered = Atomic(false)
    try files.locked { try $0.index.catalog.addStale(.root, .match) }
    try inThreads(2) { thread in
      if thread == 0 {
        defer { isAnswered.store(true, ordering: .releasing) }
        #expect(try files.questions.count(of: CatalogQuestion(.all), for: .everything) == photos.count)
      } else {
        while !isAnswered.load(ordering: .acquiring), found.load(ordering: .relaxed) < most {
          // As when the decoder has looked at one more photo, while the others are matched.
          try files.locked { files in
            guard try files.index.catalog.stale(for: .match, limit: 1).isEmpty else { return }
            try files.index.catalog.addStale(.root, .match)
            found.add(1, ordering: .relaxed)
          }
        }
      }
    }
    #expect(found.load(ordering: .relaxed) < most)
    try files.close()
  }

  /// While photos come, each question would match a large directory again: it is done when the last was examined.
  @Test func aLargeDirectoryIsMatchedWhenAllIsExamined() throws {
    vault.files.locked { $0.catalog.largeDirectory = 3 }
    let photos = try ["IMG_1.jpg", "b.jpg", "c.jpg"].map { try vault.photo($0, facts) }
    let small = try vault.files.folder("small")
    let other = try vault.photo("a.jpg", in: small)
    vault.maker.isHeld = true
    try vault.files.make("held.jpg", with: Array("photo hold".utf8))
    // The photos of the large directory and of the small one get covers.
    try vault.set("user.agonyfs.cover", of: .root, to: "b.jpg")
    try vault.set("user.agonyfs.cover", of: small, to: "a.jpg")
    #expect(try vault.item(photos[1])?.words.isCover == false)
    #expect(try vault.item(other)?.words.isCover == true)
    // A file that is changed is answered as it is.
    try vault.set("user.xdg.tags", of: photos[1], to: "new")
    #expect(try vault.item(photos[1])?.words.tags == ["new"])
    vault.maker.isHeld = false
    try vault.settle()
    #expect(try vault.item(photos[1])?.words.isCover == true)
    try vault.files.close()
  }

  /// A crash in the middle of matching: the next mount does it again.
  @Test func matchingGoesOnAfterACrash() throws {
    let photo = try vault.photo("IMG_1.jpg", facts)
    _ = try vault.photo("IMG_1.CR2", facts + ";raw!")
    try vault.files.locked { files in
      var row = try #require(try files.index.catalog.item(photo))
      row.stack = nil
      row.flags = 0
      try files.index.catalog.updateItem(row)
      try files.index.catalog.addStale(.root, .matching)
    }
    try vault.vault.reopen()
    #expect(try vault.item(photo)?.links.stack?.kind == .raw)
    try vault.files.close()
  }
}
