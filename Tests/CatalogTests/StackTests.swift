import Media
import TestSupport
import Testing

@testable import Catalog

@Suite struct StackTests {
  private static func file(
    _ inode: UInt64, _ name: String, _ kind: MediaKind, _ time: String? = "2024-08-15T10:00:00", directory: UInt64 = 1,
    camera: String? = "Canon EOS 5D", content: String? = nil, burst: String? = nil, duration: Double? = nil,
    from source: FactSource = .exif
  ) -> StackCandidate {
    var file = StackCandidate(inode: inode, directory: directory, name: Array(name.utf8), kind: kind)
    file.taken = time.flatMap { captured($0, from: source) }
    file.camera = camera
    file.contentIdentifier = content
    file.burstIdentifier = burst
    file.duration = duration
    return file
  }

  private static func shown(_ files: [StackCandidate], decisions: StackDecisions = .init()) -> [String] {
    StackRules.stacks(of: files, decisions: decisions).list.map { "\($0.kind) \($0.cover) of \($0.members)" }
  }

  @Test func liveByIdentifier() {
    // Neither name nor time agree.
    #expect(
      Self.shown([Self.file(1, "a.heic", .heic, content: "X"), Self.file(2, "b.mov", .quickTime, nil, content: "X")])
        == ["live 1 of [1, 2]"])
    #expect(
      Self.shown([
        Self.file(1, "a.heic", .heic, content: "X"), Self.file(2, "a.mov", .quickTime, content: "Y", duration: 2),
      ]).isEmpty)
    #expect(
      Self.shown([Self.file(1, "a.heic", .heic, content: ""), Self.file(2, "b.mov", .quickTime, content: "")]).isEmpty)
  }

  /// The home zone tells what to show, and not where a clock without a zone was.
  @Test(arguments: [FactSource.universal, .home, .gazetteer]) func aGuessedZoneIsNotCompared(source: FactSource) throws
  {
    let wall = try #require(WallTime(seconds: 1_735_678_800))
    var video = Self.file(1, "a.mov", .quickTime)
    video.taken = CapturedTime(wall: wall, source: .header, offset: -18_000, zoneSource: source)
    var photo = Self.file(2, "a.jpg", .jpeg)
    photo.taken = CapturedTime(wall: wall, source: .exif)
    #expect(video.gap(to: photo) == (source == .gazetteer ? 0 : nil))
    #expect(photo.gap(to: video) == (source == .gazetteer ? 0 : nil))
    photo.taken = CapturedTime(wall: wall, source: .exif, offset: -18_000, zoneSource: .exif)
    #expect(video.gap(to: photo) == 0)
  }

  @Test func copiesOfALivePhotoAreTwoStacks() {
    let files = [
      Self.file(1, "a.heic", .heic, content: "X"), Self.file(2, "a.mov", .quickTime, content: "X"),
      Self.file(3, "b.heic", .heic, directory: 2, content: "X"),
      Self.file(4, "c.mov", .quickTime, directory: 2, content: "X"),
    ]
    #expect(Self.shown(files) == ["live 1 of [1, 2]", "live 3 of [3, 4]"])
    let apart = [
      Self.file(1, "a.heic", .heic, content: "X"), Self.file(2, "a.mov", .quickTime, directory: 2, content: "X"),
    ]
    #expect(Self.shown(apart) == ["live 1 of [1, 2]"])
  }

  @Test func liveByNameAndTime() {
    func stacks(_ time: String, _ duration: Double?, name: String = "IMG_1.MOV", directory: UInt64 = 1) -> Int {
      Self.shown([
        Self.file(1, "IMG_1.HEIC", .heic, "2024-08-15T10:00:00+02:00"),
        Self.file(2, name, .quickTime, time, directory: directory, duration: duration),
      ]).count
    }
    #expect(stacks("2024-08-15T10:00:03+02:00", 2.5) == 1)
    #expect(stacks("2024-08-15T08:00:01Z", 2.5) == 1)
    #expect(stacks("2024-08-15T10:00:04+02:00", 2.5) == 0)
    #expect(stacks("2024-08-15T10:00:00+02:00", 10.5) == 0)
    #expect(stacks("2024-08-15T10:00:00+02:00", nil) == 0)
    #expect(stacks("2024-08-15T10:00:00+02:00", 2.5, name: "IMG_2.MOV") == 0)
    #expect(stacks("2024-08-15T10:00:00+02:00", 2.5, directory: 2) == 0)
    // The same on the wall, but the zone is another.
    #expect(stacks("2024-08-15T10:00:00Z", 2.5) == 0)
    // Days without a time of day are no times.
    #expect(stacks("2024-08-15", 2.5) == 0)
    #expect(stacks("2024-08-15T10:00", 2.5) == 0)
  }

  /// Takeout takes the last ending from the name of a motion photo's video.
  @Test func motionPhotosOfPixels() {
    func stacks(_ video: String, _ time: String, _ duration: Double = 2.5) -> [String] {
      Self.shown([
        Self.file(1, "PXL_20240815_080000123.MP.jpg", .jpeg, "2024-08-15T10:00:00+02:00"),
        Self.file(2, video, .mp4, time, duration: duration),
      ])
    }
    #expect(stacks("PXL_20240815_080000123.MP", "2024-08-15T08:00:01Z") == ["live 1 of [1, 2]"])
    #expect(stacks("PXL_20240815_080000123.MP.mp4", "2024-08-15T08:00:01Z") == ["live 1 of [1, 2]"])
    #expect(stacks("PXL_20240815_080000123.MP", "2024-08-15T08:00:05Z").isEmpty)
    #expect(stacks("PXL_20240815_080000123.MP", "2024-08-15T08:00:01Z", 60).isEmpty)
    #expect(stacks("PXL_20240815_080000124.MP", "2024-08-15T08:00:01Z").isEmpty)
    #expect(stacks("PXL_20240815_080000123.mp4", "2024-08-15T08:00:01Z").isEmpty)
  }

  @Test func versionsThatPhonesCount() {
    func stacks(_ name: String, _ time: String? = "2024-08-15T10:00:00") -> [String] {
      Self.shown([Self.file(1, "PXL_1.MP.jpg", .jpeg), Self.file(2, name, .jpeg, time)])
    }
    #expect(stacks("PXL_1.MP~2.jpg") == ["edited 2 of [1, 2]"])
    #expect(stacks("PXL_1.MP~2.jpg", "2024-08-15T10:00:05").isEmpty && stacks("PXL_1.MP~2.jpg", nil).isEmpty)
    #expect(stacks("PXL_1.MP~b.jpg").isEmpty && stacks("PXL_2.MP~2.jpg").isEmpty && stacks("PXL_1.MP~.jpg").isEmpty)
  }

  @Test func aTimeOfACopySaysNothing() {
    let files = [
      Self.file(1, "IMG_1.CR2", .raw, from: .fileTime), Self.file(2, "IMG_1.JPG", .jpeg, from: .fileTime),
    ]
    #expect(Self.shown(files).isEmpty)
  }

  @Test func anUnknownZoneIsNotComparedWithUTC() throws {
    var video = Self.file(2, "IMG_1.MOV", .quickTime, nil, duration: 2)
    guard case .wall(let time, _)? = TimeText.parse("2024-08-15T10:00:00".utf8) else { return }
    video.taken = CapturedTime.resolve([TimeCandidate(.universal(time), from: .header)])
    #expect(Self.shown([Self.file(1, "IMG_1.HEIC", .heic), video]).isEmpty)
    #expect(Self.shown([Self.file(1, "IMG_1.HEIC", .heic, "2024-08-15T12:00:00+02:00"), video]).count == 1)
  }

  @Test func rawAndFinished() {
    func stacks(_ time: String?, camera: String? = "canon eos 5d", name: String = "img_1.jpg") -> [String] {
      Self.shown([Self.file(1, "IMG_1.CR2", .raw), Self.file(2, name, .jpeg, time, camera: camera)])
    }
    #expect(stacks("2024-08-15T10:00:02") == ["raw 2 of [1, 2]"])
    #expect(stacks("2024-08-15T10:00:03").isEmpty)
    #expect(stacks("2024-08-15T10:00:00", camera: "Nikon").isEmpty)
    #expect(stacks("2024-08-15T10:00:00", camera: nil).isEmpty)
    #expect(stacks(nil).isEmpty)
    #expect(stacks("2024-08-15T10:00:00", name: "img_2.jpg").isEmpty)
    #expect(Self.shown([Self.file(1, "IMG_1.png", .png), Self.file(2, "IMG_1.jpg", .jpeg)]).isEmpty)
  }

  @Test func bursts() {
    let google = [
      Self.file(1, "00000IMG_00000_BURST20190101123456789.jpg", .jpeg),
      Self.file(2, "00001IMG_00001_BURST20190101123456789_COVER.jpg", .jpeg),
      Self.file(3, "00000IMG_00000_BURST20190101123456790.jpg", .jpeg),
    ]
    #expect(Self.shown(google) == ["burst 2 of [1, 2]"])
    let huawei = (1...3).map {
      Self.file(UInt64($0), "IMG_20200101_123456_BURST00\($0)\($0 == 1 ? "_COVER" : "").jpg", .jpeg)
    }
    #expect(Self.shown(huawei) == ["burst 1 of [1, 2, 3]"])
    let identified = (1...3).map { Self.file(UInt64($0), "IMG_000\($0).HEIC", .heic, burst: "B") }
    #expect(Self.shown(identified) == ["burst 1 of [1, 2, 3]"])
    // Time alone is no burst.
    #expect(Self.shown((1...5).map { Self.file(UInt64($0), "IMG_000\($0).JPG", .jpeg) }).isEmpty)
    #expect(Self.shown([Self.file(1, "BURST001.jpg", .jpeg), Self.file(2, "BURST002.jpg", .jpeg)]).isEmpty)
    let pixel = [
      Self.file(1, "PXL_20210107_123456789.RAW-01.COVER.jpg", .jpeg),
      Self.file(2, "PXL_20210107_123456789.RAW-02.ORIGINAL.dng", .raw),
    ]
    #expect(Self.shown(pixel) == ["raw 1 of [1, 2]"])
  }

  @Test func aBurstOfPairsIsOneStack() {
    let files = (1...2).flatMap { number in
      [
        Self.file(UInt64(number), "IMG_\(number).JPG", .jpeg, burst: "B"),
        Self.file(UInt64(number + 10), "IMG_\(number).CR2", .raw),
      ]
    }
    #expect(Self.shown(files) == ["burst 1 of [1, 2, 11, 12]"])
  }

  @Test(arguments: EditedSuffixes.all + ["-modifie\u{301}"]) func editedBySuffix(suffix: String) {
    let files = [Self.file(1, "IMG_1.jpg", .jpeg), Self.file(2, "IMG_1\(suffix).jpg", .jpeg)]
    let stacks = StackRules.stacks(of: files)
    #expect(stacks.list == [Stack(kind: .edited, cover: 2, members: [1, 2])])
    #expect(stacks.edited == [2])
    // Another time is another photo, and a copy has the original of the same number.
    #expect(Self.shown([files[0], Self.file(2, "IMG_1\(suffix).jpg", .jpeg, "2024-08-15T11:00:00")]).isEmpty)
    let copies = [
      Self.file(1, "IMG_1(1).jpg", .jpeg), Self.file(2, "IMG_1\(suffix)(1).jpg", .jpeg),
      Self.file(3, "IMG_1(2).jpg", .jpeg),
    ]
    #expect(Self.shown(copies) == ["edited 2 of [1, 2]"])
  }

  @Test func editedByApple() {
    #expect(
      Self.shown([Self.file(1, "IMG_1234.HEIC", .heic), Self.file(2, "IMG_E1234.JPG", .jpeg)]) == ["edited 2 of [1, 2]"]
    )
    #expect(Self.shown([Self.file(1, "IMG_1234.HEIC", .heic, nil), Self.file(2, "IMG_E1234.JPG", .jpeg, nil)]).isEmpty)
    #expect(StackRules.stacks(of: [Self.file(2, "IMG_E1234.JPG", .jpeg)]).edited.isEmpty)
  }

  @Test func theUserDecides() {
    let files = [
      Self.file(1, "a.heic", .heic, content: "X"), Self.file(2, "a.mov", .quickTime, content: "X"),
      Self.file(3, "z.jpg", .jpeg),
    ]
    var decisions = StackDecisions()
    decisions.alone = [2]
    #expect(Self.shown(files, decisions: decisions).isEmpty)
    decisions.together = [[1, 3, 99]]
    #expect(Self.shown(files, decisions: decisions) == ["manual 1 of [1, 3]"])
    decisions.together = [[2, 3]]
    #expect(Self.shown(files, decisions: decisions) == ["manual 3 of [2, 3]"])
    var chosen = files
    chosen[1].isChosen = true
    #expect(Self.shown(chosen) == ["live 2 of [1, 2]"])
  }

  /// Whatever the files, and in any order: each in at most one stack.
  @Test(arguments: TestLength.seedArguments(20)) func noFileIsInTwoStacks(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    let names = [
      "IMG_1.jpg", "IMG_1.CR2", "IMG_1.mov", "IMG_E1234.jpg", "IMG_1234.jpg", "IMG_1-edited.jpg",
      "x_20190101_BURST1.jpg", "x_20190101_BURST2.jpg", ".", "", "a(1).jpg", "a-edited(1).jpg",
      "PXL_1.RAW-01.COVER.jpg", "PXL_1.RAW-02.ORIGINAL.dng",
    ]
    let files = (1...60 as ClosedRange<UInt64>).map { inode in
      Self.file(
        inode,
        numbers.chance(1, of: 9)
          ? String(decoding: numbers.bytes(6), as: UTF8.self) : names.randomElement(using: &numbers) ?? "",
        [.jpeg, .raw, .quickTime].randomElement(using: &numbers) ?? .jpeg,
        numbers.chance(1, of: 9) ? nil : "2024-08-15T10:00:0\(Int.random(in: 0...9, using: &numbers))",
        directory: UInt64.random(in: 1...3, using: &numbers),
        content: ["X", "Y", nil, nil, nil].randomElement(using: &numbers) ?? nil,
        burst: ["B", nil, nil, nil].randomElement(using: &numbers) ?? nil, duration: 2)
    }
    var decisions = StackDecisions()
    decisions.alone = [1, 2]
    decisions.together = [[3, 4, 5], [5, 6]]
    let stacks = StackRules.stacks(of: files, decisions: decisions)
    #expect(stacks == StackRules.stacks(of: files.shuffled(using: &numbers), decisions: decisions))
    let members = stacks.list.flatMap(\.members)
    #expect(Set(members).count == members.count)
    #expect(stacks.list.allSatisfy { $0.members.count > 1 && $0.members.contains($0.cover) })
    #expect(!members.contains(1) && !members.contains(2))
    #expect(stacks.list.contains { $0.kind == .manual && $0.members == [3, 4, 5, 6] })
  }
}

@Suite struct SidecarTests {
  private static func match(
    _ sidecars: [String], _ media: [(String, MediaKind)], titles: [String: String] = [:], ending: String? = nil
  ) -> (found: [String], unmatched: [String]) {
    let files = sidecars.enumerated().map {
      SidecarFile(inode: UInt64($0 + 100), directory: 1, name: Array($1.utf8), title: titles[$1], ending: ending)
    }
    let items = media.enumerated().map {
      StackCandidate(inode: UInt64($0), directory: 1, name: Array($1.0.utf8), kind: $1.1)
    }
    let result = Sidecars.match(files, to: items)
    let found = result.ofMedia.flatMap { item, links in
      links.values.map { "\(media[Int(item)].0) < \(sidecars[Int($0) - 100])" }
    }
    return (found.sorted(), result.unmatched.map { sidecars[Int($0) - 100] })
  }

  @Test func xmp() {
    #expect(
      Self.match(["a.CR2.xmp", "b.xmp", "c.xmp"], [("a.cr2", .raw), ("b.jpg", .jpeg)]) == (
        ["a.cr2 < a.CR2.xmp", "b.jpg < b.xmp"], ["c.xmp"]
      ))
    // The stem means the raw file; a whole name wins over a stem.
    #expect(Self.match(["a.xmp"], [("a.cr2", .raw), ("a.jpg", .jpeg)]).found == ["a.cr2 < a.xmp"])
    #expect(Self.match(["a.xmp", "a.cr2.xmp"], [("a.cr2", .raw)]).found == ["a.cr2 < a.cr2.xmp"])
    #expect(Self.match(["a.xmp"], [("a.png", .png), ("a.jpg", .jpeg)]) == ([], ["a.xmp"]))
    #expect(Self.match(["a.xmp"], [("a.mov", .quickTime), ("a.jpg", .jpeg)]).found == ["a.jpg < a.xmp"])
  }

  /// A program says in it whether it is of the raw file or of the picture beside that.
  @Test func xmpThatSaysTheEnding() {
    let media: [(String, MediaKind)] = [("IMG_1.CR3", .raw), ("IMG_1.jpg", .jpeg), ("IMG_1.MOV", .quickTime)]
    for (ending, owner) in [("cr3", "IMG_1.CR3"), ("JPG", "IMG_1.jpg"), ("mov", "IMG_1.MOV")] {
      #expect(Self.match(["IMG_1.xmp"], media, ending: ending) == (["\(owner) < IMG_1.xmp"], []))
    }
    // The raw file is elsewhere.
    #expect(Self.match(["IMG_1.xmp"], [("IMG_1.jpg", .jpeg)], ending: "CR3") == ([], ["IMG_1.xmp"]))
    // A whole name says more.
    #expect(Self.match(["IMG_1.jpg.xmp"], media, ending: "CR3").found == ["IMG_1.jpg < IMG_1.jpg.xmp"])
  }

  @Test func adjustments() {
    #expect(
      Self.match(["IMG_1234.AAE"], [("IMG_1234.HEIC", .heic), ("IMG_1234.MOV", .quickTime)]).found == [
        "IMG_1234.HEIC < IMG_1234.AAE", "IMG_1234.MOV < IMG_1234.AAE",
      ])
    #expect(Self.match(["IMG_O1234.AAE"], [("IMG_1234.HEIC", .heic)]).found == ["IMG_1234.HEIC < IMG_O1234.AAE"])
  }

  @Test(arguments: [
    ("IMG_1.jpg.json", "IMG_1.jpg"), ("IMG_1.jpg.supplemental-metadata.json", "IMG_1.jpg"),
    ("IMG_1.jpg.supplemental-me.json", "IMG_1.jpg"),
    ("IMG_1.jpg.s.json", "IMG_1.jpg"), ("IMG_1.jpg(1).json", "IMG_1(1).jpg"), ("IMG_1(1).jpg.json", "IMG_1(1).jpg"),
    ("IMG_1.jpg.supplemental-metadata(1).json", "IMG_1(1).jpg"), ("IMG_1.json", "IMG_1.jpg"),
    ("IMG_1(2).json", "IMG_1(2).jpg"),
    ("X.HEIC.supplemental-metadata(1).json", "X(1).mp4"), ("X.HEIC.json", "X.mp4"),
    ("a_very_long_name_that_takeout_cuts_at_46_chara.json", "a_very_long_name_that_takeout_cuts_at_46_characters.jpg"),
    (
      "a_very_long_name_that_takeout_cuts_at_46_chara(1).json",
      "a_very_long_name_that_takeout_cuts_at_46_characters(1).jpg"
    ),
    ("a_long_name_that_is_cut_within_its_ending_12.j.json", "a_long_name_that_is_cut_within_its_ending_12.jpg"),
    ("ünïcödé_nämés_äré_cüt_by_chäräctérs_nöt_bytés_.json", "ünïcödé_nämés_äré_cüt_by_chäräctérs_nöt_bytés_at_all.jpg"),
  ])
  func takeout(sidecar: String, media: String) {
    let kind: MediaKind = media.hasSuffix(".mp4") ? .mp4 : .jpeg
    #expect(Self.match([sidecar], [(media, kind)]) == (["\(media) < \(sidecar)"], []))
    // It belongs to nothing else.
    #expect(Self.match([sidecar], [("IMG_7.jpg", .jpeg), ("IMG_1.jpg.png(7).png", .png)]).unmatched == [sidecar])
  }

  /// A JSON that has the whole name of one photo says nothing of another, whatever its title says.
  @Test func whatIsNamedAfterAFileIsOfNoOther() {
    let media: [(String, MediaKind)] = [("IMG_1.jpg", .jpeg), ("IMG_1 (2).jpg", .jpeg), ("IMG_1(1).jpg", .jpeg)]
    for name in ["IMG_1 (2).jpg", "IMG_1(1).jpg"] {
      #expect(
        Self.match([name + ".json"], media, titles: [name + ".json": "IMG_1.jpg"]).found == ["\(name) < \(name).json"])
    }
  }

  @Test func numbersOfCopiesAreNotMixedUp() {
    let sidecars = [
      "IMG_1.jpg.supplemental-metadata.json", "IMG_1.jpg.supplemental-metadata(1).json", "IMG_1.jpg(2).json",
    ]
    let media: [(String, MediaKind)] = [
      ("IMG_1.jpg", .jpeg), ("IMG_1(1).jpg", .jpeg), ("IMG_1(2).jpg", .jpeg), ("IMG_1(3).jpg", .jpeg),
    ]
    #expect(
      Self.match(sidecars, media, titles: Dictionary(uniqueKeysWithValues: sidecars.map { ($0, "IMG_1.jpg") })) == (
        ["IMG_1(1).jpg < \(sidecars[1])", "IMG_1(2).jpg < \(sidecars[2])", "IMG_1.jpg < \(sidecars[0])"], []
      ))
  }

  @Test func theTitleOfTheFile() {
    #expect(
      Self.match(["cut.json"], [("whole name.jpg", .jpeg)], titles: ["cut.json": "Whole Name.jpg"]).found == [
        "whole name.jpg < cut.json"
      ])
  }

  @Test func oneFileServesALivePhotoAndItsEditedVersion() {
    let media: [(String, MediaKind)] = [
      ("X.HEIC", .heic), ("X.MP4", .mp4), ("X-edited.HEIC", .heic), ("X-bearbeitet.jpg", .jpeg),
    ]
    #expect(Self.match(["X.HEIC.json"], media).found.count == 4)
  }

  @Test func oneFileServesAMotionPhotoAndItsVideo() {
    let media: [(String, MediaKind)] = [("PXL_1.MP.jpg", .jpeg), ("PXL_1.MP", .mp4), ("PXL_2.MP", .mp4)]
    #expect(
      Self.match(["PXL_1.MP.jpg.supplemental-metadata.json"], media).found == [
        "PXL_1.MP < PXL_1.MP.jpg.supplemental-metadata.json", "PXL_1.MP.jpg < PXL_1.MP.jpg.supplemental-metadata.json",
      ])
  }

  @Test func onlyTheSameDirectoryCounts() {
    let sidecar = SidecarFile(inode: 9, directory: 2, name: Array("a.jpg.json".utf8))
    let item = StackCandidate(inode: 1, directory: 1, name: Array("a.jpg".utf8), kind: .jpeg)
    #expect(Sidecars.match([sidecar], to: [item]).unmatched == [9])
  }

  @Test(arguments: TestLength.seedArguments(20)) func anyNamesAreMatchedOrNot(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    let seeds = [
      "IMG_1.jpg", "IMG_1.jpg.json", "IMG_1(1).jpg", "IMG_1.jpg(1).json", "IMG_O1.AAE", "a.xmp", "(1).json", ".json",
      "().json", "é-modifié.jpg",
    ]
    for _ in 0..<50 {
      func names() -> [[UInt8]] {
        (0..<8).map { _ in numbers.damaged(Array((seeds.randomElement(using: &numbers) ?? "").utf8)) }
      }
      let files = names().enumerated().map { SidecarFile(inode: UInt64($0 + 100), directory: 1, name: $1) }
      let items = names().enumerated().map { StackCandidate(inode: UInt64($0), directory: 1, name: $1, kind: .jpeg) }
      let result = Sidecars.match(files, to: items)
      let used = Set(result.ofMedia.values.flatMap(\.values))
      #expect(used.union(result.unmatched) == Set(files.map(\.inode)))
      #expect(used.isDisjoint(with: result.unmatched))
    }
  }
}
