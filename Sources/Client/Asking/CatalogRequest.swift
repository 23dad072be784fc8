internal import System

/// A request to the query door: options, one on each line, an empty line, and the query.
package struct CatalogRequest: Equatable {
  /// The format of the answer.
  package enum Format: String {
    /// Paths from the root of the space, each followed by a zero byte.
    case paths = "paths0"
    /// For each photo: a tile of eight bytes, the inode number in eight bytes, and the path with a zero byte.
    case tiles
    /// A line of JSON for each photo.
    case facts = "json"
    /// The number of photos.
    case count
    /// A line of JSON for each group.
    case groups
  }

  package var format = Format.facts
  package var query = ""
  /// A field, such as `size`, or `-size` for the reverse order.
  package var sort: String?
  package var limit: Int?
  /// The cursor at the end of the previous page.
  package var after: String?
  package var group: String?
  /// Whether a stack is represented by its cover.
  package var stacks = false
  /// Whether to include files in a trash folder.
  package var trash = false
  /// The directory to search, from the root of the space; empty for all.
  package var within: [UInt8] = []
  /// Replaces that directory in the paths of lines of JSON; empty keeps whole paths.
  package var prefix: [UInt8] = []
  /// The path in the space of a single file to ask about.
  package var file: [UInt8]?
  /// The groups of duplicates to ask for: `exact`, `pixels` or `similar`.
  package var duplicates: String?

  /// Whether to ask for the home zone of the space.
  package var asksForZone = false

  /// Asks for all files of these sizes in bytes, whatever their kind.
  package var sizes: [Int64]?

  /// A request for the results of a query.
  package init(format: Format = .facts, query: String = "") {
    self.format = format
    self.query = query
  }

  /// Requests the rest of an answer that broke off after `told` entries, the last of which has this cursor.
  package func rest(after cursor: String, told: Int) -> CatalogRequest {
    var rest = self
    rest.after = cursor
    rest.limit = limit.map { max(0, $0 - told) }
    return rest
  }

  /// The bytes to write to the query door.
  package var bytes: [UInt8] {
    if asksForZone { return Array("zone\n\n".utf8) }
    var lines: [[UInt8]] = []
    func add(_ name: String, _ value: String?) {
      if let value { lines.append(Array("\(name) \(value)".utf8)) }
    }
    if let file {
      // A path with a line break would end the line early.
      let isLine = !file.contains { $0 == 0x0A || $0 == 0x0D }
      lines.append(isLine ? Array("facts ".utf8) + file : Array("facts-hex ".utf8) + Hexadecimal.digits(of: file))
    } else if let sizes {
      return Array("sizes\n\n".utf8) + Array(sizes.map(String.init).joined(separator: " ").utf8)
    } else if let duplicates {
      add("duplicates", duplicates)
    } else {
      add("format", format.rawValue)
    }
    add("sort", sort)
    add("limit", limit.map(String.init))
    add("after", after)
    add("group", group)
    add("stacks", stacks ? "1" : nil)
    add("trash", trash ? "1" : nil)
    if !within.isEmpty { lines.append(Array("within ".utf8) + Hexadecimal.digits(of: within)) }
    if !prefix.isEmpty { lines.append(Array("prefix ".utf8) + Hexadecimal.digits(of: prefix)) }
    return lines.joined(separator: [UInt8(ascii: "\n")]) + Array("\n\n".utf8) + Array(query.utf8)
  }
}
