// Verifies everything that a password reaches, without changes, and proposes repairs.
//
// Order: the log's segments, every page of the database, SQLite's own check, names against inodes, extents against
// segments and counters. Then the data: all of it, or only that in damaged segments. At the end, the paths of damaged
// inodes.

package import Index
package import System
package import Vault

/// Checks an open space.
package struct Checker {
  static let directoryKind: UInt8 = 4
  private static let regularKind: UInt8 = 8
  /// Pages of the index that one thread reads in a row.
  private static let pagesAtOnce = 64

  let space: Space
  let index: Index
  let readData: Bool
  /// The threads that read data. The findings and their order do not depend on the number of threads.
  let threads: Parallel
  var report = CheckReport()
  /// The problems of each inode. Their paths are looked up together.
  private var hurt: [InodeNumber: [String]] = [:]
  var names: [InodeNumber: UInt32] = [:]
  var subdirectories: [InodeNumber: UInt32] = [:]
  var extents: [InodeNumber: ExtentSums] = [:]
  /// From the table of inodes: each directory's parent, and the inodes with extended attributes.
  var directories: [InodeNumber: InodeNumber] = [:]
  var withAttributes: Set<InodeNumber> = []
  /// The inodes of thumbnails, and a file that each belongs to.
  var derivatives: [InodeNumber: InodeNumber] = [:]
  /// Inodes that replace lost ones; nil if the index was not rebuilt.
  var replaced: Set<InodeNumber>?
  /// The proposed repairs, with the inode that each is for; then with the path, nil if it has none.
  var steps: [(step: RepairStep, inode: InodeNumber?)] = []
  private(set) var planned: [(step: RepairStep, path: String?)] = []
  /// Problems of the index that cannot be repaired here.
  var unrepairable: [String] = []

  init(space: Space, index: Index, readData: Bool, on threads: Parallel = .usual) {
    self.space = space
    self.index = index
    self.readData = readData
    self.threads = threads
  }

  /// Checks an open space. `slot` opened it.
  package static func check(
    _ space: Space, readData: Bool, slot: OpenedSlot? = nil, on threads: Parallel = .usual
  ) -> CheckReport {
    let log = examineLog(of: space, on: threads)
    do throws(IndexError) {
      var checker = Checker(space: space, index: try Index(space: space), readData: readData, on: threads)
      checker.report = CheckReport(log.problems)
      checker.report.notes = log.notes
      checker.run(suspects: log.suspects)
      if let slot { checker.report.add(SlotFinding.of(slot, recorded: SlotRecords.names(of: space))) }
      return checker.report
    } catch {
      var report = CheckReport(log.problems + ["the index cannot be opened"])
      report.stateNumber = space.stateNumber
      return report
    }
  }

  /// The problems of the log.
  struct LogExamination {
    var problems: [String] = []
    /// Observations that do not count as damage.
    var notes: [String] = []
    /// Segments that are damaged, and segments that may be. Reading their data shows it.
    var suspects: Set<SegmentNumber> = []
    /// A sentence about another branch of the space; nil if there is none.
    var fork: String?
    /// Files that are certainly missing, without which a newer state may be lost.
    var missing: MissingFiles?
    /// Pages of the index that cannot be read.
    var lostPages: [String] = []
  }

  /// Checks the log's segments and every page of the index.
  static func examineLog(of space: Space, on threads: Parallel = .usual) -> LogExamination {
    var result = LogExamination()
    // The heads of a copy are found by listing all files, so none is missed.
    if space.origin.isMissedBySearch, !space.origin.isCopy {
      result.problems.append("a file that leads to the newest state is missing")
    }
    let unlisted = space.unlistedFiles()
    if let first = unlisted.first {
      let others = unlisted.count > 1 ? "; the same is true of " + (unlisted.count - 1).counted("other file") : ""
      result.problems.append(
        "the files of the vault cannot all be listed: the file system cannot examine \(first)\(others)")
    }
    do throws(VaultError) {
      if let foreign = try space.foreignContinuation() {
        result.fork =
          "the space was continued in two places, or a file that leads to its newest state is lost: "
          + foreign.segments.counted("file of the vault, ", "files of the vault, ")
          + "of epochs \(foreign.epochs.lowerBound.rawValue) to \(foreign.epochs.upperBound.rawValue), "
          + (foreign.segments == 1 ? "belongs" : "belong") + " to a state that cannot be reached from this one"
      }
    } catch {
      if unlisted.isEmpty { result.problems.append("the files of the vault cannot be listed") }
    }
    if let fork = result.fork { result.problems.append(fork) }
    if let missing = try? space.missingFiles() {
      let files = missing.count.counted("file of the space is missing", "files of the space are missing")
      if missing.isCertain {
        result.missing = missing
        result.problems.append(
          "\(files) that this state does not use: they held a newer state, or free room of the space")
      } else {
        result.notes.append(
          "\(files) that this state does not use; a crash can cause this, and the next mount repairs it")
      }
    }
    let findings = space.verify(readData: false, on: threads)
    result.suspects = Set(findings.map(\.segment))
    result.problems += findings.filter(\.isCertain).map(\.problem)
    result.lostPages = lostPages(of: space, on: threads).map { "page \($0) of the index cannot be read" }
    result.problems += result.lostPages
    return result
  }

  /// The numbers of pages of the index that cannot be read, ascending.
  private static func lostPages(of space: Space, on threads: Parallel) -> [UInt32] {
    let count = Int(space.databasePageCount)
    let parts = stride(from: 0, to: count, by: pagesAtOnce).map { $0..<min($0 + pagesAtOnce, count) }
    let lost = threads.map(parts) { (part: Range<Int>) -> [UInt32] in
      let page = UnsafeMutableRawBufferPointer.allocate(byteCount: Space.databasePageSize, alignment: 16)
      defer { unsafe page.deallocate() }
      return part.map { UInt32($0) + 1 }.filter { number in
        (try? unsafe space.readPage(PageNumber(rawValue: number), into: page)) == nil
      }
    }
    return lost.flatMap(\.self)
  }

  /// Checks the index. Reports parts that cannot be read.
  mutating func run(suspects: Set<SegmentNumber>) {
    report.stateNumber = space.stateNumber
    do throws(IndexError) {
      for line in try index.integrityCheck() {
        unrepairable.append("the index is inconsistent: \(line)")
        add("the index is inconsistent: \(line)")
      }
      try countNames()
      try countDerivatives()
      try checkExtents(suspects: suspects)
      try checkInodes()
      try checkTree()
      try checkAttributes()
      try checkIntents()
      try nameTheHurt()
    } catch {
      let text = "the index cannot be read completely, so not everything was checked"
      unrepairable.append(text)
      add(text)
    }
  }

  mutating func add(_ text: String, _ step: RepairStep? = nil) {
    report.problems.append(CheckReport.Problem(path: nil, text: text))
    if let step { steps.append((step, nil)) }
  }

  private mutating func countNames() throws(IndexError) {
    try forEachRow(index.dentries(after:limit:), by: \.self) { entry in
      names[entry.entry.inode, default: 0] += 1
      if entry.entry.kind == Self.directoryKind { subdirectories[entry.parent, default: 0] += 1 }
    }
  }

  /// Counts references to thumbnails as names of the thumbnails.
  private mutating func countDerivatives() throws(IndexError) {
    try forEachRow(index.media.derivatives(after:limit:), by: \.inode) { entry in
      for derivative in entry.derivatives {
        names[derivative, default: 0] += 1
        derivatives[derivative] = entry.inode
      }
    }
    for inode in try index.media.mediaWithoutInode() {
      add("media facts are kept for inode \(inode.rawValue), which does not exist", .dropMedia(inode))
    }
  }

  private mutating func checkInodes() throws(IndexError) {
    let orphans = Set(try index.orphans(limit: .max))
    var inodeCount: Int64 = 0
    try forEachRow(index.inodes(after:limit:), by: \.number) { inode in
      let count = names.removeValue(forKey: inode.number) ?? 0
      noteForLater(inode)
      // Thumbnails are made later, so they say nothing about the last change.
      if derivatives[inode.number] == nil { report.noteChange(at: inode.changed.seconds) }
      if replaced?.contains(inode.number) == true {
        note(inode.number, "its record in the index is lost", .replaceInode(inode.number))
      }
      inodeCount += 1
      let isDirectory = inode.kind == Self.directoryKind
      switch inode.kind {
      case Self.directoryKind: report.directories += 1
      case Self.regularKind: report.files += derivatives[inode.number] == nil ? 1 : 0
      default: report.others += 1
      }
      if orphans.contains(inode.number) {
        if count != 0 { note(inode.number, "it is marked as deleted, but has a name", .keep(inode.number)) }
      } else if inode.number == .root {
        if count != 0 { note(inode.number, "the root directory has a name", .dropNames(.root)) }
      } else if count == 0 {
        add("inode \(inode.number.rawValue) has no name", .giveName(inode.number))
      } else if isDirectory && count != 1 {
        note(inode.number, "the directory has \(count) names", .keepOneName(inode.number))
      }
      let expected = isDirectory ? 2 + (subdirectories[inode.number] ?? 0) : count
      if !orphans.contains(inode.number), inode.links != expected {
        note(
          inode.number, "its link count is \(inode.links), but should be \(expected)",
          .setLinks(inode.number, expected))
      }
      let sums = extents.removeValue(forKey: inode.number) ?? ExtentSums()
      // Orphans are deleted in steps, so their counts may differ.
      if !orphans.contains(inode.number) {
        if replaced != nil, inode.allocated > sums.bytes {
          let lost = inode.allocated - sums.bytes
          note(
            inode.number, "the place of \(lost.counted("byte")) of its data is lost",
            .loseData(inode.number, lost, left: sums.bytes))
        } else if inode.allocated != sums.bytes {
          note(
            inode.number,
            "\(inode.allocated.counted("byte is", "bytes are")) counted for it, but it has \(sums.bytes)",
            .setAllocated(inode.number, sums.bytes))
        }
      }
    }
    for inode in names.keys.sorted() {
      note(
        inode, "its name leads to an inode that does not exist",
        derivatives[inode] == nil ? .dropNames(inode) : .dropDerivative(inode))
    }
    for inode in extents.keys.sorted() {
      add("data belongs to inode \(inode.rawValue), which does not exist", .dropExtents(inode))
    }
    if inodeCount != index.inodeCount || report.dataBytes != index.totalLiveBytes {
      add("the totals of the space are wrong", .setTotals(inodes: inodeCount, liveBytes: report.dataBytes))
    }
  }

  /// Checks that the files of pending write intents exist.
  private mutating func checkIntents() throws(IndexError) {
    guard let intents = try? space.writeIntents() else { return add("the last writes cannot be read") }
    for intent in intents { report.noteChange(at: intent.modifiedSeconds) }
    for inode in Set(intents.map(\.inode)).sorted() {
      if let record = try index.inode(inode), record.kind == Self.regularKind { continue }
      add("the last writes to inode \(inode.rawValue) cannot be applied, because it does not exist")
    }
  }

  mutating func note(_ inode: InodeNumber, _ text: String, _ step: RepairStep) {
    hurt[inode, default: []].append(text)
    steps.append((step, inode))
  }

  private mutating func nameTheHurt() throws(IndexError) {
    // A damaged thumbnail loses nothing.
    for place in steps.indices {
      switch steps[place].step {
      case .makeHole(let inode, _), .dropExtent(let inode, _):
        if derivatives[inode] != nil { steps[place].step = .dropDerivative(inode) }
      default: break
      }
    }
    for (derivative, texts) in hurt {
      guard let file = derivatives[derivative] else { continue }
      hurt[derivative] = nil
      hurt[file, default: []] += texts.map { "only its thumbnail is damaged, and will be rebuilt: \($0)" }
    }
    var paths: [InodeNumber: String] = [.root: "/"]
    for entry in hurt.isEmpty ? [] : try index.names(of: Set(hurt.keys)) where paths[entry.inode] == nil {
      let path = try index.path(of: entry.parent) + [entry.name]
      paths[entry.inode] = path.map { "/\($0.description)" }.joined()
    }
    for (inode, texts) in hurt.sorted(by: { $0.key < $1.key }) {
      let path = paths[inode]
      for text in texts {
        let text = path == nil ? "inode \(inode.rawValue), which has no name: \(text)" : text
        report.problems.append(CheckReport.Problem(path: path, text: text))
      }
    }
    planned = steps.map { (step, inode) in (step, inode.flatMap { paths[derivatives[$0] ?? $0] }) }
  }
}

extension Index {
  /// The names on the way from the root to a directory.
  package func path(of directory: InodeNumber) throws(IndexError) -> [FileName] {
    var names: [FileName] = []
    var current = directory
    // The bound ends a loop in a damaged tree.
    while current != .root, names.count < 100_000, let entry = try entry(ofDirectory: current) {
      names.append(entry.entry.name)
      current = entry.parent
    }
    return names.reversed()
  }
}

/// Calls `body` for every row of a table of the index. `rows` returns those after the row with the key `last`, at most
/// `limit` of them.
///
/// - Throws: `.damaged` when the order of the rows of a damaged table leads back to some of them.
func forEachRow<Row, Key: Hashable>(
  _ rows: (_ last: Key?, _ limit: Int) throws(IndexError) -> [Row], by key: KeyPath<Row, Key>,
  _ body: (Row) throws(IndexError) -> Void
) throws(IndexError) {
  let limit = 4096
  var last: Key?
  var ends: Set<Key> = []
  while true {
    let batch = try rows(last, limit)
    for row in batch { try body(row) }
    guard batch.count == limit, let end = batch.last?[keyPath: key] else { return }
    guard ends.insert(end).inserted else { throw .damaged }
    last = end
  }
}
