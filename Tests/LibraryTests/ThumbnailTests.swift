import AlbumsSupport
import FaultyStorage
import Glibc
import Index
import Media
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Library
@testable import Vault

@Suite struct ThumbnailTests {
  private let maker = TestMaker()
  private let vault: TestVault
  private var files: FileSystem { vault.files }

  init() throws { vault = try TestVault(thumbnails: maker) }

  /// Has thumbnails be made only when they are asked for.
  private func makeLazy() throws {
    vault.library.thumbnails?.isLazy = true
    try vault.reopen()
  }

  private func photo(_ text: String) -> [UInt8] { Array("photo \(text)".utf8) }

  /// Waits until nothing is to be done any more.
  private func settle() throws { try files.waitUntilNothingIsPending() }

  /// What is in a virtual file.
  private func open(_ path: String, in files: FileSystem? = nil) throws -> String {
    let tree = VirtualTree(files ?? self.files)
    let names = path.split(separator: "/").map { FileName.of(String($0)) }
    var node = try #require(tree.node(named: names[0], in: .root))
    for name in names.dropFirst() { node = try tree.lookup(name, in: node) }
    let handle = try tree.open(node)
    defer { tree.release(handle) }
    return String(decoding: try tree.content(of: handle).bytes, as: UTF8.self)
  }

  @Test func photosGetThumbnailsAndOthersDoNot() throws {
    let album = try files.folder("album")
    try files.put(photo("a"), try files.make("a.jpg", in: album))
    try files.put(Array("text".utf8), try files.make("notes.txt"))
    try settle()
    let counts = try files.thumbnailer.mediaCounts()
    #expect(counts.known == 1 && counts.other == 1)
    #expect(try open(".agonyfs/thumbnails/256/album/a.jpg") == "small photo a")
    #expect(try open(".agonyfs/thumbnails/1024/album/a.jpg") == "large photo a")
    expect(.noSuchFileOrDirectory) { _ = try open(".agonyfs/thumbnails/256/notes.txt") }
    try files.close()
    let report = try vault.check()
    #expect(report.problems == [] && report.files == 2)
  }

  /// Where a page of the index cannot be read, nobody can say that a file is gone.
  @Test func aFileThatTheIndexCannotShowWaitsAndKeepsNobodyUp() throws {
    try makeLazy()
    let photos = try (0..<200).map { try files.make("photo \($0).jpg", with: photo("\($0)")) }
    try files.close()
    let victim = photos[100]
    // A page that holds the inode, but neither the root nor what is known of the content.
    var lost = 0
    for number in 1...200 {
      let storage = vault.storage.powerCut(seed: 1)
      let space = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
      defer { try? space.close() }
      guard let position = space.log.locked({ $0.database.map.position(of: PageNumber(rawValue: UInt32(number))) })
      else { break }
      let branch = try #require(space.log.locked { $0.catalog.branch(of: position.segment.epoch) })
      storage.flip(space.keys.identifier(position.segment, branch: branch), at: position.offset + 99)
      let damaged = TestVault(sameAs: vault, over: storage)
      do {
        let space = try damaged.vault.openSpace(damaged.body, readOnly: true, copyWindow: 0)
        defer { try? space.close() }
        guard let index = try? Index(space: space), (try? index.inode(.root)) != nil,
          (try? index.media.row(victim)?.state) == .pending, (try? index.inode(victim)) == nil
        else { continue }
        lost = photos.count { (try? index.inode($0)) == nil }
      }
      damaged.library.thumbnails?.isLazy = false
      try damaged.mount()
      // All others get theirs.
      try damaged.files.waitUntilNothingIsPending(but: lost)
      try damaged.files.synchronize()
      #expect(try damaged.files.thumbnailer.mediaCounts().pending == lost)
      let failures = damaged.files.locked { $0.thumbnails.passedOver }.count
      #expect(failures == lost)
      try damaged.files.close()
      let again = try damaged.vault.openSpace(damaged.body, readOnly: true, copyWindow: 0)
      #expect(try Index(space: again).media.row(victim)?.state == .pending)
      try again.close()
      break
    }
    #expect(lost > 0 && lost < 150)
  }

  @Test func onlyANewContentMakesNewWork() throws {
    let file = try files.make("a.jpg", with: photo("a"))
    try settle()
    #expect(maker.jobs == 1)
    try files.rename(.of("a.jpg"), in: .root, to: .of("b.jpg"), in: .root, flags: [])
    _ = try files.link(file, named: .of("c.jpg"), in: .root)
    try files.change(file) { $0.modified = .at(Timestamp(seconds: 5, nanoseconds: 7)) }
    try settle()
    #expect(maker.jobs == 1)
    // The same content in another file needs no decoder.
    try files.put(photo("a"), try files.make("copy.jpg"))
    try settle()
    #expect(maker.jobs == 1)
    #expect(try open(".agonyfs/thumbnails/256/copy.jpg") == "small photo a")
    try files.put(photo("b"), file)
    try settle()
    #expect(maker.jobs == 2)
    #expect(try open(".agonyfs/thumbnails/256/b.jpg") == "small photo b")
    #expect(try open(".agonyfs/thumbnails/256/copy.jpg") == "small photo a")
    try files.resize(file, 3)
    try settle()
    expect(.noSuchFileOrDirectory) { _ = try open(".agonyfs/thumbnails/256/b.jpg") }
    try files.unlink(.of("copy.jpg"), in: .root)
    files.forget(try #require(try? files.find("b.jpg")).inode)
    try vault.closeSound()
  }

  @Test func whatBeginsAsNoPhotoIsNotLookedAtUntilItDoes() throws {
    let plain = Array("plain text of some length, and more of it".utf8)
    let file = try files.make("notes.txt", with: plain)
    try files.put(plain, file, at: 40_000)
    try files.resize(file, 20)
    try files.put(plain, file)
    try files.synchronize()
    #expect(try files.thumbnailer.mediaCounts() == MediaCounts())
    #expect(maker.jobs == 0)
    // The beginning of a photo, written over it, at once or in pieces.
    try files.put(photo("of a house by the sea"), file)
    try settle()
    #expect(maker.jobs == 1)
    let other = try files.make("pieces", with: plain)
    try files.put(Array("oto of another house".utf8), other, at: 2)
    try files.put(Array("ph".utf8), other)
    try settle()
    #expect(try open(".agonyfs/thumbnails/256/pieces").hasPrefix("small photo of another house"))
    // And the other way round: what was made of a photo goes.
    try files.put(plain, file)
    try settle()
    expect(.noSuchFileOrDirectory) { _ = try open(".agonyfs/thumbnails/256/notes.txt") }
    try vault.closeSound()
  }

  @Test func everythingIsLookedAtWhenAllIsMadeAnew() throws {
    let plain = Array("plain text of some length".utf8)
    for name in ["a", "b", ".hidden"] { try files.put(plain, try files.make(name)) }
    #expect(try files.thumbnailer.mediaCounts() == MediaCounts())
    try files.thumbnailer.remakeThumbnails()
    try settle()
    let counts = try files.thumbnailer.mediaCounts()
    #expect(counts.other == 2 && counts.hidden == 1)
    // What begins as no photo does needs no decoder.
    #expect(maker.jobs == 0)
    try files.close()
  }

  @Test func nameThatBeginsWithADotWaits() throws {
    try files.put(photo("a"), try files.make(".a.jpg.Xy12"))
    try files.put(photo("b"), try files.make("b.jpg"))
    try settle()
    #expect(maker.jobs == 1)
    try files.rename(.of(".a.jpg.Xy12"), in: .root, to: .of("a.jpg"), in: .root, flags: [])
    try settle()
    #expect(maker.jobs == 2)
    #expect(try open(".agonyfs/thumbnails/256/a.jpg") == "small photo a")
    try files.close()
  }

  @Test func whatWaitedAtTheEndIsDoneNextTime() throws {
    maker.hold()
    for number in 0..<20 { try files.put(photo("\(number)"), try files.make("\(number).jpg")) }
    try files.synchronize()
    let cut = try vault.afterPowerCut(seed: 1)
    #expect(maker.jobs <= 2)
    try files.close()
    maker.letGo()
    try cut.files.waitUntilNothingIsPending()
    for number in 0..<20 {
      #expect(try open(".agonyfs/thumbnails/256/\(number).jpg", in: cut.files) == "small photo \(number)")
    }
    try cut.files.close()
  }

  @Test func contentThatChangesMeanwhileIsLookedAtAgain() throws {
    let file = try files.make("a.jpg")
    maker.hold()
    try files.put(photo("a"), file)
    try waitUntil("a thumbnail was begun") { maker.jobs > 0 }
    try files.put(photo("b"), file)
    maker.letGo()
    try settle()
    #expect(try open(".agonyfs/thumbnails/256/a.jpg") == "small photo b")
    try files.close()
  }

  @Test func failuresAreToldAndTriedAgainOnlyWithNewContent() throws {
    let album = try files.folder("album")
    let file = try files.make("bad.jpg", in: album)
    maker.failNext(.undecodable("it is cut short"))
    try files.put(photo("bad"), file)
    try settle()
    #expect(try files.thumbnailer.mediaCounts().failed == 1)
    #expect(try open(".agonyfs/failed") == "it is cut short\talbum/bad.jpg\n")
    #expect(try open(".agonyfs/status").contains("\"failed\": 1,"))
    maker.failNext(.crashed)
    try files.put(photo("wild"), file)
    try settle()
    #expect(try files.thumbnailer.mediaCounts().failed == 1)
    try files.thumbnailer.remakeThumbnails()
    try settle()
    #expect(try files.thumbnailer.mediaCounts().known == 1)
    try files.close()
  }

  /// Somebody who ends decoders costs time, but no thumbnail; a file on which that never ends costs its own.
  @Test func fileOnWhichTheDecoderIsKilledIsPutOff() throws {
    maker.failNext(.killed, .killed)
    try files.put(photo("a"), try files.make("a.jpg"))
    try settle()
    #expect(maker.jobs == 3)
    #expect(try open(".agonyfs/thumbnails/256/a.jpg") == "small photo a")
    try files.close()
  }

  /// A large thumbnail that is given up takes nothing from the small one.
  @Test func whatWasMadeStaysWhereTheDecoderIsKilled() throws {
    maker.leaveLargeOut()
    let file = try files.make("a.heic", with: photo("a"))
    try settle()
    for _ in 0..<9 {
      maker.failNext(.killed)
      #expect(throws: Errno.self) { try files.thumbnailer.derivative(.large, of: file) }
    }
    expect(.noSuchFileOrDirectory) { _ = try files.thumbnailer.derivative(.large, of: file) }
    #expect(try open(".agonyfs/thumbnails/256/a.heic") == "small photo a")
    try vault.closeSound()
  }

  @Test func decoderThatCannotBeHadIsTriedAgain() throws {
    maker.failNext(.unavailable("it was not there"))
    try files.put(photo("a"), try files.make("a.jpg"))
    try settle()
    #expect(try open(".agonyfs/thumbnails/256/a.jpg") == "small photo a")
    #expect(try open(".agonyfs/status").contains("\"paused\": null"))
    maker.failNext(.unavailable("it was not there"), .unavailable("it was not there again"))
    try files.put(photo("b"), try files.make("b.jpg"))
    try waitUntil("the second failure was told") { try open(".agonyfs/status").contains("not there again") }
    #expect(try files.thumbnailer.mediaCounts().pending == 1)
    try settle()
    #expect(try files.thumbnailer.mediaCounts().known == 2)
    try files.close()
  }

  @Test func lazyOnesAreMadeWhenAskedFor() throws {
    try makeLazy()
    try files.put(photo("a"), try files.make("a.jpg"))
    usleep(20_000)
    #expect(maker.jobs == 0)
    #expect(try open(".agonyfs/thumbnails/256/a.jpg") == "small photo a")
    #expect(maker.jobs == 1)
    #expect(try open(".agonyfs/thumbnails/1024/a.jpg") == "large photo a")
    #expect(maker.jobs == 2)
    try files.close()
  }

  /// The decoder makes it in any case.
  @Test func smallOneComesWithTheLargeOne() throws {
    try makeLazy()
    try files.put(photo("a"), try files.make("a.jpg"))
    #expect(try open(".agonyfs/thumbnails/1024/a.jpg") == "large photo a")
    #expect(try open(".agonyfs/thumbnails/256/a.jpg") == "small photo a")
    #expect(maker.jobs == 1)
    try files.close()
  }

  @Test func largeOneThatWasLeftOutIsMadeWhenAskedFor() throws {
    maker.leaveLargeOut()
    try files.put(photo("a"), try files.make("a.heic"))
    try settle()
    #expect(maker.jobs == 1)
    #expect(try open(".agonyfs/thumbnails/1024/a.heic") == "large photo a")
    #expect(maker.jobs == 2)
    #expect(try open(".agonyfs/thumbnails/256/a.heic") == "small photo a")
    #expect(maker.jobs == 2)
    try files.close()
  }

  /// A copy shares what was made of the other file, which may lack what is asked for.
  @Test func copyGetsASizeThatTheOtherFileLacks() throws {
    try makeLazy()
    try files.put(photo("a"), try files.make("a.jpg"))
    #expect(try open(".agonyfs/thumbnails/256/a.jpg") == "small photo a")
    try files.put(photo("a"), try files.make("copy.jpg"))
    #expect(try open(".agonyfs/thumbnails/1024/copy.jpg") == "large photo a")
    #expect(try open(".agonyfs/thumbnails/256/copy.jpg") == "small photo a")
    #expect(maker.jobs == 2)
    try vault.closeSound()
  }

  /// A damaged index may name one that is gone. The copy would be read again and again.
  @Test func copyOfAFileWhoseThumbnailIsGoneGetsItsOwn() throws {
    let file = try files.make("a.jpg", with: photo("a"))
    try settle()
    try files.close()
    try vault.changeIndex { (index) throws(IndexError) in
      guard var row = try index.media.row(file) else { return }
      row.small = InodeNumber(rawValue: 999_999)
      try index.media.setMedia(row)
    }
    try vault.mount()
    try files.make("copy.jpg", with: photo("a"))
    try settle()
    #expect(try open(".agonyfs/thumbnails/256/copy.jpg") == "small photo a")
    #expect(maker.jobs == 2)
    try files.close()
  }

  @Test func smallOneThatIsThrownAwayWhileTheLargeOneIsMadeIsMadeAgain() throws {
    maker.leaveLargeOut()
    let file = try files.make("a.heic", with: photo("a"))
    try settle()
    maker.hold()
    let files = vault.files
    let thread = try TestThread { _ = try files.thumbnailer.derivative(.large, of: file) }
    try waitUntil("the large one was begun") { maker.jobs == 2 }
    try files.thumbnailer.remakeThumbnail(of: file)
    maker.letGo()
    try thread.join()
    try settle()
    #expect(try open(".agonyfs/thumbnails/256/a.heic") == "small photo a")
    #expect(try open(".agonyfs/thumbnails/1024/a.heic") == "large photo a")
    try vault.closeSound()
  }

  @Test func sharedThumbnailsAreFoundByBothDigests() throws {
    let file = try files.make("one two.jpg", with: photo("a"))
    try files.change(file) { $0.modified = .at(Timestamp(seconds: 1_500_000_000, nanoseconds: 250_000_999)) }
    try settle()
    // MD5 of "./one%20two.jpg" and of "one%20two.jpg", by md5sum.
    for name in ["c78cf30b64a17ceb00ca5cf438a47589", "388d64fe6f4fc6cddb950a221740f1ab"] {
      let text = try open(".sh_thumbnails/normal/\(name).png")
      #expect(text == "png 128 Thumb::URI=./one%20two.jpg Thumb::MTime=1500000000.250000 small photo a")
    }
    expect(.noSuchFileOrDirectory) {
      _ = try open(".sh_thumbnails/normal/" + String(repeating: "0", count: 32) + ".png")
    }
    #expect(try files.names(of: .root).keys.sorted() == ["one two.jpg"])
    try files.close()
  }

  @Test func damagedThumbnailIsMadeAnewAndToldAsSuch() throws {
    let file = try files.make("a.jpg", with: photo("a"))
    try files.put(photo("a"), try files.make("twin.jpg"))
    try settle()
    let derivative = try files.thumbnailer.derivative(.small, of: file)
    try files.synchronize()
    try files.close()
    try vault.changeIndex { (index) throws(IndexError) in
      var wrong = try index.firstExtent(of: derivative)
      wrong.position = try index.firstExtent(of: file).position
      try index.extents.removeExtents(of: derivative, in: .zero..<FileOffset(1 << 20), limit: 9)
      try index.extents.insertExtent(wrong, of: derivative)
    }
    let problems = try vault.check().problems
    #expect(problems.count == 1)
    #expect(problems.allSatisfy { $0.path != nil && $0.text.hasPrefix("only its thumbnail is damaged") })
    try vault.mount()
    #expect(try open(".agonyfs/thumbnails/256/twin.jpg") == "small photo a")
    #expect(try open(".agonyfs/thumbnails/256/a.jpg") == "small photo a")
    try vault.closeSound()
  }
}
