// Invariants
// 1. All times are read before the first one is changed: a query could find a changed file again, at another place.
// 2. A file is changed once, however often it is named: a second shift would make the time wrong.

internal import Catalog
internal import Client
internal import Mount
internal import System
internal import SystemPackage

/// `agonyfs tag --shift`: corrects times that a wrong camera clock set.
struct ClockShift {
  /// Most skipped photos that are listed one by one.
  private static let mostNamed = 20

  let shift: TimeShift
  /// The changes to make, by the files' absolute paths.
  private(set) var changes: [(path: [UInt8], change: WordsChange)] = []
  /// How many photos are skipped.
  private(set) var left = 0
  /// The devices and inodes of the files seen so far.
  private var seen: Set<[UInt64]> = []

  /// - Throws: `CommandFailure` if the text is not a shift.
  init(_ text: String) throws(CommandFailure) {
    guard let shift = TimeShift(text) else {
      throw CommandFailure(.usage, "\"\(text)\" is not a shift; a shift looks like +1h, -30m or +1d2h.")
    }
    self.shift = shift
  }

  /// If the first word is a directory, takes the query's photos in it; otherwise the words are files.
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
      Output.note("\(trailer.pending.counted("file was", "files were")) not examined yet, and not shifted.")
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
        Output.note("\(TerminalText.safe(path)) was not shifted: its time is not known exactly enough.")
      }
      return
    }
    var change = WordsChange()
    change.values[.taken] = value
    changes.append((path, change))
  }
}
