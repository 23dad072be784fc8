internal import Catalog
internal import Client

/// Answers to browsers, as JSON.
public enum WebAnswer {
  private static func object(_ fields: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(fields.compactMap { name, value in value.map { JSONValue.Field(name: name, value: $0) } })
  }

  private static func bytes(_ fields: KeyValuePairs<String, JSONValue?>) -> [UInt8] {
    JSONWriter.bytes(object(fields))
  }

  private static func list<Element>(
    _ elements: [Element], _ fields: (Element) -> KeyValuePairs<String, JSONValue?>
  ) -> [UInt8] {
    JSONWriter.bytes(.array(elements.map { object(fields($0)) }))
  }

  private static func number(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }
  private static func path(_ path: SpacePath) -> JSONValue { .string(Base64.text(of: path.bytes)) }
  private static func text(_ bytes: [UInt8]) -> JSONValue { .string(String(decoding: bytes, as: UTF8.self)) }

  /// A snapshot: its name, sections and months.
  public static func sections(_ snapshot: Snapshot) -> [UInt8] {
    let sections = snapshot.sections.map {
      object(["title": .string($0.title), "first": number($0.first), "count": number($0.count)])
    }
    let months = snapshot.months.map { object(["month": .string($0.month), "first": number($0.first)]) }
    return bytes([
      "snapshot": .string(snapshot.name), "count": number(snapshot.count), "sections": .array(sections),
      "months": .array(months), "pending": number(snapshot.pending), "examining": .bool(snapshot.isExamining),
    ])
  }

  /// The answer to an invalid query; nil if the error is another one.
  public static func mistake(_ error: GalleryError) -> [UInt8]? {
    guard let place = error.place else { return nil }
    let reason = object([
      "message": .string(error.detail), "at": number(place.lowerBound), "length": number(place.count),
    ])
    return bytes([
      "snapshot": .null, "count": number(0), "sections": .array([]), "months": .array([]), "pending": number(0),
      "error": reason,
    ])
  }

  /// The state of an archive.
  public static func progress(_ progress: ZipTickets.Progress) -> [UInt8] {
    let (state, reason): (String, String?) =
      switch progress {
      case .waiting: ("waiting", nil)
      case .reading: ("reading", nil)
      case .ended(let reason): ("ended", reason)
      }
    return bytes(["state": .string(state), "reason": reason.map { .string($0) }])
  }

  /// The photos of a section.
  public static func items(_ items: [ListedItem]) -> [UInt8] {
    list(items) { item in
      let facts = item.facts
      return [
        "i": number(item.index), "name": text(item.name), "taken": facts["taken"], "type": facts["kind"],
        "duration": facts["duration"], "rating": facts["rating"], "favourite": facts["favourite"] ?? .bool(false),
        "title": facts["title"], "caption": facts["caption"], "tags": facts["tags"] ?? .array([]),
        "size": facts["size"], "width": facts["width"], "height": facts["height"],
        "gps": .bool(facts["latitude"] != nil), "displayable": .bool(facts["kind"] != nil),
      ]
    }
  }

  /// The photos of an upload that lack a position.
  public static func positions(_ report: PositionReport) -> [UInt8] {
    bytes(["missing": number(report.missing), "pending": .array(report.pending.map(number))])
  }

  /// All facts of a photo, and the values that can be edited.
  public static func facts(_ sections: [FactSection], _ item: ListedItem, at place: SpacePath) -> [UInt8] {
    let shown = sections.map { section in
      let facts = section.facts.map {
        object(["name": .string($0.label), "value": .string($0.value), "source": .string($0.sources)])
      }
      return object(["title": .string(section.title), "facts": .array(facts)])
    }
    let edit = object([
      "title": item.facts["title"] ?? .string(""), "caption": item.facts["caption"] ?? .string(""),
      "rating": item.facts["rating"] ?? number(0), "favourite": item.facts["favourite"] ?? .bool(false),
      "tags": item.facts["tags"] ?? .array([]),
    ])
    return bytes(["name": text(place.name), "path": text(place.bytes), "edit": edit, "sections": .array(shown)])
  }

  /// The number of photos for which an operation succeeded, and its failures.
  public static func done(_ count: Int, _ failures: [ItemFailure]) -> [UInt8] {
    let failed = failures.map {
      object(["i": number($0.index), "error": .string($0.error.kind.rawValue), "detail": .string($0.error.detail)])
    }
    return bytes(["done": number(count - failures.count), "failed": .array(failed)])
  }

  /// The chosen photos in the list that is shown, and the number of those chosen in other lists.
  public static func choice(_ items: [Int], others: Int) -> [UInt8] {
    bytes(["items": .array(items.map { number($0) }), "others": number(others)])
  }

  /// The contents of the trash.
  public static func trash(_ listing: TrashListing) -> [UInt8] {
    bytes([
      "listing": .string(listing.name), "count": number(listing.count), "files": number(listing.files),
      "shared": number(listing.shared), "bytes": number(listing.bytes),
    ])
  }

  /// The number of names still to be deleted, and the failures.
  public static func emptied(_ left: Int, _ failures: [GalleryError]) -> [UInt8] {
    let failed = failures.map { object(["error": .string($0.kind.rawValue), "detail": .string($0.detail)]) }
    return bytes(["left": number(left), "failed": .array(failed)])
  }

  /// Albums.
  public static func albums(_ albums: [AlbumSummary]) -> [UInt8] {
    list(albums) {
      [
        "name": text($0.path.name), "path": path($0.path), "count": number($0.count), "all": number($0.allCount),
        "albums": number($0.albums), "cover": .bool($0.hasCover),
      ]
    }
  }

  /// Other files, and the snapshot that numbers them.
  public static func otherFiles(_ others: OtherFiles) -> [UInt8] {
    let files = others.files.map {
      object(["i": number($0.index), "name": text($0.name), "size": number($0.size)])
    }
    return bytes([
      "snapshot": .string(others.snapshot.name), "count": number(others.count), "files": .array(files),
      "pending": number(others.pending),
    ])
  }

  /// The number of other files in each album.
  public static func otherFileCounts(_ counts: [(album: SpacePath, count: Int)]) -> [UInt8] {
    list(counts) { ["path": path($0.album), "files": number($0.count)] }
  }

  /// An album that was created or renamed.
  public static func album(_ album: SpacePath) -> [UInt8] {
    bytes(["path": path(album), "name": text(album.name)])
  }

  /// Suggestions for a search.
  public static func suggestions(_ suggestions: [Suggestion]) -> [UInt8] {
    list(suggestions) {
      ["text": .string($0.text), "kind": .string($0.kind), "query": .string($0.query), "count": number($0.count)]
    }
  }

  /// A ticket for an archive, and the names that the archive changes.
  public static func ticket(_ ticket: String, _ refused: RefusedNames) -> [UInt8] {
    bytes([
      "ticket": .string(ticket), "refused": .array(refused.first.map(text)), "refusedCount": number(refused.count),
    ])
  }

  /// Why a request failed.
  public static func error(_ error: GalleryError) -> [UInt8] {
    bytes(["error": .string(error.kind.rawValue), "detail": .string(error.detail)])
  }
}
