/// Which parts of Google Takeouts the user gave, by the names of Takeout's archives:
/// `takeout-20240101T000000Z-002.zip`, or `takeout-20240101T000000Z-3-002.zip`.
package struct TakeoutParts: Hashable, Sendable {
  /// The numbers of the parts, by the common prefix of an export's names.
  private var exports: [String: Set<Int>] = [:]

  /// Adds the name of an archive, or of a directory into which one was unpacked. Ignores any other name.
  mutating func add(_ name: some Collection<UInt8>) {
    guard let (export, number) = Self.part(name) else { return }
    exports[export, default: []].insert(number)
  }

  /// The parts that must be missing because a later one was given: `takeout-20240101T000000Z-001 to -003`, `-005`.
  package var missing: [String] {
    sorted.flatMap { export, seen -> [String] in
      var runs: [ClosedRange<Int>] = []
      for number in 1...(seen.max() ?? 1) where !seen.contains(number) {
        if let last = runs.last, last.upperBound + 1 == number {
          runs[runs.count - 1] = last.lowerBound...number
        } else {
          runs.append(number...number)
        }
      }
      return runs.enumerated().map { index, run in
        let start = (index == 0 ? export : "") + Self.ending(run.lowerBound)
        return run.count == 1 ? start : start + " to " + Self.ending(run.upperBound)
      }
    }
  }

  /// The last given part of each export. It is unknown whether the export has more.
  package var last: [String] { sorted.map { export, seen in export + Self.ending(seen.max() ?? 1) } }

  private var sorted: [(key: String, value: Set<Int>)] { exports.sorted { $0.key < $1.key } }

  private static func ending(_ number: Int) -> String {
    let digits = String(number)
    return "-" + String(repeating: "0", count: max(0, 3 - digits.count)) + digits
  }

  /// The prefix that all parts have in common, and the number of the part. An ending, or the text that a browser adds
  /// to the name of a second download, may follow.
  private static func part(_ name: some Collection<UInt8>) -> (export: String, number: Int)? {
    let pieces = name.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard (3...4).contains(pieces.count), TakeoutText.folded(pieces[0]) == "takeout", isTime(Array(pieces[1])),
      pieces.count == 3 || !pieces[2].isEmpty && pieces[2].allSatisfy(isDigit)
    else { return nil }
    let last = pieces[pieces.count - 1]
    let digits = last.prefix(while: isDigit)
    let rest = last.dropFirst(digits.count)
    guard (3...4).contains(digits.count), [nil, UInt8(ascii: "."), 0x20, UInt8(ascii: "(")].contains(rest.first) else {
      return nil
    }
    let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    guard number > 0 else { return nil }
    let middle = pieces[1..<(pieces.count - 1)].map { String(decoding: $0, as: UTF8.self) }
    return ((["takeout"] + middle).joined(separator: "-"), number)
  }

  /// `20240101T000000Z`.
  private static func isTime(_ text: [UInt8]) -> Bool {
    text.count == 16 && text[8] == UInt8(ascii: "T") && text[15] == UInt8(ascii: "Z") && text[..<8].allSatisfy(isDigit)
      && text[9..<15].allSatisfy(isDigit)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
