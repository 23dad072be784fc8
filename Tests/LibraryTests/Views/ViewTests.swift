import AlbumsSupport
import Catalog
import Glibc
import Index
import Media
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Library
@testable import Vault

/// Views without the kernel.
@Suite struct ViewTests {
  let fixture: ViewFixture
  var files: FileSystem { fixture.files }
  var tree: VirtualTree { fixture.tree }

  init() throws { fixture = try ViewFixture() }

  /// Several users together have as many doors as there is memory for.
  @Test func doorsOfAllUsersAreCounted() throws {
    let (ofUser, ofAll) = VirtualTree.mostDoors
    let users = (0...ofAll / ofUser).map { Opener(user: 2000 + UInt32($0), group: 2000, groups: []) }
    let last = users[users.count - 1]
    let doors = try users.dropLast().flatMap { user in try (0..<ofUser).map { _ in try tree.openDoor(for: user) } }
    expect(.tooManyOpenFilesInSystem) { _ = try tree.openDoor(for: last) }
    tree.release(doors[0])
    _ = try tree.openDoor(for: last)
    expect(.tooManyOpenFilesInSystem) { _ = try tree.openDoor(for: last) }
    try files.close()
  }

  /// One looks and four wait, so that other threads of a mount stay free; another program is asked to try again.
  @Test func fewWaitForOneThatLooks() throws {
    let memory = ViewMemory()
    let files = files
    let answers = Atomic(0)
    let refusals = Atomic(0)
    let folders: [ViewFolder] = (0..<8).map { .rating($0) }
    try inThreads(folders.count) { thread in
      do throws(Errno) {
        _ = try memory.value(of: folders[thread], in: memory.known, files, isNew: true, size: { _ in 1 }) {
          // Who looks goes on when all others have come.
          while answers.load(ordering: .relaxed) == 0, refusals.load(ordering: .relaxed) < 3 { usleep(1000) }
          answers.add(1, ordering: .relaxed)
          return true
        }
      } catch {
        #expect(error == .resourceTemporarilyUnavailable)
        refusals.add(1, ordering: .relaxed)
      }
    }
    #expect(answers.load(ordering: .relaxed) == 5 && refusals.load(ordering: .relaxed) == 3)
    try files.close()
  }

  @Test func datesAreDirectories() throws {
    let album = try files.folder("Summer")
    try fixture.photo("a.jpg", in: album, fixture.taken(2024, 8, 15))
    try fixture.photo("b.jpg", fixture.taken(2024, 8, 15))
    try fixture.photo("c.jpg", fixture.taken(2024, 12, 1))
    try fixture.photo("d.jpg", fixture.taken(826, 2, 28))
    try fixture.photo("e.jpg", fixture.taken(9999, 12, 31))
    try fixture.photo("f.jpg")
    // The time of the file sorts a photo, and is no date of it.
    try fixture.photo("g.jpg") { item in
      item.taken = WallTime(seconds: 1_600_000_000).map {
        CapturedTime(wall: $0, source: .fileTime, offset: 0, zoneSource: .universal)
      }
    }
    #expect(try fixture.list("views/by-date") == ["0826", "2024", "9999", "undated"])
    #expect(try fixture.list("views/by-date/2024") == ["08", "12"])
    #expect(try fixture.list("views/by-date/2024/08") == ["15"])
    #expect(try fixture.list("views/by-date/2024/08/15") == ["a.jpg", "b.jpg"])
    #expect(try fixture.list("views/by-date/9999/12/31") == ["e.jpg"])
    #expect(try fixture.list("views/by-date/undated") == ["f.jpg", "g.jpg"])
    #expect(try fixture.target("views/by-date/2024/08/15/a.jpg") == "../../../../../../Summer/a.jpg")
    #expect(try fixture.target("views/by-date/undated/f.jpg") == "../../../../f.jpg")
    for path in [
      "2020", "2023", "2024/07", "2024/08/16", "2024/8", "2024/00", "2024/13", "2024/08/32", "24", "x",
      "2024/08/15/c.jpg", "2024/02/31",
    ] {
      expect(.noSuchFileOrDirectory) { _ = try fixture.node("views/by-date/" + path) }
    }
    try files.close()
  }

  /// What is known in part lies beside the months of its year, or the days of its month.
  @Test func datesThatAreKnownInPart() throws {
    for (name, month) in [("year.jpg", nil), ("month.jpg", 7)] as [(String, Int?)] {
      try fixture.photo(name) { item in
        item.taken = WallTime(year: 1953, month: month).map { CapturedTime(wall: $0, source: .xmp) }
      }
    }
    try fixture.photo("day.jpg", fixture.taken(1953, 7, 1))
    try fixture.photo("whole.jpg", fixture.taken(1954, 1, 1))
    #expect(try fixture.list("views/by-date") == ["1953", "1954"])
    #expect(try fixture.list("views/by-date/1953") == ["07", "undated"])
    #expect(try fixture.list("views/by-date/1953/undated") == ["year.jpg"])
    #expect(try fixture.list("views/by-date/1953/07") == ["01", "undated"])
    #expect(try fixture.list("views/by-date/1953/07/undated") == ["month.jpg"])
    #expect(try fixture.list("views/by-date/1953/07/01") == ["day.jpg"])
    #expect(try fixture.target("views/by-date/1953/undated/year.jpg") == "../../../../../year.jpg")
    #expect(try fixture.target("views/by-date/1953/07/undated/month.jpg") == "../../../../../../month.jpg")
    for path in ["1953/01", "1954/undated", "1954/01/undated", "1953/07/undated/year.jpg"] {
      expect(.noSuchFileOrDirectory) { _ = try fixture.node("views/by-date/" + path) }
    }
    try files.close()
  }

  @Test func placesTagsCamerasTypesAndRatingsAreDirectories() throws {
    func place(_ town: String, _ region: String, _ code: String, _ country: String) -> Place {
      Place(id: 1, town: town, region: region, countryCode: code, country: country, zone: "")
    }
    try fixture.photo("a.jpg") { item in
      item.place = place("Paris", "Île-de-France", "FR", "France")
      item.words.tags = ["Family", "Places/Paris", ".x", String(repeating: "t", count: 300)]
      item.camera.make = "Canon"
      item.camera.model = "EOS 5D"
      item.words.rating = 5
      item.words.isFavourite = true
    }
    try fixture.photo("b.jpg") { item in
      item.kind = .raw
      item.place = place("Springfield", "Illinois", "US", "United States")
      item.words.rating = -1
      item.camera.model = "50 % f/2"
    }
    try fixture.photo("c.mp4") { item in
      item.kind = .mp4
      item.place = place("Springfield", "Missouri", "US", "United States")
    }
    #expect(
      try fixture.list("views") == [
        "by-camera", "by-date", "by-place", "by-rating", "by-tag", "by-type", "duplicates", "favourites", "search",
      ])
    let long = try #require(try fixture.list("views/by-tag").first { $0.count > 200 })
    for (path, names) in [
      ("by-place", ["FR", "US"]), ("by-place/FR", ["Paris"]), ("by-place/FR/Paris", ["a.jpg"]),
      ("by-place/US", ["Springfield, Illinois", "Springfield, Missouri"]),
      ("by-place/US/Springfield, Missouri", ["c.mp4"]),
      ("by-tag", ["%2Ex", "Family", "Places%2FParis", long]), ("by-tag/Places%2FParis", ["a.jpg"]),
      ("by-tag/\(long)", ["a.jpg"]), ("by-tag/%2Ex", ["a.jpg"]),
      ("by-camera", ["50 %25 f%2F2", "Canon EOS 5D"]), ("by-camera/50 %25 f%2F2", ["b.jpg"]),
      ("by-type", ["jpeg", "mp4", "raw"]), ("by-type/raw", ["b.jpg"]),
      ("by-rating", ["5", "rejected", "unrated"]), ("by-rating/rejected", ["b.jpg"]),
      ("by-rating/unrated", ["c.mp4"]), ("favourites", ["a.jpg"]),
    ] as [(String, [String])] {
      #expect(try fixture.list("views/" + path) == names, "\(path)")
    }
    #expect(try fixture.target("views/by-place/FR/Paris/a.jpg") == "../../../../../a.jpg")
    for path in ["by-tag/Nothing", "by-place/DE", "by-place/FR/Lyon", "by-rating/4", "by-type/png", "by-type/.hidden"] {
      expect(.noSuchFileOrDirectory) { _ = try fixture.node("views/" + path) }
    }
    try files.close()
  }

  @Test func searchesAreMadeByName() throws {
    let album = try files.folder("Paris")
    try fixture.photo("a.jpg", in: album) { $0.words.rating = 4 }
    try fixture.photo("b.jpg", in: album) { $0.words.rating = 1 }
    #expect(try fixture.list("views/search") == [])
    #expect(try fixture.list("views/search/paris rating:>=3") == ["a.jpg"])
    #expect(try fixture.target("views/search/paris rating:>=3/a.jpg") == "../../../../Paris/a.jpg")
    #expect(try fixture.list("views/search/album:%2Fparis") == ["a.jpg", "b.jpg"])
    #expect(try fixture.list("views/search/nothing") == [])
    for query in ["rating:x", "\"open", "colour:red"] {
      expect(.invalidArgument) { _ = try fixture.node("views/search/" + query) }
    }
    expect(.noSuchFileOrDirectory) { _ = try fixture.node("views/search/.hidden") }
    expect(.invalidArgument) {
      _ = try tree.lookup(try #require(FileName([0xFF])), in: .view(.search))
    }
    try files.close()
  }

  /// Names of a directory differ, whatever files are called, and each leads to its file.
  @Test func namesThatCollideHaveTheInode() throws {
    let folders = try (0..<3).map { try files.folder("\($0)") }
    let one = try fixture.photo("a.jpg", in: folders[0], fixture.taken(2020, 1, 1))
    let two = try fixture.photo("a.jpg", in: folders[1], fixture.taken(2020, 1, 1))
    let liar = try fixture.photo("a~\(one.rawValue).jpg", in: folders[2], fixture.taken(2020, 1, 1))
    let odd = try fixture.photo("b.jpg", in: folders[2], fixture.taken(2020, 1, 1))
    let day = "views/by-date/2020/01/01"
    let names = ["a~\(one.rawValue).jpg", "a~\(one.rawValue)~\(liar.rawValue).jpg", "a~\(two.rawValue).jpg", "b.jpg"]
    #expect(try fixture.list(day) == names.sorted())
    for (name, target) in zip(names, ["0/a.jpg", "2/a~\(one.rawValue).jpg", "1/a.jpg", "2/b.jpg"]) {
      #expect(try fixture.target(day + "/" + name) == "../../../../../../" + target)
    }
    // A name that was listed before stays good.
    #expect(try fixture.target(day + "/a.jpg").hasSuffix("0/a.jpg"))
    #expect(try fixture.target(day + "/b~\(odd.rawValue).jpg").hasSuffix("2/b.jpg"))
    expect(.noSuchFileOrDirectory) { _ = try fixture.node(day + "/c~\(odd.rawValue).jpg") }
    try files.close()
  }

  @Test func namesInAnyEncoding() throws {
    let names: [[UInt8]] = [
      Array("new\nline.jpg".utf8), [0xFF, 0xFE, 0x2E], Array(repeating: 0x78, count: 255), Array("~1.jpg".utf8),
      Array(String(repeating: "é", count: 127).utf8),
    ]
    let folders = try [files.folder("a"), files.folder("b")]
    var inodes: Set<UInt64> = []
    for (name, folder) in names.flatMap({ name in folders.map { (name, $0) } }) {
      let made = try files.makeNode(
        #require(FileName(name)), in: folder, mode: FileKind.regular | 0o644, device: 0, caller: caller)
      try files.put(Array("photo \(made.inode.rawValue)".utf8), made.inode)
      try fixture.describe(made.inode) { $0.words.isFavourite = true }
      inodes.insert(made.inode.rawValue)
    }
    var found: Set<UInt64> = []
    let favourites = try fixture.node("views/favourites")
    var listed: [FileName] = []
    try tree.list(favourites, after: 2) { name, _, _, _ in
      listed.append(copy name)
      return true
    }
    for name in listed {
      guard case .link(_, let inode) = try tree.lookup(name, in: favourites) else { throw Errno.invalidArgument }
      found.insert(inode.rawValue)
    }
    #expect(listed.count == 10 && Set(listed).count == 10)
    #expect(found == inodes)
    try files.close()
  }

  /// Photos that come and go between two parts of a listing change nothing for the others.
  @Test func listingGoesOnWhilePhotosComeAndGo() throws {
    var inodes: [InodeNumber] = []
    for number in 0..<40 { inodes.append(try fixture.photo("\(number).jpg") { $0.words.isFavourite = true }) }
    let favourites = try fixture.node("views/favourites")
    var names: [String] = []
    var cookie: UInt64 = 0
    var round = 0
    while true {
      var left = 7
      try fixture.settle()
      try tree.list(favourites, after: cookie) { name, _, _, place in
        if left == 0 { return false }
        names.append(String(decoding: name.bytes, as: UTF8.self))
        cookie = place
        left -= 1
        return true
      }
      if left == 7 { break }
      try fixture.photo("new \(round).jpg") { $0.words.isFavourite = true }
      // The last that was listed, and the last of all.
      if round < 3 {
        try files.unlink(.of(try #require(names.last)), in: .root)
        try files.unlink(.of("\(39 - round).jpg"), in: .root)
      }
      round += 1
    }
    let listed = Set(names)
    #expect(listed.count == names.count)
    for number in 0..<37 { #expect(listed.contains("\(number).jpg")) }
    for number in 37..<40 { #expect(!listed.contains("\(number).jpg")) }
    #expect(try fixture.list("views/favourites").contains("new 0.jpg"))
    try files.close()
  }

  @Test func linksFollowTheirPhotos() throws {
    let photo = try fixture.photo("a.jpg") { $0.words.isFavourite = true }
    let before = try tree.link(to: photo, depth: 3)
    #expect(String(decoding: before.target, as: UTF8.self) == "../../../a.jpg")
    #expect(before.attributes.mode == FileKind.symbolicLink | 0o777 && before.attributes.links == 1)
    try files.rename(.of("a.jpg"), in: .root, to: .of("b.jpg"), in: .root, flags: [])
    let after = try tree.link(to: photo, depth: 3)
    #expect(String(decoding: after.target, as: UTF8.self) == "../../../b.jpg")
    // The same number: without another generation the kernel would keep the old target.
    #expect(after.attributes.inode == before.attributes.inode && after.generation != before.generation)
    try files.unlink(.of("b.jpg"), in: .root)
    expect(.noSuchFileOrDirectory) { _ = try tree.link(to: photo, depth: 3) }
    try files.close()
  }

  /// A name that begins with a dot is no photo's, and a photo that has another one keeps that.
  @Test func photosUnderAHiddenNameAreInNoView() throws {
    let photo = try fixture.photo("b.jpg", fixture.taken(2020, 1, 1))
    try fixture.photo("c.jpg", fixture.taken(2020, 1, 2))
    _ = try files.link(photo, named: .of(".a.jpg"), in: .root)
    #expect(try fixture.list("views/by-type/jpeg") == ["b.jpg", "c.jpg"])
    #expect(try fixture.target("views/by-type/jpeg/b.jpg").hasSuffix("../b.jpg"))
    try files.unlink(.of("b.jpg"), in: .root)
    #expect(try fixture.list("views/by-type/jpeg") == ["c.jpg"])
    try files.close()
  }

  @Test func trashAndWhatTheOwnerMayNotReadAreInNoView() throws {
    let trash = try files.folder(".Trash-1000")
    try fixture.photo("gone.jpg", in: trash, fixture.taken(2020, 1, 1))
    let other = try fixture.closedPhoto(in: .root, fixture.taken(2020, 1, 2))
    try fixture.photo("mine.jpg", fixture.taken(2020, 1, 3))
    #expect(try fixture.list("views/by-date/2020/01") == ["03"])
    #expect(try fixture.list("views/by-type/jpeg") == ["mine.jpg"])
    #expect(try fixture.list("views/search/is:trashed") == ["gone.jpg"])
    #expect(try fixture.target("views/search/is:trashed/gone.jpg") == "../../../../.Trash-1000/gone.jpg")
    expect(.noSuchFileOrDirectory) { _ = try tree.link(to: other, depth: 3) }
    expect(.noSuchFileOrDirectory) { _ = try fixture.node("views/by-date/2020/01/02") }
    try files.close()
  }

  @Test func onlyTheOwnerMayEnter() throws {
    try fixture.photo("a.jpg") { $0.words.isFavourite = true }
    for path in ["views", "views/favourites", "views/search", "views/search/a", "covers"] {
      let attributes = try tree.attributes(of: fixture.node(path))
      #expect(attributes.mode == FileKind.directory | 0o500, "\(path)")
      #expect(attributes.owner == 1000)
    }
    #expect(try tree.attributes(of: .viewShared(.favourites)).mode == FileKind.directory | 0o500)
    try files.close()
  }

  /// The kernel lists a directory anew only when its time changed.
  @Test func directoriesTellOfChanges() throws {
    try fixture.photo("a.jpg") { $0.words.isFavourite = true }
    let before = try tree.attributes(of: .view(.favourites)).modified
    try fixture.photo("b.jpg") { $0.words.isFavourite = true }
    #expect(try tree.attributes(of: .view(.favourites)).modified > before)
    try files.close()
  }
}
