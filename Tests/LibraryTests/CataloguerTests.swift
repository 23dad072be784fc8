import AlbumsSupport
import Catalog
import Glibc
import Index
import Media
import System
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import Albums
@testable import Library

/// Rows of the catalog follow the files.
@Suite struct CataloguerTests {
  private let vault: CatalogVault

  init() throws { vault = try CatalogVault() }

  @Test func aPhotoGetsItsFacts() throws {
    let album = try vault.files.folder("album")
    let photo = try vault.photo(
      "a.jpg", "taken=2019-08-15T12:34:56;position=48.8584,2.2945;make=Canon;tags=sea, sun;rating=4", in: album)
    let item = try #require(try vault.item(photo))
    #expect(item.names == [ItemName("album/a.jpg")])
    #expect(item.taken?.wall.description == "2019-08-15T12:34:56")
    #expect(item.camera.make == "Canon")
    #expect(item.words.tags == ["sea", "sun"] && item.words.rating == 4)
    #expect(item.sources[.tags] == FactSources(.exif))
    #expect((item.width, item.height) == (40, 30))
    #expect(item.contentHash?.count == 32)
    let row = try vault.files.locked { try $0.index.catalog.item(photo) }
    #expect(row?.version == Int64(MediaItem.factsVersion))
    // Debian's table of towns is a package of the first command.
    #expect(item.place?.town == "Paris" && item.taken?.offset == 7200 && item.taken?.zoneSource == .gazetteer)
    #expect(try vault.item(try vault.text("notes.txt", "no photo at all")) == nil)
    try vault.files.close()
  }

  /// What a person knows counts more than the time at which an old photo was scanned.
  @Test func aYearIsShownAsItIs() throws {
    let scan = try vault.photo("scan.jpg", "taken=2010-05-06T07:08:09;position=48.8584,2.2945")
    for text in ["1953", "1953-07"] {
      try vault.set("user.agonyfs.taken", of: scan, to: text)
      let taken = try #require(try vault.item(scan)?.taken)
      #expect(taken.wall.description == text && taken.source == .override && taken.offset == nil)
      let answer = vault.files.answer("format json\n\ndate:1953")
      #expect(answer.contains { $0.contains(#","taken":"\#(text)","takenSource":"override","#) }, "\(answer)")
      #expect(!vault.files.answer("format paths\n\ndate:1953-01").contains("scan.jpg"))
    }
    try vault.files.close()
  }

  /// Photos that have a place of Debian's table get one of the user's own, and keep it at mounts that say nothing.
  @Test func placesFollowTheTableThatTheUserChose() throws {
    let near = try vault.photo("a.jpg", "position=48.8584,2.2945")
    let elsewhere = try vault.photo("b.jpg", "position=35.6812,139.7671")
    let nowhere = try vault.photo("c.jpg", "make=Canon")
    #expect(try vault.item(near)?.place?.town == "Paris")
    let folder = try TemporaryFolder()
    func choose(_ town: String) throws {
      let line = [
        "1", town, town, "", "48.8583", "2.2944", "P", "PPL", "FR", "", "11", "", "", "", "900", "", "", "Europe/Paris",
        "",
      ]
      try HostFile.write(Array((line.joined(separator: "\t") + "\n").utf8), to: folder.path(town))
      vault.vault.library.places = try #require(PlaceTables.debian.with(towns: FilePath(folder.path(town))))
      try vault.vault.reopen()
      try vault.settle()
      #expect(try vault.item(near)?.place?.town == town)
      #expect(try vault.item(nowhere)?.place == nil)
      // Whoever sorts by day needs the same table.
      let zone = try #require(vault.files.answer("zone\n\n").dropFirst().first)
      #expect(zone.contains(#""towns":"\#(folder.path(town))""#), "\(zone)")
      // Others who use the mount are not told where it is.
      let stranger = Opener(user: geteuid() + 77, group: 77)
      let told = vault.files.answer("zone\n\n", for: stranger).joined(separator: "\n")
      #expect(told.contains(#""townsHidden":true"#) && !told.contains(folder.path), "\(told)")
    }
    try choose("Gros-Caillou")
    let there = try vault.item(elsewhere)?.place
    #expect(there?.town != "Tokyo")
    try choose("Tour Eiffel")
    vault.vault.library.places = .debian
    try vault.vault.reopen()
    try vault.settle()
    #expect(try vault.item(near)?.place?.town == "Tour Eiffel")
    #expect(vault.files.answer("zone\n\n").allSatisfy { !$0.contains("towns") })
    #expect(vault.maker.asked == 0)
    #expect(PlaceTables.debian.with(towns: FilePath(folder.path("none"))) == nil)
    // Nobody writes into it.
    try systemCall { unsafe mkfifo(folder.path("fifo"), 0o600) }
    #expect(PlaceTables.debian.with(towns: FilePath(folder.path("fifo"))) == nil)
    try vault.files.close()
  }

  /// While the rules of a zone are read, which may take long, whoever uses files does not wait.
  @Test func nobodyWaitsForAZoneFile() throws {
    let folder = try TemporaryFolder()
    try systemCall { unsafe mkdir(folder.path("Europe"), 0o700) }
    let zone = folder.path("Europe/Paris")
    try systemCall { unsafe mkfifo(zone, 0o600) }
    vault.vault.library.places.zones = folder.path
    try vault.vault.reopen()
    let content = "photo taken=2019-08-15T12:34:56;position=48.8584,2.2945"
    let photo = try vault.files.make("a.jpg", with: Array(content.utf8))
    var writing: Descriptor?
    try waitUntil("the zone is being read") {
      writing = try? Descriptor.open(zone, O_WRONLY | O_NONBLOCK)
      return writing != nil
    }
    _ = try vault.files.make("meanwhile")
    try writing?.writeAll(try HostFile.read("/usr/share/zoneinfo/Europe/Paris"))
    writing = nil
    try vault.settle()
    #expect(try vault.item(photo)?.taken?.offset == 7200)
    try vault.files.close()
  }

  /// Nothing is read of a zone until a photo is known to be in it, whoever says so.
  @Test func aPositionThatAPersonSaysGivesTheZone() throws {
    let photo = try vault.photo("a.jpg", "taken=2019-08-15T12:34:56")
    #expect(try vault.item(photo)?.taken?.offset == nil)
    let offsets: [(position: String, offset: Int32)] = [("48.8584,2.2945", 7200), ("35.6812,139.7671", 32400)]
    for (position, offset) in offsets {
      try vault.set("user.agonyfs.position", of: photo, to: position)
      let taken = try #require(try vault.item(photo)?.taken)
      #expect(taken.offset == offset && taken.zoneSource == .gazetteer)
      #expect(vault.files.locked { $0.catalog.wantedZones.isEmpty })
    }
    try vault.files.close()
  }

  @Test func namesFollow() throws {
    let (one, two) = (try vault.files.folder("one"), try vault.files.folder("two"))
    let photo = try vault.photo("a.jpg", in: one)
    try vault.files.rename(.of("a.jpg"), in: one, to: .of("b.jpg"), in: two, flags: [])
    #expect(try vault.item(photo)?.names == [ItemName("two/b.jpg")])
    _ = try vault.files.link(photo, named: .of("c.jpg"), in: one)
    #expect(try vault.item(photo)?.names == [ItemName("one/c.jpg"), ItemName("two/b.jpg")])
    try vault.files.rename(.of("two"), in: .root, to: .of("three"), in: one, flags: [])
    #expect(Set(try #require(try vault.item(photo)).names) == [ItemName("one/c.jpg"), ItemName("one/three/b.jpg")])
    try vault.files.unlink(.of("c.jpg"), in: one)
    #expect(try vault.item(photo)?.names == [ItemName("one/three/b.jpg")])
    try vault.files.unlink(.of("b.jpg"), in: two)
    #expect(try vault.item(photo) == nil)
    try vault.files.close()
  }

  /// What begins with a dot is no photo here, and is one again under another name, with all its facts.
  @Test func hiddenNamesDoNotCount() throws {
    let photo = try vault.photo("a.jpg", "make=Canon")
    try vault.files.rename(.of("a.jpg"), in: .root, to: .of(".a.jpg"), in: .root, flags: [])
    #expect(try vault.item(photo) == nil)
    try vault.files.rename(.of(".a.jpg"), in: .root, to: .of("b.jpg"), in: .root, flags: [])
    try vault.settle()
    #expect(try vault.item(photo)?.names == [ItemName("b.jpg")])
    #expect(try vault.item(photo)?.camera.make == "Canon")
    try vault.files.close()
  }

  /// What a camera writes beside a video is no photo of its own, and is one under another name.
  @Test(arguments: ["MVI_1.THM", "gx010001.lrv"]) func whatBelongsToAVideoIsNoHit(name: String) throws {
    let photo = try vault.photo("a.jpg", "make=Canon")
    try vault.files.rename(.of("a.jpg"), in: .root, to: .of(name), in: .root, flags: [])
    #expect(try vault.item(photo) == nil)
    try vault.files.rename(.of(name), in: .root, to: .of("x" + name + ".jpg"), in: .root, flags: [])
    try vault.settle()
    #expect(try vault.item(photo)?.camera.make == "Canon")
    try vault.files.close()
  }

  /// Rows know their directory by its inode, so that a directory of any size is renamed by its own rows alone.
  @Test(arguments: [false, true]) func renamingADirectoryRewritesNoPhoto(isBelow: Bool) throws {
    let library = try CatalogLibrary()
    let outer = try library.files.folder("outer")
    let inner = isBelow ? try library.files.folder("inner", in: outer) : outer
    for number in 0..<300 { try library.add("\(number).jpg", in: inner) { $0.words.tags = ["Beach"] } }
    var changes: Int64 { library.files.locked { $0.index.connection.totalChanges } }
    try library.files.cataloguer.settle()
    let before = changes
    try library.files.rename(.of("outer"), in: .root, to: .of("elsewhere"), in: library.folders[1], flags: [])
    try library.files.cataloguer.settle()
    #expect(changes - before < 60)
    let names = try library.photos.compactMap { try library.item($0)?.names.first?.path }
    let folder = Array("2019/elsewhere/\(isBelow ? "inner/" : "")".utf8)
    #expect(names.count == 300 && names.allSatisfy { $0.starts(with: folder) })
    try library.files.close()
    try vault.files.close()
  }

  /// What takes a name away from a photo takes its row away.
  @Test func aReplacedPhotoIsGone() throws {
    let old = try vault.photo("a.jpg", "make=Old")
    let new = try vault.photo("b.jpg", "make=New")
    try vault.files.rename(.of("b.jpg"), in: .root, to: .of("a.jpg"), in: .root, flags: [])
    #expect(try vault.item(old) == nil)
    #expect(try vault.item(new)?.names == [ItemName("a.jpg")])
    try vault.files.rename(.of("a.jpg"), in: .root, to: .of("t"), in: .root, flags: [])
    #expect(try vault.item(new)?.names == [ItemName("t")])
    try vault.files.close()
  }

  @Test func aNewContentHasNewFacts() throws {
    let photo = try vault.photo("a.jpg", "make=Canon")
    try vault.set("user.xdg.tags", of: photo, to: "mine")
    try vault.text("a.jpg", "photo make=Nikon")
    let item = try #require(try vault.item(photo))
    #expect(item.camera.make == "Nikon" && item.words.tags == ["mine"])
    try vault.text("a.jpg", "no photo any more")
    #expect(try vault.item(photo) == nil)
    try vault.files.close()
  }

  @Test func attributesAreTheUsersWords() throws {
    let photo = try vault.photo(
      "a.jpg", "tags=sea,sun;caption=theirs;rating=2;title=Theirs;position=48.8584,2.2945;people=Ann")
    for (name, value) in [
      ("xdg.tags", "mine, a tag"), ("agonyfs.without", "sun"), ("xdg.comment", "mine"), ("baloo.rating", "9"),
      ("agonyfs.title", ""), ("agonyfs.favourite", "1"), ("agonyfs.people", "Doe, John\nEve"),
      ("agonyfs.taken", "1826-01-01"), ("agonyfs.position", "none"),
    ] {
      try vault.set("user." + name, of: photo, to: value)
    }
    var item = try #require(try vault.item(photo))
    #expect(item.words.tags == ["a tag", "mine", "sea"])
    #expect(item.words.caption == "mine" && item.words.title == nil && item.words.rating == 5)
    #expect(item.words.isFavourite && item.words.people == ["Ann", "Doe, John", "Eve"])
    #expect(item.taken?.wall.description == "1826-01-01" && item.taken?.source == .override)
    #expect(item.position == nil && item.place == nil)
    try vault.set("user.xdg.tags", of: photo, to: "")
    try vault.set("user.agonyfs.people", of: photo, to: "")
    item = try #require(try vault.item(photo))
    #expect(item.words.tags == [] && item.words.people == [])
    // They are there after the next mount, and go when they are taken away.
    try vault.vault.reopen()
    #expect(try vault.item(photo) == item)
    for name in try vault.files.listExtendedAttributes(of: photo).split(separator: 0) {
      try vault.files.removeExtendedAttribute(Array(name), of: photo)
    }
    item = try #require(try vault.item(photo))
    #expect(item.words.tags == ["sea", "sun"] && item.words.caption == "theirs" && item.words.rating == 2)
    #expect(item.words.title == "Theirs" && !item.words.isFavourite && item.place?.town == "Paris")
    try vault.files.close()
  }

  /// Whatever case, whoever says it, and whether one level of it or all.
  @Test func aTagIsListedOnce() throws {
    let photo = try vault.photo("a.jpg", "tags=Paris,paris,Places/Paris,Sea")
    func check(_ tags: [String], tag: String = "", without: String = "", count: Int) throws {
      try vault.set("user.xdg.tags", of: photo, to: tag.isEmpty ? "," : tag)
      try vault.set("user.agonyfs.without", of: photo, to: without)
      #expect(try vault.item(photo)?.words.tags == tags)
      #expect(vault.files.answer("format count\n\ntag:paris") == ["ok", "\(count)"])
    }
    try check(["Places/Paris", "Sea"], count: 1)
    try check(["Places/Paris", "Sea"], tag: "sea,paris", count: 1)
    try check(["Sea"], without: "places/paris", count: 0)
    try check(["Places/Paris", "sea"], tag: "sea", without: "SEA", count: 1)
    try vault.files.close()
  }

  /// An earlier program wrote a slash that belongs to a tag without a backslash: what was taken away stays away.
  @Test func aTagWithASlashStaysAway() throws {
    let photo = try vault.photo("a.jpg", #"tags=AC\/DC,Places/Paris,Sea"#)
    try vault.set("user.agonyfs.without", of: photo, to: "ac/dc")
    #expect(try vault.item(photo)?.words.tags == ["Places/Paris", "Sea"])
    try vault.set("user.agonyfs.without", of: photo, to: #"places\/paris"#)
    #expect(try vault.item(photo)?.words.tags == [#"AC\/DC"#, "Places/Paris", "Sea"])
    try vault.files.close()
  }

  @Test(arguments: ["", ",", " , ,", "\n", "a,b,a", String(repeating: "x,", count: 30_000), "\u{0}", "\u{FFFD}"])
  func strangeTagsHaveANormalForm(value: String) throws {
    let photo = try vault.photo("a.jpg")
    try vault.set("user.xdg.tags", of: photo, to: value)
    for name in ["user.baloo.rating", "user.agonyfs.taken", "user.agonyfs.position", "user.agonyfs.favourite"] {
      try vault.set(name, of: photo, to: value)
    }
    let tags = try #require(try vault.item(photo)).words.tags
    #expect(tags == TagList.normal(value.split(separator: ",").map(String.init)))
    try vault.files.close()
  }

  /// Who may read a file, and when it was modified, is in its row as well.
  @Test func attributesOfTheFileFollow() throws {
    let photo = try vault.photo("a.jpg")
    try vault.files.change(photo) {
      $0.mode = 0o600
      $0.modified = .at(Timestamp(seconds: 1_000_000_000, nanoseconds: 0))
    }
    let item = try #require(try vault.item(photo))
    #expect(item.taken?.wall.description == "2001-09-09T01:46:40" && item.taken?.source == .fileTime)
    let rights = try vault.files.locked { files in
      try files.index.catalog.text(ofTerm: try #require(try files.index.catalog.item(photo)).rights)
    }
    #expect(rights == "600 1000 1000 0")
    try vault.files.close()
  }

  /// The time of the file is none that is known, also in the row of a program that does not tell them apart.
  @Test func theTimeOfTheFileIsNotKnown() throws {
    _ = try vault.photo("dated.jpg", "taken=2019-08-15T12:34:56+02:00")
    let undated = try vault.photo("undated.jpg")
    #expect(try vault.item(undated)?.taken?.source == .fileTime)
    for isOld in [false, true] {
      if isOld { try vault.files.ageRow(of: undated) }
      for (query, name) in [("has:time", "dated.jpg"), ("-has:time", "undated.jpg")] {
        let answer = vault.files.answer("\n\(query)")
        #expect(answer.count == 3 && answer.dropFirst().first == name, "\(query) \(isOld)")
        #expect(vault.files.answer("format count\n\n\(query)") == ["ok", "1"], "\(query) \(isOld)")
      }
    }
    try vault.files.close()
  }

  /// A copy says what its original does, until something is said about it.
  @Test func copiesHaveTheWords() throws {
    let photo = try vault.photo("a.jpg", "make=Canon")
    #expect(try vault.item(photo)?.links.isDuplicate == false)
    try vault.set("user.xdg.tags", of: photo, to: "mine")
    let copy = try vault.photo("b.jpg", "make=Canon")
    #expect(vault.maker.derived == 1)
    let item = try #require(try vault.item(copy))
    #expect(item.words.tags == ["mine"] && item.camera.make == "Canon" && item.links.isDuplicate)
    #expect(try vault.item(photo)?.links.isDuplicate == true)
    try vault.files.removeExtendedAttribute(Array("user.xdg.tags".utf8), of: copy)
    #expect(try vault.item(copy)?.words.tags == [])
    try vault.set("user.agonyfs.distinct", of: copy, to: "1")
    #expect(try vault.item(copy)?.links.isDuplicate == false)
    try vault.files.unlink(.of("b.jpg"), in: .root)
    #expect(try vault.item(photo)?.links.isDuplicate == false)
    try vault.files.close()
  }

  /// What one person says about a photo is not told to another who has the same one.
  @Test func copiesOfOthersSayNothing() throws {
    let photo = try vault.photo("a.jpg", "make=Canon")
    try vault.set("user.xdg.tags", of: photo, to: "mine")
    let other = Caller(user: 2000, group: 2000)
    let copy = try vault.files.makeNode(
      .of("b.jpg"), in: .root, mode: FileKind.regular | 0o644, device: 0, caller: other
    ).inode
    try vault.files.put(Array("photo make=Canon".utf8), copy)
    try vault.settle()
    #expect(try vault.item(copy)?.words.tags == [])
    #expect(try vault.files.listExtendedAttributes(of: copy).isEmpty)
    try vault.files.close()
  }

  /// Photos that were looked at before there was a catalog are asked, and their thumbnails stay.
  @Test func olderPhotosAreAsked() throws {
    let photos = try (0..<20).map { try vault.photo("\($0).jpg", "title=\($0)") }
    try vault.files.locked { files in
      for photo in photos { try files.index.catalog.deleteMediaItem(photo) }
      try files.index.setMeta("catalog", to: 0)
    }
    let derived = vault.maker.derived
    try vault.vault.reopen()
    try vault.settle()
    for (number, photo) in photos.enumerated() { #expect(try vault.item(photo)?.words.title == "\(number)") }
    #expect(vault.maker.derived == derived && vault.maker.asked == 20)
    // Once.
    try vault.vault.reopen()
    try vault.settle()
    #expect(vault.maker.asked == 20)
    try vault.files.close()
  }

  /// What has the name of no photo gets no row, however often it is asked; the photos after it get theirs.
  @Test(arguments: ["MVI_1.THM", "gx010001.lrv", ".hidden.jpg"]) func whatGetsNoRowIsAskedOnce(name: String) throws {
    let photos = try (0..<3).map { try vault.photo("\($0).jpg", "title=\($0)") }
    try vault.files.rename(.of("1.jpg"), in: .root, to: .of(name), in: .root, flags: [])
    try vault.settle()
    try vault.files.locked { files in
      for photo in photos { try files.index.catalog.deleteMediaItem(photo) }
      try files.index.setMeta("catalog", to: 0)
    }
    for _ in 0..<2 {
      try vault.vault.reopen()
      try vault.settle()
      #expect(vault.maker.asked == 3)
      #expect(try photos.map { try vault.item($0)?.words.title } == ["0", nil, "2"])
      #expect(try vault.files.thumbnailer.unexaminedCount() == 0)
    }
    try vault.files.close()
  }
}
