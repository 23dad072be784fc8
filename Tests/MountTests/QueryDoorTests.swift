import CMount
import CPlatform
import Catalog
import FaultyStorage
import Glibc
import Index
import Library
import Media
import System
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import Albums
@testable import Mount

extension LiveMountTests {
  /// The door to the catalog, through the kernel.
  @Suite struct QueryDoorTests {
    private func door(_ live: LiveMount) -> String { live.path(".agonyfs/query") }

    /// Makes a file with facts.
    @discardableResult
    private func add(_ path: String, _ live: LiveMount, _ adjust: (inout MediaItem) -> Void = { _ in }) throws -> UInt64
    {
      try System.write([1], to: live.path(path))
      let inode = InodeNumber(rawValue: UInt64(try System.status(live.path(path)).st_ino))
      var item = MediaItem(inode: inode.rawValue, kind: .jpeg)
      adjust(&item)
      let attributes = try live.fileSystem.attributes(of: inode)
      try live.fileSystem.locked { files in
        let names = try files.index.catalog.names(of: inode, limit: 9).map { ($0.parent, $0.name.bytes) }
        let rights = ItemRights(
          mode: attributes.mode, owner: attributes.owner, group: attributes.group, mayHaveList: false)
        try files.index.catalog.setMediaItem(
          item, at: ItemPlace(names: names, rights: rights), found: [], version: Int64(MediaItem.factsVersion))
      }
      return inode.rawValue
    }

    private func open(_ live: LiveMount, _ flags: CInt = O_RDWR) throws -> Descriptor {
      try Descriptor.open(door(live), flags)
    }

    private func ask(_ text: String, _ descriptor: Descriptor) throws -> String {
      try descriptor.writeAll(Array(text.utf8))
      return String(decoding: try descriptor.readToEnd(), as: UTF8.self)
    }

    private func trailer(_ count: Int) -> String { #"{"end":true,"count":\#(count),"next":null,"pending":"# }

    /// Each may hold a megabyte, so one user has so many.
    @Test func doorsAreCounted() throws {
      let live = try LiveMount()
      let most = VirtualTree.mostDoors.ofUser
      do {
        let doors = try (0..<most).map { _ in try open(live) }
        #expect(throws: Errno.tooManyOpenFiles) { try open(live) }
        #expect(try ask("format count\n\n", doors[most - 1]) == "ok\n0\n")
      }
      // The kernel says later that they were closed.
      try waitUntil("the doors are closed") { (try? open(live)) != nil }
    }

    @Test func pathsJSONCountsAndGroups() throws {
      let live = try LiveMount()
      try System.check(unsafe mkdir(live.path("album"), 0o755))
      try add("album/a \"b\".jpg", live) { item in
        item.words.tags = ["x"]
        item.taken = WallTime(seconds: 1_565_872_496, nanoseconds: 789_000_000).map {
          CapturedTime(wall: $0, source: .exif, offset: 7200, zoneSource: .gazetteer)
        }
        item.sources[.time] = FactSources(.exif)
        item.sources[.tags] = [FactSources(.xmp), FactSources(.iptc)]
      }
      try add("c.jpg", live)
      // Every question on one descriptor: a write after a read begins the next.
      let asking = try open(live)
      #expect(try ask("", asking).hasPrefix("ok\nalbum/a \"b\".jpg\nc.jpg\n\n" + trailer(2)))
      #expect(try ask("format paths0\n\n", asking).hasPrefix("ok\nalbum/a \"b\".jpg\0c.jpg\0\0" + trailer(2)))
      #expect(try ask("format count\n\ntag:x", asking) == "ok\n1\n")
      let json = try ask("format json\nlimit 1\n\n", asking).split(separator: "\n")
      #expect(json.count == 3)
      #expect(json[1].contains(#""path":"album/a \"b\".jpg","kind":"jpeg","size":0"#))
      #expect(
        json[1].contains(#""taken":"2019-08-15T12:34:56.789+02:00","takenSource":"exif","zoneSource":"gazetteer""#))
      #expect(json[1].contains(#""tags":["x"]"#) && !json[1].contains("sources"))
      #expect(json[2].hasPrefix(#"{"end":true,"count":1,"next":"1d1."#))
      let groups = try ask("group tag\n\n", asking).split(separator: "\n")
      #expect(groups[1] == #"{"title":"x","count":1,"newest":"album/a \"b\".jpg","query":"tag:=\"x\""}"#)
      #expect(groups[2] == #"{"title":null,"count":1,"newest":"c.jpg","query":"-has:tags"}"#)
      #expect(groups[3].hasPrefix(trailer(2)))
      // With the prefix "M/", and "album" left out.
      let shown = try ask("format json\nwithin 616c62756d\nprefix 4d2f\n\n", asking)
      #expect(shown.contains(#""path":"M/a \"b\".jpg","kind""#))
      #expect(try ask("group tag\nprefix ff\n\n-tag:x", asking).contains(#""newestBytes":"ff632e6a7067""#))
      let facts = try ask("facts album/a \"b\".jpg\n\n", asking)
      #expect(facts.contains(#""sources":{"taken":["exif"],"tags":["xmp","iptc"]}}"#))
      #expect(try ask("facts none\n\n", asking).hasPrefix("error\nThere is no such photo"))
    }

    /// Eight bytes, the inode and a path for each photo; of several names the one in the directory that is asked for.
    @Test func tilesSayShapeColourKindAndDay() throws {
      let live = try LiveMount()
      for name in ["a", "b"] { try System.check(unsafe mkdir(live.path(name), 0o755)) }
      func describe(_ item: inout MediaItem) {
        (item.width, item.height) = (3000, 2000)
        item.meanColour = .init(red: 1, green: 2, blue: 3)
        item.words.isFavourite = true
        item.words.rating = 4
        item.taken = WallTime(seconds: 86_400).map { CapturedTime(wall: $0, source: .exif) }
      }
      let one = try add("a/1.jpg", live, describe)
      let two = try add("a/2.mp4", live) { $0.kind = .mp4 }
      let asking = try open(live)
      func answer(_ text: String) throws -> [UInt8] {
        try asking.writeAll(Array(text.utf8))
        return try asking.readToEnd()
      }
      // 25,568 days after 1900-01-01 is 1970-01-02.
      func bytes(_ number: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
      let first = [0xDC, 0x05, 1, 2, 3, 48, 0xE0, 0x63] + bytes(one)
      let second = [0, 0, 0, 0, 0, 1, 0, 0] + bytes(two)
      func whole(_ one: String, _ two: String) -> [UInt8] {
        Array("ok\n".utf8) + first + Array(one.utf8) + [0] + second + Array(two.utf8) + [0]
          + [UInt8](repeating: 0, count: 17) + Array(trailer(2).utf8)
      }
      #expect(try answer("format tiles\n\n").starts(with: whole("a/1.jpg", "a/2.mp4")))
      try System.check(unsafe link(live.path("a/1.jpg"), live.path("b/9.jpg")))
      // As the catalog does by itself a moment later.
      try add("a/1.jpg", live, describe)
      #expect(try answer("format tiles\n\n").starts(with: whole("a/1.jpg", "a/2.mp4")))
      func inside(_ path: String) -> [UInt8] {
        Array("ok\n".utf8) + first + Array(path.utf8) + [0] + [UInt8](repeating: 0, count: 17) + Array(trailer(1).utf8)
      }
      #expect(try answer("format tiles\nwithin 62\n\n").starts(with: inside("b/9.jpg")))
      #expect(try answer("format tiles\nsort name\nwithin 62\n\n").starts(with: inside("b/9.jpg")))
      // The name in the directory itself, and not the lower one below it.
      try System.check(unsafe mkdir(live.path("b/1"), 0o755))
      try System.check(unsafe link(live.path("a/1.jpg"), live.path("b/1/0.jpg")))
      try add("a/1.jpg", live, describe)
      #expect(try answer("format tiles\nwithin 62\n\n").starts(with: inside("b/9.jpg")))
      #expect(try answer("format tiles\nwithin x\n\n").starts(with: Array("error\n".utf8)))
      // 1900-01-01 and 2079-06-07 are the days on both sides of what two bytes can say.
      for (seconds, day) in [
        (-25_567 * 86_400, 0), (-25_566 * 86_400, 1), (39_968 * 86_400, 65_535), (39_969 * 86_400, 0),
      ] {
        try add("a/1.jpg", live) {
          $0.taken = WallTime(seconds: Int64(seconds)).map { CapturedTime(wall: $0, source: .exif) }
        }
        let tile = try answer("format tiles\nsort name\n\n").dropFirst(3)
        #expect(Int(tile[9]) | Int(tile[10]) << 8 == day, "\(seconds)")
      }
      // 19,539 days after 1900-01-01 is 1953-07-01.
      for (month, day, kind) in [(7, 19_539, 64), (nil, 19_358, 128)] as [(Int?, Int, UInt8)] {
        try add("a/1.jpg", live) {
          $0.taken = WallTime(year: 1953, month: month).map { CapturedTime(wall: $0, source: .exif) }
        }
        let tile = try answer("format tiles\nsort name\n\n").dropFirst(3)
        #expect(Int(tile[9]) | Int(tile[10]) << 8 == day && tile[8] == kind)
      }
    }

    @Test func faultsSayWhere() throws {
      let live = try LiveMount()
      let asking = try open(live)
      #expect(
        try ask("camra:canon", asking)
          == "error\nThere is no field camra: did you mean camera\n  camra:canon\n  ^^^^^\n")
      for (text, part) in [
        ("fromat json\n\n", "fromat json"), ("format xml\n\n", "format must be one of"), ("limit -1\n\n", "limit"),
        ("sort age\n\n", "sort must be one of"), ("after 7\n\n", "after"), ("group age\n\n", "group must be one of"),
        ("format groups\n\n", "group FIELD"), ("after 1d1.5\nsort name\n\n", "another order"),
      ] {
        let answer = try ask(text, asking)
        #expect(answer.hasPrefix("error\n") && answer.contains(part), "\(text): \(answer)")
      }
      #expect(try ask(" ", asking).hasPrefix("ok\n"))
    }

    /// Neither a long question nor one that never ends is kept.
    @Test func aQuestionIsAtMostAMegabyte() throws {
      let live = try LiveMount()
      let asking = try open(live)
      let long = String(repeating: "a", count: 1 << 20)
      #expect(try ask(long, asking).hasPrefix("error\nA query has at most 65536 bytes\n"))
      #expect(try ask(long + "a", asking) == "error\nA request has at most 1048576 bytes\n")
      #expect(try ask("format count\n\n", asking) == "ok\n0\n")
    }

    @Test func everyOpenHasItsOwnState() throws {
      let live = try LiveMount()
      for name in ["a", "b", "c"] { try add(name, live) }
      let one = try open(live, O_RDWR | O_TRUNC)
      let other = try open(live)
      try one.writeAll(Array("format paths\n\nna".utf8))
      try other.writeAll(Array("format count".utf8))
      try one.writeAll(Array("me:b".utf8))
      // A piece of one, all of the other, the rest of the first.
      let piece = try one.readSome(most: 4)
      try other.writeAll(Array("\n\n".utf8))
      #expect(String(decoding: try other.readToEnd(), as: UTF8.self) == "ok\n3\n")
      #expect(String(decoding: try piece + one.readToEnd(), as: UTF8.self).hasPrefix("ok\nb\n\n" + trailer(1)))
      #expect(lseek(one.number, 0, SEEK_SET) == -1 && errno == ESPIPE)
      let path = door(live)
      try inThreads(8) { number in
        let mine = try Descriptor.open(path, O_RDWR)
        for _ in 0..<20 {
          let name = ["a", "b", "c"][number % 3]
          try mine.writeAll(Array("format paths0\n\nname:=\(name)".utf8))
          let answer = String(decoding: try mine.readToEnd(), as: UTF8.self)
          #expect(answer.hasPrefix("ok\n\(name)\0\0{"))
        }
      }
    }

    /// Longer than any piece in which an answer is made.
    @Test func longAnswersArriveWhole() throws {
      let live = try LiveMount()
      let names = (0..<3000).map { "a rather long name of a photo, number \($0 + 10_000)" }
      for name in names { try add(name, live) }
      let answer = try ask("format paths\nsort name\n\n", try open(live))
      #expect(answer.split(separator: "\n").dropFirst().dropLast().map(String.init) == names)
      var found: [String] = []
      var cursor: String?
      repeat {
        let page = try ask(
          "format paths\nsort name\nlimit 700\n\(cursor.map { "after \($0)\n" } ?? "")\n", try open(live))
        let lines = page.split(separator: "\n").map(String.init)
        found += lines.dropFirst().dropLast()
        cursor = lines.last?.split(separator: "\"").first { $0.hasPrefix("1a2.") }.map(String.init)
        // What comes in between is in its place or not there.
        if let last = found.last { try add(last + " again", live) }
      } while cursor != nil
      #expect(found.filter { !$0.hasSuffix("again") } == names)
      #expect(found == found.sorted())
    }

    @Test func readOnlyMountsAreAskedByAnotherWay() throws {
      let live = try LiveMount()
      try add("a", live)
      try live.end()
      try live.mount(["ro"])
      #expect(throws: Errno.readOnlyFileSystem) { _ = try open(live) }
      let asking = try open(live, O_RDONLY)
      func ask(_ text: String, _ descriptor: Descriptor) -> CInt {
        unsafe agonyfs_ask_catalog(descriptor.number, text, text.utf8.count)
      }
      #expect(ask("format count\n\n", asking) == 0)
      #expect(String(decoding: try asking.readToEnd(), as: UTF8.self) == "ok\n1\n")
      #expect(ask("nothing", asking) == 0)
      #expect(String(decoding: try asking.readToEnd(), as: UTF8.self).hasPrefix("ok\n\n" + trailer(0)))
      #expect(ask(String(repeating: "a", count: 8191), asking) == 0)
      #expect(ask(String(repeating: "a", count: 8192), asking) == -1 && errno == E2BIG)
      #expect(ask("", try Descriptor.open(live.path("a"), O_RDONLY)) == -1 && errno == ENOTTY)
      #expect(ask("", try Descriptor.open(live.root, O_RDONLY)) == -1 && errno == ENOTTY)
    }

    /// Another user, with and without a group of the files.
    @Test(.enabled(if: geteuid() == 0, "needs root, to become another user"))
    func othersGetWhatTheyCouldFind() throws {
      let live = try LiveMount(["allow_other"])
      try System.check(unsafe chmod(live.folder.path, 0o755))
      for (album, mode) in [("open", 0o755), ("listed", 0o744), ("searched", 0o711), ("team", 0o750)]
        as [(String, mode_t)]
      {
        try System.check(unsafe mkdir(live.path(album), mode))
        try System.check(unsafe chmod(live.path(album), mode))
        try System.check(unsafe chown(live.path(album), 0, 4242))
        try add(album + "/photo", live)
      }
      try add("open/private", live)
      try System.check(unsafe chmod(live.path("open/private"), 0o600))
      try add("open/private", live)
      func ask(_ text: String, groups: String) throws -> String {
        let script = "exec 3<>'\(door(live))' && printf '\(text)' >&3 && cat <&3"
        let outcome = try Outcome(
          "setpriv",
          arguments: ["--reuid", "4321", "--regid", "4321"] + groups.split(separator: " ").map(String.init)
            + ["sh", "-c", script])
        #expect(outcome.status == 0, "\(outcome)")
        return outcome.output
      }
      let member = "--groups 77,4242"
      let stranger = "--clear-groups"
      // How many files wait is told to the owner only.
      func trailer(_ count: Int) -> String { #"{"end":true,"count":\#(count),"next":null}"# }
      #expect(try ask("", groups: stranger).hasPrefix("ok\nopen/photo\n\n" + trailer(1)))
      #expect(try ask(#"format count\n\n"#, groups: stranger) == "ok\n1\n")
      #expect(try ask(#"format count\n\n"#, groups: member) == "ok\n2\n")
      #expect(try ask(#"sort name\n\n"#, groups: member).hasPrefix("ok\nopen/photo\nteam/photo\n\n" + trailer(2)))
      let albums = try ask(#"group album\n\n"#, groups: member).split(separator: "\n").dropFirst().dropLast()
      #expect(albums.count == 2 && albums.allSatisfy { $0.contains(#""count":1"#) })
      #expect(try ask(#"facts open/private\n\n"#, groups: member).hasPrefix("error\n"))
      #expect(try self.ask("format count\n\n", try open(live)) == "ok\n5\n")
    }
  }
}
