/// A pattern for albums by the day of a photo: a path with `%Y` (year), `%m` (month), `%d` (day) and `%%`.
package struct DatePattern: Hashable, Sendable {
  /// Why a pattern is invalid, as a clause for messages.
  package struct Invalid: Error, Equatable {
    package var reason: String
  }

  private enum Part: Hashable {
    case text([UInt8])
    case year, month, day
  }

  private let albums: [[Part]]

  /// `2024/08/15`.
  package static let standard = "%Y/%m/%d"

  /// Parses a pattern.
  package init(_ pattern: String) throws(Invalid) {
    var albums: [[Part]] = []
    for album in pattern.split(separator: "/") {
      var parts: [Part] = []
      var text: [UInt8] = []
      var letters = album.utf8.makeIterator()
      while let letter = letters.next() {
        guard letter == UInt8(ascii: "%") else {
          text.append(letter)
          continue
        }
        let part: Part? =
          switch letters.next() {
          case UInt8(ascii: "Y"): .year
          case UInt8(ascii: "m"): .month
          case UInt8(ascii: "d"): .day
          case UInt8(ascii: "%"): .text([UInt8(ascii: "%")])
          default: nil
          }
        guard let part else { throw Invalid(reason: "a pattern can contain only %Y, %m, %d and %%") }
        if !text.isEmpty { parts.append(.text(text)) }
        text = []
        parts.append(part)
      }
      if !text.isEmpty { parts.append(.text(text)) }
      if parts == [.text([0x2E])] || parts == [.text([0x2E, 0x2E])] {
        throw Invalid(reason: "a pattern cannot contain . or .. between slashes")
      }
      albums.append(parts)
    }
    guard albums.joined().contains(where: { if case .text = $0 { false } else { true } }) else {
      throw Invalid(reason: "a pattern without %Y, %m or %d names the same album for all files; use --into")
    }
    self.albums = albums
  }

  /// The album of a day, a month or a year. The path ends at the first part that is not known, without the text before
  /// that part. If nothing is left, the album is the year.
  package func album(year: Int, month: Int?, day: Int?) -> [[UInt8]] {
    func digits(_ number: Int, _ count: Int) -> [UInt8] {
      let text = String(number)
      return Array((String(repeating: "0", count: max(0, count - text.count)) + text).utf8)
    }
    var path: [[UInt8]] = []
    for parts in albums {
      var name: [UInt8] = []
      // The end of the last number in the name.
      var end = 0
      for part in parts {
        let number: [UInt8]? =
          switch part {
          case .text(let text): text
          case .year: digits(year, 4)
          case .month: month.map { digits($0, 2) }
          case .day: day.map { digits($0, 2) }
          }
        guard let number else {
          if end > 0 { path.append(Array(name[..<end])) }
          return path.isEmpty ? [digits(year, 4)] : path
        }
        name += number
        if case .text = part { continue }
        end = name.count
      }
      path.append(name)
    }
    return path
  }
}
