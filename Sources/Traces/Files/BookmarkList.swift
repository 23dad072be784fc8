// Invariants
// 1. Removing entries leaves every other byte as it was.
// 2. A file that cannot be parsed to its end is not changed at all.

/// A list of bookmarks in XBEL, such as recently-used.xbel. It is scanned rather than parsed as XML: only the
/// beginnings and ends of elements `bookmark` matter.
struct BookmarkList {
  struct Entry {
    /// The URI that it leads to.
    var uri: [UInt8]
    /// Its bytes, including the rest of its lines if they hold nothing else.
    var range: Range<Int>
  }

  /// The list cannot be parsed to its end.
  struct NotUnderstood: Error {}

  private let bytes: [UInt8]
  /// Its bookmarks, in their order.
  private(set) var entries: [Entry] = []

  init(_ bytes: [UInt8]) throws(NotUnderstood) {
    self.bytes = bytes
    var place = 0
    var open: (start: Int, uri: [UInt8])?
    while let start = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
      let end = try Self.end(of: start, in: bytes)
      place = end
      guard let tag = Self.tag(bytes[start..<end]) else { continue }
      if tag.isClosing {
        guard let entry = open else { throw NotUnderstood() }
        entries.append(Entry(uri: entry.uri, range: Self.lines(entry.start..<end, in: bytes)))
        open = nil
      } else {
        // Bookmarks are never nested.
        guard open == nil, let uri = tag.uri else { throw NotUnderstood() }
        if tag.isWhole {
          entries.append(Entry(uri: uri, range: Self.lines(start..<end, in: bytes)))
        } else {
          open = (start, uri)
        }
      }
    }
    guard open == nil else { throw NotUnderstood() }
  }

  /// The list without the entries that `isRemoved` chooses; nil if it chooses none.
  func without(_ isRemoved: ([UInt8]) -> Bool) -> [UInt8]? {
    let removed = entries.filter { isRemoved($0.uri) }
    guard !removed.isEmpty else { return nil }
    var rest: [UInt8] = []
    var place = 0
    for entry in removed {
      rest += bytes[place..<max(place, entry.range.lowerBound)]
      place = max(place, entry.range.upperBound)
    }
    return rest + bytes[place...]
  }

  /// The end of markup that begins with `<`: a comment, a CDATA section, an instruction, a declaration or a tag.
  private static func end(of start: Int, in bytes: [UInt8]) throws(NotUnderstood) -> Int {
    for (opening, closing) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")]
    where bytes[start...].starts(with: opening.utf8) {
      var place = start + opening.utf8.count
      let last = Array(closing.utf8)
      while place + last.count <= bytes.count {
        if bytes[place..<(place + last.count)].elementsEqual(last) { return place + last.count }
        place += 1
      }
      throw NotUnderstood()
    }
    var quote: UInt8?
    for place in bytes[start...].indices.dropFirst() {
      let byte = bytes[place]
      switch (quote, byte) {
      case (nil, UInt8(ascii: ">")): return place + 1
      // A nested declaration is not supported.
      case (nil, UInt8(ascii: "<")), (nil, UInt8(ascii: "[")): throw NotUnderstood()
      case (nil, UInt8(ascii: "\"")), (nil, UInt8(ascii: "'")): quote = byte
      case (let open?, _) where open == byte: quote = nil
      default: break
      }
    }
    throw NotUnderstood()
  }

  /// Parses a tag of the element `bookmark`; nil for all others.
  private static func tag(_ tag: ArraySlice<UInt8>) -> (isClosing: Bool, isWhole: Bool, uri: [UInt8]?)? {
    let isClosing = tag.dropFirst().first == UInt8(ascii: "/")
    let inner = tag.dropFirst(isClosing ? 2 : 1).dropLast()
    let name = inner.prefix { !isSpace($0) && $0 != UInt8(ascii: "/") }
    guard name.elementsEqual("bookmark".utf8) else { return nil }
    let isWhole = inner.last == UInt8(ascii: "/")
    return (isClosing, isWhole, attribute("href", of: inner.dropFirst(name.count)))
  }

  private static func attribute(_ wanted: String, of text: ArraySlice<UInt8>) -> [UInt8]? {
    var rest = text.drop(while: isSpace)
    while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
      let name = rest[..<equals].drop(while: isSpace).prefix { !isSpace($0) }
      let value = rest[(equals + 1)...].drop(while: isSpace)
      guard let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
        let end = value.dropFirst().firstIndex(of: quote)
      else { return nil }
      if name.elementsEqual(wanted.utf8) { return XMLText.unescaped(value[(value.startIndex + 1)..<end]) }
      rest = value[(end + 1)...].drop(while: isSpace)
    }
    return nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  /// Extends an element to whole lines, if only blanks surround it.
  private static func lines(_ range: Range<Int>, in bytes: [UInt8]) -> Range<Int> {
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
    let start = range.lowerBound - bytes[..<range.lowerBound].reversed().prefix(while: isBlank).count
    let end = range.upperBound + bytes[range.upperBound...].prefix(while: isBlank).count
    guard start == 0 || bytes[start - 1] == 0x0A, end < bytes.count, bytes[end] == 0x0A else { return range }
    return start..<(end + 1)
  }
}
