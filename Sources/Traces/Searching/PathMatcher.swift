// Invariants
// 1. A path is found in every form in which programs write it: plain, with any percent escapes, with backslashes, as
//    XML, below `~` or `$HOME`, with zsh's encoding of bytes that are not ASCII, and in UTF-16.
// 2. A longer name is another path: `/home/me/Albums2` is not `/home/me/Albums`.

internal import CPlatform
internal import System

/// Finds the paths of places in the bytes of any file.
package struct PathMatcher: Sendable {
  /// A path that was found.
  package struct Hit: Equatable, Sendable {
    /// The offset of its first byte.
    package var offset: Int
    /// Whether it continues below the place, and so reveals a name.
    package var isBelow: Bool
  }

  private let needles: [[UInt8]]
  private let wideNeedles: [[UInt8]]
  /// Letters and digits that every form keeps, one for each place; empty if it has none.
  private let anchors: [[UInt8]]

  /// Matches the places; for those below `home`, also the short forms.
  package init(_ places: SearchedPlaces, home: [UInt8]) {
    var needles = places.paths
    for path in places.paths {
      guard let rest = PathBytes.rest(of: path, below: home) else { continue }
      for short in ["~/", "$HOME/", "${HOME}/"] { needles.append(Array(short.utf8) + rest) }
    }
    self.needles = needles
    wideNeedles = places.paths.flatMap { path -> [[UInt8]] in
      let units = Array(String(decoding: path, as: UTF8.self).utf16)
      return [
        units.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }, units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] },
      ]
    }
    anchors = places.paths.map(Self.anchor)
  }

  private static func anchor(of path: [UInt8]) -> [UInt8] {
    let name = path[((path.lastIndex(of: PathBytes.slash) ?? -1) + 1)...]
    let runs = name.split { !TraceURI.isAlphanumeric($0) }
    return runs.max { $0.count < $1.count }.map(Array.init) ?? []
  }

  /// The longest form of a place, in bytes.
  package var longest: Int { (needles.map(\.count).max() ?? 0) * 6 + 16 }

  /// All paths in some bytes, in order. In text, a path must begin at the start of a word.
  package func hits(in bytes: [UInt8], isText: Bool) -> [Hit] {
    var hits: [Hit] = []
    var place = 0
    while place < bytes.count {
      // Searching for a word is much faster than checking each byte.
      let end = min(place + Self.step, bytes.count)
      if mayContain(bytes, from: place, to: min(end + longest, bytes.count)) {
        place = look(in: bytes, from: place, to: end, isText: isText, &hits)
      }
      place = max(place, end)
    }
    return hits
  }

  /// Bytes that are checked or skipped at once.
  private static let step = 8 << 10

  /// Adds the paths that begin before `end`. Returns the end of the last one.
  private func look(in bytes: [UInt8], from start: Int, to end: Int, isText: Bool, _ hits: inout [Hit]) -> Int {
    var place = start
    while place < end {
      switch bytes[place] {
      case PathBytes.slash, UInt8(ascii: "%"), UInt8(ascii: "~"), UInt8(ascii: "$"), UInt8(ascii: "\\"):
        if let (end, isBelow) = match(at: place, in: bytes), !isText || beginsWord(at: place, in: bytes) {
          hits.append(Hit(offset: place, isBelow: isBelow))
          place = end
          continue
        }
      default: break
      }
      if let (end, isBelow) = wideMatch(at: place, in: bytes) {
        hits.append(Hit(offset: place, isBelow: isBelow))
        place = end
        continue
      }
      place += 1
    }
    return place
  }

  private func mayContain(_ bytes: [UInt8], from start: Int, to end: Int) -> Bool {
    for anchor in anchors {
      if anchor.isEmpty { return true }
      let wide: [UInt8] = anchor.flatMap { [$0, 0] as [UInt8] }.dropLast()
      for wanted in [anchor, wide] {
        let isThere = unsafe bytes.withUnsafeBytes { whole in
          let part = unsafe UnsafeRawBufferPointer(rebasing: whole[start..<end])
          return unsafe agonyfs_contains(part.baseAddress, part.count, wanted, wanted.count)
        }
        if isThere { return true }
      }
    }
    return false
  }

  private func match(at start: Int, in bytes: [UInt8]) -> (end: Int, isBelow: Bool)? {
    needles: for needle in needles {
      var place = start
      for byte in needle {
        guard let next = Self.next(after: place, in: bytes, if: byte) else { continue needles }
        place = next
        // Some programs write two slashes.
        while byte == PathBytes.slash, place < bytes.count, bytes[place] == byte { place += 1 }
      }
      if let isBelow = Self.end(at: place, in: bytes) { return (place, isBelow) }
    }
    return nil
  }

  /// The offset after the bytes at `place`, if they stand for `byte`; nil otherwise.
  private static func next(after place: Int, in bytes: [UInt8], if byte: UInt8) -> Int? {
    guard place < bytes.count else { return nil }
    let first = bytes[place]
    if first == byte { return place + 1 }
    func digits(at start: Int) -> UInt8? {
      guard start + 1 < bytes.count, let high = Hexadecimal.value(of: bytes[start]),
        let low = Hexadecimal.value(of: bytes[start + 1])
      else { return nil }
      return high << 4 | low
    }
    switch first {
    case UInt8(ascii: "%"): return digits(at: place + 1) == byte ? place + 3 : nil
    case UInt8(ascii: "\\"):
      guard place + 1 < bytes.count else { return nil }
      if bytes[place + 1] == byte, !TraceURI.isAlphanumeric(byte) { return place + 2 }
      if bytes[place + 1] == UInt8(ascii: "x"), digits(at: place + 2) == byte { return place + 4 }
      let octal = bytes[(place + 1)...].prefix(3)
      let isOctal = octal.count == 3 && octal.allSatisfy { (0x30...0x37).contains($0) }
      return isOctal && octal.reduce(0, { $0 * 8 + Int($1 - 0x30) }) == Int(byte) ? place + 4 : nil
    case UInt8(ascii: "&"):
      for (name, meaning) in XMLText.entities where meaning == byte {
        if bytes[(place + 1)...].starts(with: name + [UInt8(ascii: ";")]) { return place + 2 + name.count }
      }
      return nil
    // zsh encodes bytes that it uses itself in this way.
    case 0x83: return place + 1 < bytes.count && bytes[place + 1] ^ 0x20 == byte ? place + 2 : nil
    default: return nil
    }
  }

  /// Whether the path continues below the place; nil if its last name is longer.
  private static func end(at place: Int, in bytes: [UInt8]) -> Bool? {
    guard place < bytes.count else { return false }
    if next(after: place, in: bytes, if: PathBytes.slash) != nil { return true }
    switch bytes[place] {
    case UInt8(ascii: "."): return place + 1 < bytes.count && goesOn(bytes[place + 1]) ? nil : false
    case UInt8(ascii: "%"):
      // An escaped byte belongs to the name, except for the end of a line or text.
      let isEscape = place + 2 < bytes.count && Hexadecimal.value(of: bytes[place + 1]) != nil
      return isEscape && !bytes[(place + 1)...].starts(with: "0".utf8) ? nil : false
    case UInt8(ascii: "\\"):
      return place + 1 < bytes.count && bytes[place + 1] == UInt8(ascii: " ") ? nil : false
    default: return goesOn(bytes[place]) ? nil : false
    }
  }

  /// Whether this byte continues a name.
  private static func goesOn(_ byte: UInt8) -> Bool {
    TraceURI.isAlphanumeric(byte) || byte >= 0x80 || "-_~+".utf8.contains(byte)
  }

  private func beginsWord(at place: Int, in bytes: [UInt8]) -> Bool {
    guard place > 0 else { return true }
    let before = bytes[place - 1]
    if !Self.goesOn(before), before != UInt8(ascii: ".") { return true }
    // The path may follow the host of a URI.
    let host = bytes[..<place].suffix(256).reversed().prefix { TraceURI.isAlphanumeric($0) || ".-".utf8.contains($0) }
    return bytes[..<(place - host.count)].suffix(3).elementsEqual("://".utf8)
  }

  /// Matches a path in UTF-16 that begins at a byte.
  private func wideMatch(at start: Int, in bytes: [UInt8]) -> (end: Int, isBelow: Bool)? {
    for needle in wideNeedles where bytes[start] == needle[0] && start + needle.count <= bytes.count {
      let end = start + needle.count
      guard bytes[start..<end].elementsEqual(needle) else { continue }
      guard end + 1 < bytes.count else { return (end, false) }
      let isBig = needle[0] == 0
      let (low, high) = isBig ? (bytes[end + 1], bytes[end]) : (bytes[end], bytes[end + 1])
      if high == 0, low == PathBytes.slash { return (end, true) }
      if high == 0, !Self.goesOn(low) { return (end, false) }
    }
    return nil
  }
}
