internal import Catalog
internal import Client
internal import SystemPackage

/// A photo of a snapshot, and what the door says of it: the page gets a part of that as it is.
public struct ListedItem: Sendable {
  /// Its number in the snapshot.
  public let index: Int
  /// The bytes of its name.
  let name: [UInt8]
  /// Null if the catalog does not know the file any more.
  let facts: JSONValue
}

/// Facts that belong together.
public struct FactSection: Equatable, Sendable {
  /// One fact.
  public struct Fact: Equatable, Sendable {
    /// What it is about.
    public var label: String
    /// What is known.
    public var value: String
    /// `from EXIF, you`; empty if nobody knows.
    public var sources: String
  }

  /// What they are about, in a word for programs: `words`, `place` (and time), `camera`, `file`, `more`.
  public var title: String
  /// At least one.
  public var facts: [Fact]
}

extension Gallery {
  /// Asks about files one after the other, by one open of the door.
  private struct Asker {
    let door: CatalogDoor

    /// The facts of a file; nil if nothing is known of it.
    func facts(of path: SpacePath) throws -> JSONValue? {
      var request = CatalogRequest()
      request.file = path.bytes
      try door.ask(request.bytes)
      do {
        var reader = try AnswerReader(DoorStream(door))
        return try JSONReader.value(of: Array(reader.text().prefix { $0 != UInt8(ascii: "\n") }))
      } catch is AnswerFailure {
        // What is wrong about one file is no reason to say nothing of the others.
        return nil
      }
    }

    /// What a file that is no photo is known to be for as long as it stays as it is.
    private static let certain = [NoFacts.directory, .noPhoto, .gone, .closed].map { $0.rawValue + "." }

    /// Whether it is still to be seen if a file is a photo.
    func isWaiting(_ path: SpacePath) throws -> Bool {
      var request = CatalogRequest()
      request.file = path.bytes
      try door.ask(request.bytes)
      do {
        _ = try AnswerReader(DoorStream(door))
        // It is a photo, examined since the photos were asked for.
        return true
      } catch let failure as AnswerFailure {
        return !Self.certain.contains(failure.message)
      }
    }
  }

  /// Those of some files of which it is still to be seen if they are photos; also what has become one by now.
  func areWaiting(_ paths: [SpacePath]) throws -> [SpacePath] {
    let asker = Asker(door: try CatalogDoor(of: root))
    return try paths.filter { try asker.isWaiting($0) }
  }

  /// What is known of the photos of a section.
  func items(_ range: Range<Int>, of snapshot: Snapshot) throws(GalleryError) -> [ListedItem] {
    try GalleryError.of("Asking the catalog") {
      let asker = Asker(door: try CatalogDoor(of: root))
      return try range.map { index in
        let path = try snapshot.path(index)
        return ListedItem(index: index, name: path.name, facts: try asker.facts(of: path) ?? .null)
      }
    }
  }

  /// What is known of the photos of a section, by its number.
  public func section(_ number: Int, of snapshot: Snapshot) throws(GalleryError) -> [ListedItem] {
    guard snapshot.sections.indices.contains(number) else {
      throw GalleryError(.notFound, "There is no section \(number) in this snapshot.")
    }
    let section = snapshot.sections[number]
    return try items(section.first..<section.first + section.count, of: snapshot)
  }

  /// What the catalog knows of files, as the door has it; nil for those of which it knows nothing.
  func records(of paths: [SpacePath]) throws(GalleryError) -> [JSONValue?] {
    try GalleryError.of("Asking the catalog") {
      let asker = Asker(door: try CatalogDoor(of: root))
      return try paths.map { try asker.facts(of: $0) }
    }
  }

  /// What the catalog knows of a file, as the door has it.
  ///
  /// - Throws: `.notFound` if it knows nothing.
  func record(of path: SpacePath) throws(GalleryError) -> JSONValue {
    guard let facts = try records(of: [path])[0] else {
      throw GalleryError(.notFound, "This photo is not there any more, or was not examined yet.")
    }
    return facts
  }

  /// All fields of the user's own.
  private static let own = "x"

  private static let sections: [(title: String, fields: Set<String>)] = [
    ("words", ["title", "caption", "rating", "favourite", "tags", "people", "cover", own]),
    ("place", ["taken", "zone", "latitude", "altitude", "place"]),
    ("camera", ["camera", "lens", "iso", "exposure", "aperture", "focalLength"]),
    ("file", ["kind", "size", "modified", "width", "duration", "codec", "frameRate", "hash"]),
  ]

  /// All facts of a photo in sections, as `agonyfs show` says them, each with its sources.
  static func shown(_ facts: JSONValue) -> [FactSection] {
    let lines = FactLine.all(of: facts)
    func group(_ line: FactLine) -> String { line.field.hasPrefix("x.") ? Self.own : line.field }
    func section(_ title: String, _ lines: [FactLine]) -> FactSection {
      let facts = lines.map { FactSection.Fact(label: $0.label, value: $0.value, sources: $0.sources) }
      return FactSection(title: title, facts: facts)
    }
    let sections = Self.sections.map { title, fields in section(title, lines.filter { fields.contains(group($0)) }) }
    let told = Self.sections.reduce(into: Set<String>()) { $0.formUnion($1.fields) }
    let more = section("more", lines.filter { !told.contains(group($0)) })
    return (sections + [more]).filter { !$0.facts.isEmpty }
  }
}
