/// Times with an English word for the month, as mail and the web write them (RFC 1123), and as C's `ctime` does:
/// "Thu, 09 Nov 2006 10:54:01 +0100", "Thu Nov  9 10:54:01 2006".
enum WordedTime {
  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
  private static let weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

  /// Converts the time to numbers, "2006-11-09 10:54:01+0100"; nil if the month is unknown. *Not:* a check of the day
  /// and the clock.
  static func numbers(_ bytes: [UInt8]) -> [UInt8]? {
    // Spaces, commas, and what may stand at the end.
    var words = bytes.split { [0x20, 0x2C, 0x0A, 0].contains($0) }.map { String(decoding: $0, as: UTF8.self) }
    if let first = words.first, weekdays.contains(first.prefix(3).lowercased()) { words.removeFirst() }
    guard (3...5).contains(words.count) else { return nil }
    if month(words[0]) != nil { words.swapAt(0, 1) }
    // C writes the year behind the clock.
    if words.count == 4, words[2].utf8.contains(0x3A) { words.swapAt(2, 3) }
    guard let month = month(words[1]) else { return nil }
    let day = words[0].utf8.count == 1 ? "0" + words[0] : words[0]
    var text = words[2] + "-" + Digits.padded(month, to: 2) + "-" + day
    if words.count > 3 { text += " " + words[3] }
    if words.count > 4 { text += ["GMT", "UTC", "UT"].contains(words[4]) ? "Z" : words[4] }
    return Array(text.utf8)
  }

  /// 1 to 12.
  private static func month(_ word: String) -> Int? {
    months.firstIndex(of: word.prefix(3).lowercased()).map { $0 + 1 }
  }
}
