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

/// The home zone of a space: from where it comes, how long it stays, and the times that follow it.
@Suite struct HomeZoneTests {
  private let vault: CatalogVault

  init() throws { vault = try CatalogVault() }

  /// Mounts again on a machine that is set to a zone.
  private func mount(in zone: String?) throws {
    vault.vault.library.homeZone = zone
    try vault.vault.reopen()
  }

  /// A photo of which only the file's time is known: 2 o'clock UTC on 1 January.
  private func evening() throws -> InodeNumber {
    let photo = try vault.photo("evening.jpg")
    try vault.files.change(photo) { $0.modified = .at(Timestamp(seconds: 1_735_696_800, nanoseconds: 0)) }
    return photo
  }

  private func shown(_ photo: InodeNumber) throws -> String {
    guard let taken = try vault.item(photo)?.taken else { return "none" }
    return "\(taken.wall) \(taken.zoneSource.map { "\($0)" } ?? "-")"
  }

  @Test func itIsThatOfTheMachineThatWroteFirst() throws {
    try mount(in: "America/New_York")
    #expect(vault.files.homeZone == "America/New_York")
    // That one changed nothing, so nothing was written.
    try mount(in: "Asia/Tokyo")
    #expect(vault.files.homeZone == "Asia/Tokyo")
    let photo = try evening()
    #expect(try shown(photo) == "2025-01-01T11:00:00 home")
    for zone in ["Europe/Berlin", nil] {
      try mount(in: zone)
      #expect(vault.files.homeZone == "Asia/Tokyo")
      #expect(try shown(photo) == "2025-01-01T11:00:00 home")
      try vault.settle()
    }
    #expect(vault.maker.asked == 0)
    try vault.vault.closeSound()
  }

  @Test func aMountThatMayNotWriteGivesNone() throws {
    let photo = try evening()
    try vault.settle()
    vault.vault.options.isReadOnly = true
    try mount(in: "Asia/Tokyo")
    #expect(vault.files.homeZone == nil)
    #expect(try shown(photo) == "2025-01-01T02:00:00 universal")
    #expect(throws: Errno.readOnlyFileSystem) { try vault.files.changeHomeZone(to: "Asia/Tokyo") }
    #expect(vault.files.answer("zone\n\n").dropFirst().first == "{}")
    try vault.files.close()
  }

  @Test func aChangeSettlesTheTimesOfAllAgain() throws {
    try mount(in: "Asia/Tokyo")
    let photo = try evening()
    let dated = try vault.photo("dated.jpg", "taken=2024-12-31T21:00:00")
    let zoned = try vault.photo("zoned.jpg", "taken=2024-12-31T21:00:00+01:00")
    #expect(vault.files.answer("\ndate:2025").contains("evening.jpg"))
    for name in ["Europe/Nowhere", "", "../etc/passwd", "europe/berlin"] {
      #expect(throws: Errno.invalidArgument) { try vault.files.changeHomeZone(to: name) }
    }
    #expect(try shown(photo) == "2025-01-01T11:00:00 home")
    let tree = VirtualTree(vault.files)
    try tree.request(Array("zone America/New_York".utf8))
    for _ in 0..<2 {
      #expect(try shown(photo) == "2024-12-31T21:00:00 home")
      #expect(try shown(dated) == "2024-12-31T21:00:00 -")
      #expect(try shown(zoned) == "2024-12-31T21:00:00 exif")
      #expect(vault.files.answer("format count\n\ndate:2024-12-31") == ["ok", "3"])
      try vault.settle()
      try mount(in: "Asia/Tokyo")
    }
    #expect(vault.maker.asked == 0)
    try vault.vault.closeSound()
  }

  /// Rows that still have the time of another zone are found by the next mount: those of a change that was interrupted,
  /// and those that a program wrote which knows no home zone.
  @Test(arguments: [("unsettled", Int64(1)), ("catalog", 1)]) func whatWasLeftIsSettled(key: String, value: Int64)
    throws
  {
    try mount(in: "Asia/Tokyo")
    let photo = try evening()
    try vault.settle()
    try mount(in: nil)
    try vault.settle()
    #expect(try shown(photo) == "2025-01-01T11:00:00 home")
    try vault.files.locked { files in
      try files.index.setMeta("zone", to: "America/New_York")
      try files.index.setMeta(key, to: value)
    }
    try mount(in: nil)
    try vault.settle()
    #expect(try shown(photo) == "2024-12-31T21:00:00 home")
    #expect(try vault.files.locked { try $0.index.metaInteger("unsettled") } ?? 0 == 0)
    #expect(vault.maker.asked == 0)
    try vault.files.close()
  }

  /// A number of `meta`.
  private func number(_ key: String) throws -> Int64? { try vault.files.locked { try $0.index.metaInteger(key) } }

  /// A photo with the time of Tokyo, in a space that has another home zone since, as an older program leaves it.
  private func eveningOfAnotherZone() throws -> InodeNumber {
    try mount(in: "Asia/Tokyo")
    let photo = try evening()
    try vault.settle()
    try mount(in: nil)
    try vault.settle()
    try vault.files.locked { files in
      try files.index.setMeta("zone", to: "America/New_York")
      try files.index.setMeta("catalog", to: 1)
    }
    return photo
  }

  /// Once it is noted that all photos were asked, nothing else tells that an older program was here: so the mount may end
  /// then, and the next one goes on.
  @Test func whatAnOlderProgramLeftIsNotForgotten() throws {
    let photo = try eveningOfAnotherZone()
    let settings = try #require(vault.vault.library.thumbnails)
    vault.vault.library.thumbnails = nil
    try mount(in: nil)
    var isNoted = false
    for _ in 0..<100 where !isNoted {
      let next = vault.files.locked { $0.catalogUpdates.nextCatalogJob(settings).job }
      let job = try #require(next)
      vault.files.cataloguer.run(job, settings)
      if case .noteFilled = job { isNoted = true }
    }
    #expect(isNoted)
    #expect(try number("catalog") == Int64(MediaItem.factsVersion))
    #expect(try number("unsettled") == 1)
    vault.vault.library.thumbnails = settings
    try mount(in: nil)
    try vault.settle()
    #expect(try shown(photo) == "2024-12-31T21:00:00 home")
    #expect(try number("unsettled") == 0)
    try vault.vault.closeSound()
  }

  /// A photo that cannot be asked is asked at every mount, and the others are settled once all the same.
  @Test func aPhotoThatCannotBeAskedHasNobodySettledAgain() throws {
    let killing = try vault.photo("killing.jpg", "title=killing")
    let photo = try eveningOfAnotherZone()
    try vault.files.locked { try $0.index.catalog.deleteMediaItem(killing) }
    for round in 1...3 {
      try mount(in: nil)
      try vault.settle()
      #expect(vault.maker.asked == round)
      #expect(try number("catalog") == -Int64(MediaItem.factsVersion))
      #expect(try number("unsettled") ?? 0 == 0)
      #expect(try shown(photo) == "2024-12-31T21:00:00 home")
      // Whoever settled it again would see this.
      try vault.files.locked { try $0.index.setMeta("zone", to: "Asia/Tokyo") }
    }
    try vault.files.close()
  }

  /// Where the zone database does not know the home zone times are shown in UTC, nothing is merged again for that, and the
  /// next mount that knows it settles them.
  @Test func whatWasShownInUTCForWantOfRulesIsSettled() throws {
    try mount(in: "Asia/Tokyo")
    let known = try evening()
    try vault.settle()
    let tables = vault.vault.library.places
    let folder = try TemporaryFolder()
    vault.vault.library.places.zones = folder.path("nowhere")
    try mount(in: nil)
    let photo = try vault.photo("other.jpg", "title=other")
    try vault.files.change(photo) { $0.modified = .at(Timestamp(seconds: 1_735_696_800, nanoseconds: 0)) }
    try vault.settle()
    for _ in 0..<2 {
      #expect(vault.files.homeZone == "Asia/Tokyo")
      #expect(try shown(photo) == "2025-01-01T02:00:00 universal")
      #expect(try shown(known) == "2025-01-01T11:00:00 home")
      #expect(try number("unsettled") == 1)
      try mount(in: nil)
      try vault.settle()
    }
    vault.vault.library.places = tables
    try mount(in: nil)
    try vault.settle()
    for photo in [photo, known] { #expect(try shown(photo) == "2025-01-01T11:00:00 home") }
    #expect(try number("unsettled") == 0)
    #expect(vault.maker.asked == 0)
    try vault.vault.closeSound()
  }

  /// What damage left in its place is none, and is not taken for the absence of one.
  @Test func whatIsNoZoneIsNone() throws {
    try vault.files.locked { try $0.index.setMeta("zone", to: "../../etc/passwd") }
    try mount(in: "Asia/Tokyo")
    #expect(vault.files.homeZone == nil)
    try vault.files.changeHomeZone(to: "Asia/Tokyo")
    try mount(in: nil)
    #expect(vault.files.homeZone == "Asia/Tokyo")
    try vault.files.close()
  }

  @Test func theDoorSaysWhichZoneItWas() throws {
    try mount(in: "America/New_York")
    _ = try evening()
    _ = try vault.photo("paris.jpg", "taken=2019-08-15T12:34:56;position=48.8584,2.2945")
    _ = try vault.photo("plain.jpg", "taken=2019-08-15T12:34:56+02:00")
    try vault.settle()
    #expect(vault.files.answer("zone\n\n").prefix(2) == ["ok", #"{"zone":"America/New_York"}"#])
    func facts(_ name: String) -> String { vault.files.answer("facts \(name)\n\n").dropFirst().first ?? "" }
    #expect(
      facts("evening.jpg").contains(
        #""taken":"2024-12-31T21:00:00-05:00","takenSource":"modified","zoneSource":"home","zone":"America/New_York""#))
    #expect(facts("evening.jpg").contains(#""zone":["home"]"#))
    // Debian's table of towns is a package of the first command.
    #expect(facts("paris.jpg").contains(#""zoneSource":"gazetteer","zone":"Europe/Paris""#))
    #expect(facts("plain.jpg").contains(#""zoneSource":"exif","#) && !facts("plain.jpg").contains(#""zone":""#))
    #expect(!vault.files.answer("format json\n\n").joined().contains(#""zone":""#))
    try vault.files.close()
  }
}

/// The zone of a machine.
@Suite struct MachineZoneTests {
  @Test(
    arguments: [
      ("Europe/Paris", "/usr/share/zoneinfo/Asia/Tokyo", "America/New_York", "Europe/Paris"),
      (":Europe/Paris", nil, nil, "Europe/Paris"),
      (":/usr/share/zoneinfo/Europe/Paris", nil, nil, "Europe/Paris"),
      // Rules, and nothing, have no name.
      ("CET-1CEST,M3.5.0,M10.5.0/3", "/usr/share/zoneinfo/Asia/Tokyo", nil, "Asia/Tokyo"),
      ("", "../usr/share/zoneinfo/posix/Asia/Tokyo", "America/New_York", "Asia/Tokyo"),
      (nil, "/etc/elsewhere", "America/New_York\n", "America/New_York"),
      (nil, nil, "America/New_York", "America/New_York"),
      (nil, nil, "nonsense\n", "UTC"), ("../../etc/passwd", nil, nil, "UTC"), (nil, nil, nil, "UTC"),
    ] as [(String?, String?, String?, String)])
  func theFirstThatNamesAZoneCounts(variable: String?, link: String?, file: String?, name: String) throws {
    let folder = try TemporaryFolder()
    if let link { try systemCall { unsafe symlink(link, folder.path("localtime")) } }
    if let file { try HostFile.write(Array(file.utf8), to: folder.path("timezone")) }
    let zone = MachineZone(variable: variable, link: folder.path("localtime"), file: folder.path("timezone"))
    #expect(zone.name == name)
  }
}
