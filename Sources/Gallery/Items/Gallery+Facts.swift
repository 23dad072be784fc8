internal import Catalog
internal import Client
internal import SystemPackage

/// A photo of a snapshot, with its record from the catalog, of which the page gets a part.
public struct ListedItem: Sendable {
  /// Its number in the snapshot.
  public let index: Int
  /// The bytes of its name.
  let name: [UInt8]
  /// Its record; null if the catalog does not know the file any more.
  let facts: JSONValue
}

/// A section of facts about a photo.
public struct FactSection: Equatable, Sendable {
  /// One fact.
  public struct Fact: Equatable, Sendable {
    /// The name of the fact.
    public var label: String
    /// Its value.
    public var value: String
    /// Its sources, such as `from EXIF, you`; empty if they are unknown.
    public var sources: String
  }

  /// The section's identifier: `words`, `place` (and time), `camera`, `file`, `more`.
  public var title: String
  /// At least one fact.
  public var facts: [Fact]
}

extension Gallery {
  /// Queries files one after the other through one open door of the catalog.
  private struct Asker {
    let door: CatalogDoor

    /// The record of a file; nil if the catalog has none.
    func facts(of path: SpacePath) throws -> JSONValue? {
      var request = CatalogRequest()
      request.file = path.bytes
      try door.ask(request.bytes)
      do {
        var reader = try AnswerReader(DoorStream(door))
        return try JSONReader.value(of: Array(reader.text().prefix { $0 != UInt8(ascii: "\n") }))
      } catch is AnswerFailure {
        // An error for one file must not hide the records of the others.
        return nil
      }
    }

    /// Answers that are final for a file that is not a photo, until the file changes.
    private static let certain = [NoFacts.directory, .noPhoto, .gone, .closed].map { $0.rawValue + "." }

    /// Whether the catalog has still to examine the file, so that it may turn out to be a photo.
    func isWaiting(_ path: SpacePath) throws -> Bool {
      var request = CatalogRequest()
      request.file = path.bytes
      try door.ask(request.bytes)
      do {
        _ = try AnswerReader(DoorStream(door))
        // The catalog examined it after the photos were queried, and found a photo.
        return true
      } catch let failure as AnswerFailure {
        return !Self.certain.contains(failure.message)
      }
    }
  }

  /// The files that the catalog has still to examine, and those that it found to be photos since they were listed.
  func areWaiting(_ paths: [SpacePath]) throws -> [SpacePath] {
    let asker = Asker(door: try CatalogDoor(of: root))
    return try paths.filter { try asker.isWaiting($0) }
  }

  /// The records of a range of a snapshot's photos.
  func items(_ range: Range<Int>, of snapshot: Snapshot) throws(GalleryError) -> [ListedItem] {
    try GalleryError.of("The catalog") {
      let asker = Asker(door: try CatalogDoor(of: root))
      return try range.map { index in
        let path = try snapshot.path(index)
        return ListedItem(index: index, name: path.name, facts: try asker.facts(of: path) ?? .null)
      }
    }
  }

  /// The records of the photos of a section, by its number.
  public func section(_ number: Int, of snapshot: Snapshot) throws(GalleryError) -> [ListedItem] {
    guard snapshot.sections.indices.contains(number) else {
      throw GalleryError(.notFound, "Section \(number) does not exist in this snapshot.")
    }
    let section = snapshot.sections[number]
    return try items(section.first..<section.first + section.count, of: snapshot)
  }

  /// The records of files from the catalog; nil for a file without one.
  func records(of paths: [SpacePath]) throws(GalleryError) -> [JSONValue?] {
    try GalleryError.of("The catalog") {
      let asker = Asker(door: try CatalogDoor(of: root))
      return try paths.map { try asker.facts(of: $0) }
    }
  }

  /// The record of a file from the catalog.
  ///
  /// - Throws: `.notFound` if the catalog has none.
  func record(of path: SpacePath) throws(GalleryError) -> JSONValue {
    guard let facts = try records(of: [path])[0] else {
      throw GalleryError(.notFound, "This photo no longer exists, or was not examined yet.")
    }
    return facts
  }

  /// Stands for all fields that the user defined.
  private static let own = "x"

  private static let sections: [(title: String, fields: Set<String>)] = [
    ("words", ["title", "caption", "rating", "favourite", "tags", "people", "cover", own]),
    ("place", ["taken", "zone", "latitude", "altitude", "place"]),
    ("camera", ["camera", "lens", "iso", "exposure", "aperture", "focalLength"]),
    ("file", ["kind", "size", "modified", "width", "duration", "codec", "frameRate", "hash"]),
  ]

  /// All facts of a photo in sections, worded as by `agonyfs show`, each with its sources.
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
