internal import Catalog
internal import Client

/// The template of `--format`: text with field names in braces.
struct AnswerTemplate: Equatable {
  private enum Part: Equatable {
    case text(String)
    case field(String)
  }

  /// The fields, in the order of the help. Those of `place` and `stack` contain a point.
  static let fields = [
    "path", "name", "album", "names", "kind", "size", "modified", "taken", "takenSource", "zoneSource", "width",
    "height", "latitude", "longitude", "altitude", "place", "place.town", "place.region", "place.country",
    "place.code", "camera", "make", "model", "lens", "iso", "exposure", "aperture", "focalLength", "duration", "codec",
    "frameRate", "title", "caption", "rating", "favourite", "tags", "people", "stack", "stack.kind", "stack.cover",
    "motion", "edited", "duplicate", "sidecar", "panorama", "hash",
  ]

  private static let paths = ["path", "name", "album", "names"]

  private var parts: [Part] = []

  /// Parses a template. `{{` and `}}` stand for braces; `\n`, `\t`, `\0` and `\\` mean the same as in a shell's printf.
  ///
  /// - Throws: `CommandFailure` that names the mistake.
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
          throw CommandFailure(.usage, "A brace is not closed in --format \"\(text)\"; write {{ for a brace.")
        }
        let name = String(rest[..<end])
        guard Self.fields.contains(name) || OwnField.name(in: name) != nil else {
          throw CommandFailure(
            .usage,
            "--format does not know the field {\(name)}; it knows \(Self.fields.joined(separator: ", ")), and x.NAME "
              + "for a field of your own.")
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

  /// Formats a photo. Unknown fields are empty.
  ///
  /// - Parameters:
  ///   - isSafe: whether to escape characters that would act on a terminal.
  ///   - isLine: whether to escape them at least in fields other than paths, so that a caption cannot end the line.
  ///   - shown: converts a path in the space to the path that the user sees.
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
