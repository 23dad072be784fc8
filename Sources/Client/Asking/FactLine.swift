package import Catalog

/// One fact of a photo, for users. Texts are as files state them: code that shows them at a terminal must escape them.
package struct FactLine: Equatable, Sendable {
  /// The field of the answer.
  package var field: String
  package var label: String
  package var value: String
  /// `from EXIF, you`; empty if unknown.
  package var sources: String

  /// The fact with its texts escaped for a terminal, in one line.
  package var safe: FactLine {
    FactLine(
      field: field, label: TerminalText.safe(label), value: TerminalText.safe(value),
      sources: TerminalText.safe(sources))
  }

  /// A fact with known texts.
  package init(field: String, label: String, value: String, sources: String) {
    (self.field, self.label, self.value, self.sources) = (field, label, value, sources)
  }

  /// Labels of fields whose names in JSON differ.
  private static let labels = [
    "focalLength": "focal length", "frameRate": "frame rate", "width": "dimensions", "latitude": "position",
  ]
  /// Fields that other facts include.
  private static let told: Set<String> = [
    "path", "pathBytes", "namesBytes", "sources", "takenSource", "zoneSource", "height", "longitude", "make", "model",
  ]
  /// Fields whose sources are listed under another name.
  private static let sourceFields = ["width": "dimensions", "latitude": "position", "camera": "model"]

  /// Names of sources for users.
  private static let sources = [
    "override": "you", "attribute": "you", "mapping": "a table", "sidecar": "a sidecar", "exif": "EXIF",
    "xmp": "XMP", "iptc": "IPTC", "quicktime": "QuickTime", "takeout": "Takeout", "name": "the file's name",
    "gps": "the satellite's clock", "header": "the file's header", "modified": "the file's time",
    "pixels": "the pixels", "content": "the content", "gazetteer": "the place", "difference": "a second time",
    "utc": "UTC by default", "home": "the space's home zone",
  ]

  /// The facts of an answer, in its order, without the paths.
  package static func all(of facts: JSONValue) -> [FactLine] { facts.fields.compactMap { FactLine($0, of: facts) } }

  /// The fact of a field of an answer; nil if another fact includes it, or if it is empty.
  package init?(_ field: JSONValue.Field, of facts: JSONValue) {
    guard !Self.told.contains(field.name), field.name != "names" else { return nil }
    let value = Self.words(field, of: facts)
    guard !value.isEmpty else { return nil }
    self.init(
      field: field.name, label: Self.labels[field.name] ?? field.name, value: value,
      sources: Self.sources(of: field.name, in: facts))
  }

  private static func words(_ field: JSONValue.Field, of facts: JSONValue) -> String {
    let value = field.value
    switch field.name {
    case "width": return value.words + " × " + (facts["height"]?.words ?? "?")
    case "latitude": return value.words + ", " + (facts["longitude"]?.words ?? "?")
    case "size": return value.whole.map { ShortWords.longSize(Int64($0)) + ($0 < 1024 ? "" : " (\($0) bytes)") } ?? ""
    case "taken", "modified": return value.words.replacing("T", with: " ")
    case "exposure":
      // Files may state any number; no exposure is shorter than a nanosecond.
      guard let seconds = value.real, seconds > 1e-9, seconds < 0.4 else { return value.words + " s" }
      return "1/\(Int((1 / seconds).rounded())) s"
    case "aperture": return "f/" + value.words
    case "focalLength": return value.words + " mm"
    case "altitude": return value.real.map { "\(Int($0.rounded())) m" } ?? ""
    case "duration": return value.real.map { ShortWords.length($0) + " (\(value.words) s)" } ?? ""
    case "stack":
      guard let kind = value["kind"]?.text else { return "" }
      return kind + (value["cover"]?.isTrue == true ? ", its cover" : "")
    case _ where value == .bool(true): return "yes"
    case _ where value == .bool(false): return ""
    default: return value.words
    }
  }

  private static func sources(of field: String, in facts: JSONValue) -> String {
    if field == "taken" {
      let time = facts["takenSource"].map(source) ?? ""
      let zone = facts["zoneSource"].map(source) ?? ""
      return "from " + (zone.isEmpty || zone == time ? time : time + ", zone from " + zone)
    }
    // Only user-defined fields have this prefix.
    if field.hasPrefix("x.") { return facts["sources"] == nil ? "" : "from you" }
    var known: [String] = []
    for source in facts["sources"]?[sourceFields[field] ?? field]?.elements.map(source) ?? []
    where !known.contains(source) {
      known.append(source)
    }
    return known.isEmpty ? "" : "from " + known.joined(separator: ", ")
  }

  private static func source(_ word: JSONValue) -> String { sources[word.words] ?? word.words }
}
