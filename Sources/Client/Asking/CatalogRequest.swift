internal import System

/// A request to the door of the catalog: options, one on each line, an empty line, and the query.
package struct CatalogRequest: Equatable {
  /// What the answer looks like.
  package enum Format: String {
    /// Paths from the root of the space, each followed by a zero byte.
    case paths = "paths0"
    /// Eight bytes for each photo, the number of its inode in eight, and its path, followed by a zero byte.
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
  /// `size`, or `-size` for the other way round.
  package var sort: String?
  package var limit: Int?
  /// Where the page before ended.
  package var after: String?
  package var group: String?
  /// Whether stacks are shown as their covers.
  package var stacks = false
  /// Whether what is in a trash folder answers as well.
  package var trash = false
  /// The directory below which names count, from the root of the space; empty for all.
  package var within: [UInt8] = []
  /// What stands in lines of JSON before a path in place of that directory; empty where paths are whole.
  package var prefix: [UInt8] = []
  /// The path of the only file that is asked about, in the space.
  package var file: [UInt8]?
  /// Which groups of duplicates are asked for: `exact`, `pixels` or `similar`.
  package var duplicates: String?

  /// Whether the home zone of the space is asked for.
  package var asksForZone = false

  /// Lengths in bytes of the files that are asked for, whatever they hold.
  package var sizes: [Int64]?

  /// A request for what a query finds.
  package init(format: Format = .facts, query: String = "") {
    self.format = format
    self.query = query
  }

  /// What asks for the rest of an answer that broke off behind so many entries, the last of which has this cursor.
  package func rest(after cursor: String, told: Int) -> CatalogRequest {
    var rest = self
    rest.after = cursor
    rest.limit = limit.map { max(0, $0 - told) }
    return rest
  }

  /// The bytes that are written to the door.
  package var bytes: [UInt8] {
    if asksForZone { return Array("zone\n\n".utf8) }
    var lines: [[UInt8]] = []
    func add(_ name: String, _ value: String?) {
      if let value { lines.append(Array("\(name) \(value)".utf8)) }
    }
    if let file {
      // A line has no end in the middle.
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
