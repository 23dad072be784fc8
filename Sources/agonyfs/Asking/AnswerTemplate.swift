internal import Catalog
internal import Client

/// What `--format` makes of a photo: text with names of fields in braces.
struct AnswerTemplate: Equatable {
  private enum Part: Equatable {
    case text(String)
    case field(String)
  }

  /// The fields, in the order in which the help names them. Those of `place` and `stack` have a point.
  static let fields = [
    "path", "name", "album", "names", "kind", "size", "modified", "taken", "takenSource", "zoneSource", "width",
    "height", "latitude", "longitude", "altitude", "place", "place.town", "place.region", "place.country",
    "place.code", "camera", "make", "model", "lens", "iso", "exposure", "aperture", "focalLength", "duration", "codec",
    "frameRate", "title", "caption", "rating", "favourite", "tags", "people", "stack", "stack.kind", "stack.cover",
    "motion", "edited", "duplicate", "sidecar", "panorama", "hash",
  ]

  private static let paths = ["path", "name", "album", "names"]

  private var parts: [Part] = []

  /// Reads a template. `{{` and `}}` are braces; `\n`, `\t`, `\0` and `\\` are what they are in a shell's printf.
  ///
  /// - Throws: `CommandFailure` with what is wrong.
  init(_ text: String) throws(CommandFailure) {
    var rest = text[...]
    var literal = ""
    while let character = rest.popFirst() {
      switch character {
      case "{" where rest.first == "{", "}" where rest.first == "}", "\\" where rest.first == "\\":
        literal.append(character)
        rest.removeFirst()
      case "\\" where rest.first == "n", "\\" where rest.first == "t", "\\" where rest.first == "0":
        let next = rest.removeFirst()
        literal.append(next == "n" ? "\n" : next == "t" ? "\t" : "\0")
      case "{":
        guard let end = rest.firstIndex(of: "}") else {
          throw CommandFailure(.usage, "A brace is not closed in --format \"\(text)\"; {{ is a brace itself.")
        }
        let name = String(rest[..<end])
        guard Self.fields.contains(name) || OwnField.name(in: name) != nil else {
          throw CommandFailure(
            .usage,
            "There is no field {\(name)} for --format; there are \(Self.fields.joined(separator: ", ")), and x. with a "
              + "name of your own.")
        }
        if !literal.isEmpty { parts.append(.text(literal)) }
        literal = ""
        parts.append(.field(name))
        rest = rest[rest.index(after: end)...]
      default: literal.append(character)
      }
    }
    if !literal.isEmpty { parts.append(.text(literal)) }
  }

  /// The bytes for a photo. What is not known is empty.
  ///
  /// - Parameters:
  ///   - shown: a path as it is to be shown.
  ///   - isSafe: whether what would act on a terminal is escaped.
  ///   - isLine: whether it is at least where it is no path, so that a caption ends no line.
  func bytes(_ record: CatalogRecord, isSafe: Bool, isLine: Bool, shown: ([UInt8]) -> [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    for part in parts {
      switch part {
      case .text(let text): bytes += Array(text.utf8)
      case .field(let name):
        let value = Self.value(name, of: record, shown: shown)
        bytes += isSafe || isLine && !Self.paths.contains(name) ? Array(TerminalText.safe(value).utf8) : value
      }
    }
    return bytes
  }

  private static func value(_ field: String, of record: CatalogRecord, shown: ([UInt8]) -> [UInt8]) -> [UInt8] {
    switch field {
    case "path": shown(record.path)
    case "names": Array(record.names.map(shown).joined(separator: Array(", ".utf8)))
    case "stack": Array((record.facts.value(at: "stack.kind")?.words ?? "").utf8)
    case "name": Array(record.name)
    case "album": Array(record.album)
    case _ where OwnField.begins(field):
      Array((record.facts.fields.first { Folding.folded($0.name) == Folding.folded(field) }?.value.words ?? "").utf8)
    default: Array((record.facts.value(at: field)?.words ?? "").utf8)
    }
  }
}
