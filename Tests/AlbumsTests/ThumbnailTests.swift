import FaultyStorage
import Glibc
import Index
import Media
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

@Suite struct ThumbnailTests {
  let maker = TestMaker()

  func vault(_ maker: TestMaker, lazy: Bool = false) throws -> TestVault {
    try TestVault { options in
      var thumbnails = ThumbnailOptions(maker: maker)
      thumbnails.quietTime = 0
      thumbnails.isLazy = lazy
      options.thumbnails = thumbnails
    }
  }

  func photo(_ text: String) -> [UInt8] { Array("photo \(text)".utf8) }

  /// Waits until nothing is to be done any more.
  func settle(_ files: FileSystem) throws {
    try files.waitUntilNothingIsPending()
  }

  func open(_ path: [String], in files: FileSystem) throws -> String {
    let tree = VirtualTree(files)
    var node = try #require(tree.node(named: .of(path[0]), in: .root))
    for name in path.dropFirst() { node = try tree.lookup(.of(name), in: node) }
    let handle = try tree.open(node)
    defer { tree.release(handle) }
    return String(decoding: try tree.content(of: handle).bytes, as: UTF8.self)
  }

  @Test func photosGetThumbnailsAndOthersDoNot() throws {
    let vault = try vault(maker)
    let files = vault.files
    let album = try files.folder("album")
    try files.put(photo("a"), try files.make("a.jpg", in: album))
    try files.put(Array("text".utf8), try files.make("notes.txt"))
    try settle(files)
    let counts = try files.thumbnailer.mediaCounts()
    #expect(counts.known == 1 && counts.other == 1)
    #expect(try open([".agonyfs", "thumbnails", "256", "album", "a.jpg"], in: files) == "small photo a")
    #expect(try open([".agonyfs", "thumbnails", "1024", "album", "a.jpg"], in: files) == "large photo a")
    expect(.noSuchFileOrDirectory) { _ = try open([".agonyfs", "thumbnails", "256", "notes.txt"], in: files) }
    try files.close()
    let space = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
    let report = Checker.check(space, readData: true)
    #expect(report.problems == [] && report.files == 2)
    try space.close()
  }

  /// Where a page of the index cannot be read, nobody can say that a file is gone.
  @Test func aFileThatTheIndexCannotShowWaitsAndKeepsNobodyUp() throws {
    let vault = try vault(maker, lazy: true)
    var photos: [InodeNumber] = []
    for number in 0..<200 {
      let file = try vault.files.make("photo \(number).jpg")
      try vault.files.put(photo("\(number)"), file)
      photos.append(file)
    }
    try vault.files.close()
    let victim = photos[100]
    // A page that holds the inode, but neither the root nor what is known of the content.
    var lost = 0
    for number in 1...200 {
      let storage = vault.storage.powerCut(seed: 1)
      let space = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
      defer { try? space.close() }
      guard let position = space.log.locked({ $0.database.map.position(of: PageNumber(rawValue: UInt32(number))) })
      else { break }
      storage.tamper(
        space.keys.identifier(
          position.segment, branch: try #require(space.log.locked({ $0.catalog.branch(of: position.segment.epoch) })))
      ) {
        var content = $0
        content[position.offset + 99] ^= 1
        return content
      }
      let damaged = TestVault(sameAs: vault, over: storage)
      do {
        let space = try damaged.vault.openSpace(damaged.body, readOnly: true, copyWindow: 0)
        defer { try? space.close() }
        guard let index = try? Index(space: space), (try? index.inode(.root)) != nil,
          (try? index.media.row(victim)?.state) == .pending, (try? index.inode(victim)) == nil
        else { continue }
        lost = photos.count { (try? index.inode($0)) == nil }
      }
      damaged.options.thumbnails?.isLazy = false
      damaged.space = try damaged.vault.openSpace(damaged.body, copyWindow: 0)
      damaged.files = try FileSystem(space: damaged.space, options: damaged.options)
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
    let vault = try vault(maker)
    let files = vault.files
    let file = try files.make("a.jpg")
    try files.put(photo("a"), file)
    try settle(files)
    #expect(maker.jobs == 1)
    try files.rename(.of("a.jpg"), in: .root, to: .of("b.jpg"), in: .root, flags: [])
    _ = try files.link(file, named: .of("c.jpg"), in: .root)
    var times = AttributeChanges(caller: caller)
    times.modified = .at(Timestamp(seconds: 5, nanoseconds: 7))
    _ = try files.setAttributes(of: file, times)
    try settle(files)
    #expect(maker.jobs == 1)
    // The same content in another file needs no decoder.
    try files.put(photo("a"), try files.make("copy.jpg"))
    try settle(files)
    #expect(maker.jobs == 1)
    #expect(try open([".agonyfs", "thumbnails", "256", "copy.jpg"], in: files) == "small photo a")
    try files.put(photo("b"), file)
    try settle(files)
    #expect(maker.jobs == 2)
    #expect(try open([".agonyfs", "thumbnails", "256", "b.jpg"], in: files) == "small photo b")
    #expect(try open([".agonyfs", "thumbnails", "256", "copy.jpg"], in: files) == "small photo a")
    try files.resize(file, 3)
    try settle(files)
    expect(.noSuchFileOrDirectory) { _ = try open([".agonyfs", "thumbnails", "256", "b.jpg"], in: files) }
    try files.unlink(.of("copy.jpg"), in: .root)
    files.forget(try #require(try? files.find("b.jpg")).inode)
    try files.close()
    let space = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
    #expect(Checker.check(space, readData: true).problems == [])
    try space.close()
  }

  @Test func whatBeginsAsNoPhotoIsNotLookedAtUntilItDoes() throws {
    let vault = try vault(maker)
    let files = vault.files
    let plain = Array("plain text of some length, and more of it".utf8)
    let file = try files.make("notes.txt")
    try files.put(plain, file)
    try files.put(plain, file, at: 40_000)
    try files.resize(file, 20)
    try files.put(plain, file)
    try files.synchronize()
    #expect(try files.thumbnailer.mediaCounts() == MediaCounts())
    #expect(maker.jobs == 0)
    // The beginning of a photo, written over it, at once or in pieces.
    try files.put(photo("of a house by the sea"), file)
    try settle(files)
    #expect(maker.jobs == 1)
    let other = try files.make("pieces")
    try files.put(plain, other)
    try files.put(Array("oto of another house".utf8), other, at: 2)
    try files.put(Array("ph".utf8), other)
    try settle(files)
    #expect(try open([".agonyfs", "thumbnails", "256", "pieces"], in: files).hasPrefix("small photo of another house"))
    // And the other way round: what was made of a photo goes.
    try files.put(plain, file)
    try settle(files)
    expect(.noSuchFileOrDirectory) { _ = try open([".agonyfs", "thumbnails", "256", "notes.txt"], in: files) }
    try files.close()
    let space = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
    #expect(Checker.check(space, readData: true).problems == [])
    try space.close()
  }

  @Test func everythingIsLookedAtWhenAllIsMadeAnew() throws {
    let vault = try vault(maker)
    let files = vault.files
    let plain = Array("plain text of some length".utf8)
    for name in ["a", "b", ".hidden"] { try files.put(plain, try files.make(name)) }
    #expect(try files.thumbnailer.mediaCounts() == MediaCounts())
    try files.thumbnailer.remakeThumbnails()
    try settle(files)
    let counts = try files.thumbnailer.mediaCounts()
    #expect(counts.other == 2 && counts.hidden == 1)
    // Equal contents are looked at once.
    #expect(maker.jobs >= 1)
    try files.close()
  }

  @Test func nameThatBeginsWithADotWaits() throws {
    let vault = try vault(maker)
    let files = vault.files
    try files.put(photo("a"), try files.make(".a.jpg.Xy12"))
    try files.put(photo("b"), try files.make("b.jpg"))
    try settle(files)
    #expect(maker.jobs == 1)
    try files.rename(.of(".a.jpg.Xy12"), in: .root, to: .of("a.jpg"), in: .root, flags: [])
    try settle(files)
    #expect(maker.jobs == 2)
    #expect(try open([".agonyfs", "thumbnails", "256", "a.jpg"], in: files) == "small photo a")
    try files.close()
  }

  @Test func whatWaitedAtTheEndIsDoneNextTime() throws {
    let vault = try vault(maker)
    maker.hold()
    for number in 0..<20 { try vault.files.put(photo("\(number)"), try vault.files.make("\(number).jpg")) }
    try vault.files.synchronize()
    let cut = try vault.afterPowerCut(seed: 1)
    #expect(maker.jobs <= 2)
    try vault.files.close()
    maker.letGo()
    try settle(cut.files)
    for number in 0..<20 {
      #expect(try open([".agonyfs", "thumbnails", "256", "\(number).jpg"], in: cut.files) == "small photo \(number)")
    }
    try cut.files.close()
  }

  @Test func contentThatChangesMeanwhileIsLookedAtAgain() throws {
    let vault = try vault(maker)
    let file = try vault.files.make("a.jpg")
    maker.hold()
    try vault.files.put(photo("a"), file)
    try waitUntil("a thumbnail was begun") { maker.jobs > 0 }
    try vault.files.put(photo("b"), file)
    maker.letGo()
    try settle(vault.files)
    #expect(try open([".agonyfs", "thumbnails", "256", "a.jpg"], in: vault.files) == "small photo b")
    try vault.files.close()
  }

  @Test func failuresAreToldAndTriedAgainOnlyWithNewContent() throws {
    let vault = try vault(maker)
    let files = vault.files
    let album = try files.folder("album")
    let file = try files.make("bad.jpg", in: album)
    maker.failNext(.undecodable("it is cut short"))
    try files.put(photo("bad"), file)
    try settle(files)
    #expect(try files.thumbnailer.mediaCounts().failed == 1)
    #expect(try open([".agonyfs", "failed"], in: files) == "it is cut short\talbum/bad.jpg\n")
    #expect(try open([".agonyfs", "status"], in: files).contains("\"failed\": 1,"))
    maker.failNext(.crashed)
    try files.put(photo("wild"), file)
    try settle(files)
    #expect(try files.thumbnailer.mediaCounts().failed == 1)
    try files.thumbnailer.remakeThumbnails()
    try settle(files)
    #expect(try files.thumbnailer.mediaCounts().known == 1)
    try files.close()
  }

  /// Somebody who ends decoders costs time, but no thumbnail; a file on which that never ends costs its own.
  @Test func fileOnWhichTheDecoderIsKilledIsPutOff() throws {
    let vault = try vault(maker)
    maker.failNext(.killed, .killed)
    try vault.files.put(photo("a"), try vault.files.make("a.jpg"))
    try settle(vault.files)
    #expect(maker.jobs == 3)
    #expect(try open([".agonyfs", "thumbnails", "256", "a.jpg"], in: vault.files) == "small photo a")
    try vault.files.close()
  }

  /// A large thumbnail that is given up takes nothing from the small one.
  @Test func whatWasMadeStaysWhereTheDecoderIsKilled() throws {
    let maker = TestMaker(leavesLargeOut: true)
    let vault = try vault(maker)
    let file = try vault.files.make("a.heic")
    try vault.files.put(photo("a"), file)
    try settle(vault.files)
    for _ in 0..<9 {
      maker.failNext(.killed)
      #expect(throws: Errno.self) { try vault.files.thumbnailer.derivative(.large, of: file) }
    }
    expect(.noSuchFileOrDirectory) { _ = try vault.files.thumbnailer.derivative(.large, of: file) }
    #expect(try open([".agonyfs", "thumbnails", "256", "a.heic"], in: vault.files) == "small photo a")
    try vault.files.close()
    let space = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
    #expect(Checker.check(space, readData: true).problems == [])
    try space.close()
  }

  @Test func decoderThatCannotBeHadIsTriedAgain() throws {
    let vault = try vault(maker)
    maker.failNext(.unavailable("it was not there"))
    try vault.files.put(photo("a"), try vault.files.make("a.jpg"))
    try settle(vault.files)
    #expect(try open([".agonyfs", "thumbnails", "256", "a.jpg"], in: vault.files) == "small photo a")
    #expect(try open([".agonyfs", "status"], in: vault.files).contains("\"paused\": null"))
    maker.failNext(.unavailable("it was not there"), .unavailable("it was not there again"))
    try vault.files.put(photo("b"), try vault.files.make("b.jpg"))
    try waitUntil("the second failure was told") {
      try open([".agonyfs", "status"], in: vault.files).contains("not there again")
    }
    #expect(try vault.files.thumbnailer.mediaCounts().pending == 1)
    try settle(vault.files)
    #expect(try vault.files.thumbnailer.mediaCounts().known == 2)
    try vault.files.close()
  }

  @Test func lazyOnesAreMadeWhenAskedFor() throws {
    let vault = try vault(maker, lazy: true)
    try vault.files.put(photo("a"), try vault.files.make("a.jpg"))
    usleep(20_000)
    #expect(maker.jobs == 0)
    #expect(try open([".agonyfs", "thumbnails", "256", "a.jpg"], in: vault.files) == "small photo a")
    #expect(maker.jobs == 1)
    #expect(try open([".agonyfs", "thumbnails", "1024", "a.jpg"], in: vault.files) == "large photo a")
    #expect(maker.jobs == 2)
    try vault.files.close()
  }

  @Test func largeOneThatWasLeftOutIsMadeWhenAskedFor() throws {
    let maker = TestMaker(leavesLargeOut: true)
    let vault = try vault(maker)
    try vault.files.put(photo("a"), try vault.files.make("a.heic"))
    try settle(vault.files)
    #expect(maker.jobs == 1)
    #expect(try open([".agonyfs", "thumbnails", "1024", "a.heic"], in: vault.files) == "large photo a")
    #expect(maker.jobs == 2)
    #expect(try open([".agonyfs", "thumbnails", "256", "a.heic"], in: vault.files) == "small photo a")
    #expect(maker.jobs == 2)
    try vault.files.close()
  }

  @Test func sharedThumbnailsAreFoundByBothDigests() throws {
    let vault = try vault(maker)
    let file = try vault.files.make("one two.jpg")
    try vault.files.put(photo("a"), file)
    var times = AttributeChanges(caller: caller)
    times.modified = .at(Timestamp(seconds: 1_500_000_000, nanoseconds: 250_000_999))
    _ = try vault.files.setAttributes(of: file, times)
    try settle(vault.files)
    // MD5 of "./one%20two.jpg" and of "one%20two.jpg", by md5sum.
    for name in ["c78cf30b64a17ceb00ca5cf438a47589", "388d64fe6f4fc6cddb950a221740f1ab"] {
      let text = try open([".sh_thumbnails", "normal", name + ".png"], in: vault.files)
      #expect(text == "png 128 Thumb::URI=./one%20two.jpg Thumb::MTime=1500000000.250000 small photo a")
    }
    expect(.noSuchFileOrDirectory) {
      _ = try open([".sh_thumbnails", "normal", String(repeating: "0", count: 32) + ".png"], in: vault.files)
    }
    #expect(try vault.files.names(of: .root).keys.sorted() == ["one two.jpg"])
    try vault.files.close()
  }

  @Test func damagedThumbnailIsMadeAnewAndToldAsSuch() throws {
    let vault = try vault(maker)
    let file = try vault.files.make("a.jpg")
    try vault.files.put(photo("a"), file)
    try vault.files.put(photo("a"), try vault.files.make("twin.jpg"))
    try settle(vault.files)
    let derivative = try vault.files.thumbnailer.derivative(.small, of: file)
    try vault.files.synchronize()
    try vault.files.close()
    let space = try vault.vault.openSpace(vault.body, copyWindow: 0)
    let index = try Index(space: space)
    let whole = FileOffset.zero..<FileOffset(1 << 20)
    var wrong = try #require(try index.extents.rows(of: derivative, overlapping: whole, limit: 1).first)
    wrong.position = try #require(try index.extents.rows(of: file, overlapping: whole, limit: 1).first).position
    try index.extents.removeExtents(of: derivative, in: whole, limit: 9)
    try index.extents.insertExtent(wrong, of: derivative)
    try index.commit(to: space)
    try space.close()
    let checked = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
    let problems = Checker.check(checked, readData: true).problems
    #expect(problems.count == 1)
    #expect(problems.allSatisfy { $0.path != nil && $0.text.hasPrefix("only its thumbnail is damaged") })
    try checked.close()
    try vault.reopen()
    #expect(try open([".agonyfs", "thumbnails", "256", "twin.jpg"], in: vault.files) == "small photo a")
    #expect(try open([".agonyfs", "thumbnails", "256", "a.jpg"], in: vault.files) == "small photo a")
    try vault.files.close()
    let after = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
    #expect(Checker.check(after, readData: true).problems == [])
    try after.close()
  }
}
