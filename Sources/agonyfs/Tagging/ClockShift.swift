// Invariants
// 1. All times are read before the first one is changed: what is changed may be found again, at another place.
// 2. A file is changed once, however often it is named: a second shift would make the time wrong.

internal import Catalog
internal import Client
internal import Mount
internal import System
internal import SystemPackage

/// `agonyfs tag --shift`: times that are wrong as the clock of their camera was.
struct ClockShift {
  /// Most photos that are named one by one.
  private static let mostNamed = 20

  let shift: TimeShift
  /// What is to be said of files, by their absolute paths.
  private(set) var changes: [(path: [UInt8], change: WordsChange)] = []
  /// How many photos stay as they are.
  private(set) var left = 0
  /// Devices and inodes.
  private var seen: Set<[UInt64]> = []

  /// - Throws: `CommandFailure` if the text is no shift.
  init(_ text: String) throws(CommandFailure) {
    guard let shift = TimeShift(text) else {
      throw CommandFailure(.usage, "\"\(text)\" is no shift, which looks like +1h, -30m or +1d2h.")
    }
    self.shift = shift
  }

  /// Takes what a query finds in a directory, if the first word is one; else the words are files.
  mutating func take(_ words: [Word], _ listed: [[UInt8]]) throws {
    guard let first = words.first, Directory.exists(at: first.path) else {
      for path in words.map(\.bytes) + listed { try take(file: path) }
      return
    }
    guard listed.isEmpty else { throw CommandFailure(.usage, "--shift takes a query or --files0-from, not both.") }
    guard let library = try PhotoLibrary.mounted(at: first.bytes) else { throw PhotoLibrary.notMounted(first.bytes) }
    let query = words.dropFirst().map(\.text).joined(separator: " ")
    try PhotoLibrary.check(query)
    let trailer = try library.records(library.request(query)) { record in
      take(record, library.wholePrefix + record.path)
    }
    if trailer.pending > 0 {
      Output.note("\(trailer.pending.counted("file")) not examined yet, and so left.")
    }
  }

  private mutating func take(file path: [UInt8]) throws {
    guard let place = try PhotoLibrary.place(of: path) else { throw PhotoLibrary.notMounted(path) }
    let record = try PhotoLibrary(allOf: place).facts(of: place.path)
    take(record, place.mountPoint + [UInt8(ascii: "/")] + place.path)
  }

  private mutating func take(_ record: CatalogRecord, _ path: [UInt8]) {
    if let own = try? BytePath(path).identity(), !seen.insert([own.device, own.inode]).inserted { return }
    guard let value = UserWord.value(takenOf: record.facts, shiftedBy: shift) else {
      left += 1
      if left <= Self.mostNamed {
        Output.note("\(TerminalText.safe(path)) is left: when it was taken is not known, or not so exactly.")
      }
      return
    }
    var change = WordsChange()
    change.values[.taken] = value
    changes.append((path, change))
  }
}
