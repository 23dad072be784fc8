/// Which parts of Google Takeouts were named, by the names that Takeout gives their archives:
/// `takeout-20240101T000000Z-002.zip`, or `takeout-20240101T000000Z-3-002.zip`.
package struct TakeoutParts: Hashable, Sendable {
  /// The numbers of parts, by what the names of one export have in common.
  private var exports: [String: Set<Int>] = [:]

  /// Takes the name of an archive or of a directory that one was unpacked into; nothing if Takeout gives no such name.
  mutating func add(_ name: some Collection<UInt8>) {
    guard let (export, number) = Self.part(name) else { return }
    exports[export, default: []].insert(number)
  }

  /// The parts that are missing for sure, since a later one is there: `takeout-20240101T000000Z-001 to -003`, `-005`.
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

  /// The last part of each export that was named. Nobody knows whether there are more.
  package var last: [String] { sorted.map { export, seen in export + Self.ending(seen.max() ?? 1) } }

  private var sorted: [(key: String, value: Set<Int>)] { exports.sorted { $0.key < $1.key } }

  private static func ending(_ number: Int) -> String {
    let digits = String(number)
    return "-" + String(repeating: "0", count: max(0, 3 - digits.count)) + digits
  }

  /// What a name has in common with those of the other parts, and the part's number. After that there may be an ending,
  /// or what browsers add to a second copy.
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
