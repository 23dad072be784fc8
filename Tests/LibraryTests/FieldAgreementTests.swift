import AlbumsSupport
import Catalog
import Index
import Testing
import Vault

@testable import Albums
@testable import Library

/// What `is:` and `has:` find, against the fields of the photos.
@Suite struct FieldAgreementTests {
  private let vault: CatalogVault

  init() throws { vault = try CatalogVault() }

  /// What a photo's line of JSON has where the word finds it. The cover of a stack is left out of lines.
  private static func field(_ flag: Query.Flag) -> String {
    switch flag {
    case .favourite: #","favourite":true"#
    case .stacked: #","stack":{"#
    case .live: #","stack":{"kind":"live""#
    case .motion: #","motion":true"#
    case .burst: #","stack":{"kind":"burst""#
    case .raw: #","kind":"raw""#
    case .duplicate: #","duplicate":true"#
    case .edited: #","edited":true"#
    case .panorama: #","panorama":true"#
    case .cover: #","cover":true"#
    case .rejected: #","rating":-1"#
    case .trashed: #","trashed":true"#
    }
  }

  private static func field(_ presence: Query.Presence) -> String {
    switch presence {
    case .time, .month, .day: #","taken":"#
    case .zone: #","zoneSource":"#
    case .gps: #","latitude":"#
    case .altitude: #","altitude":"#
    case .place: #","place":{"#
    case .title: #","title":"#
    case .caption: #","caption":"#
    case .tags: #","tags":["#
    case .people: #","people":["#
    case .rating: #","rating":"#
    case .camera: #","camera":"#
    case .lens: #","lens":"#
    case .sidecar: #","sidecar":true"#
    }
  }

  private func has(_ presence: Query.Presence, _ line: String) -> Bool {
    guard let field = line.firstRange(of: Self.field(presence)) else { return false }
    let lengths: [Query.Presence: Int] = [.time: 4, .month: 7, .day: 10]
    guard let length = lengths[presence] else { return true }
    // The time of the file is shown, since it sorts, and is none that is known.
    let taken = line[field.upperBound...].dropFirst().prefix { $0 != "\"" }
    return taken.utf8.count >= length && !line.contains(#","takenSource":"modified""#)
  }

  /// Photos of which each word is true of some, and not of others.
  private func makePhotos() throws {
    let album = try vault.files.folder("album")
    _ = try vault.photo(
      "all.jpg",
      "taken=2019-08-15T12:34:56+02:00;position=48.8584,2.2945;altitude=35;make=Canon;lens=L;title=T;caption=C;"
        + "tags=t;people=Ann;rating=4;favourite=1;projection=equirectangular;motion=1", in: album)
    try vault.text("all.jpg.xmp", "tags=beside", in: album)
    try vault.set("user.agonyfs.cover", of: album, to: "all.jpg")
    _ = try vault.photo("plain.jpg")
    _ = try vault.photo("year.jpg", "taken=1953")
    _ = try vault.photo("month.jpg", "taken=1953-07")
    _ = try vault.photo("rejected.jpg", "taken=2019-01-01T00:00:00;rating=-1")
    for name in ["edit.jpg", "edit-edited.jpg"] { _ = try vault.photo(name, "taken=2019-01-02;title=\(name)") }
    for name in ["burst 1.jpg", "burst 2.jpg"] { _ = try vault.photo(name, "burst=B;title=\(name)") }
    _ = try vault.photo("live.jpg", "live=A;make=Apple")
    try vault.text("live.mp4", "video live=A;make=Apple")
    _ = try vault.photo("raw.dng", "make=Sony;raw!")
    for name in ["twin.jpg", "other twin.jpg"] { _ = try vault.photo(name, "make=Twin") }
    _ = try vault.photo("gone.jpg", "make=Gone", in: try vault.files.folder(".Trash-1000"))
    try vault.settle()
  }

  /// The lines of an answer without its first and last one.
  private func answer(_ format: String, _ query: String = "") throws -> [String] {
    let lines = vault.files.answer("format \(format)\ntrash 1\n\n\(query)")
    try #require(lines.count > 1 && lines[0] == "ok", "\(query)")
    return Array(lines.dropFirst().dropLast())
  }

  /// Also in rows of a program that knows fewer flags.
  @Test(arguments: [false, true]) func everyWordFindsWhatItsFieldSays(isOld: Bool) throws {
    try makePhotos()
    if isOld {
      let rows = try vault.files.locked { try $0.index.catalog.items(after: nil, limit: 100) }
      for row in rows { try vault.files.ageRow(of: row.inode) }
    }
    let photos = try answer("json").map { line in
      let line = line.replacing(#","cover":true,"number""#, with: #","number""#)
      return (path: String(line.dropFirst(#"{"path":""#.count).prefix { $0 != "\"" }), line: line)
    }
    #expect(photos.count == 15)
    func compare(_ query: String, _ isSaid: (String) -> Bool) throws {
      let said = photos.filter { isSaid($0.line) }.map(\.path)
      #expect(!said.isEmpty && said.count < photos.count, "\(query)")
      #expect(try Set(answer("paths", query)) == Set(said), "\(query)")
      #expect(try answer("paths", "-" + query).count == photos.count - said.count, "\(query)")
    }
    for flag in Query.Flag.allCases { try compare("is:" + flag.rawValue) { $0.contains(Self.field(flag)) } }
    for presence in Query.Presence.allCases { try compare("has:" + presence.rawValue) { has(presence, $0) } }
    try vault.files.close()
  }
}
