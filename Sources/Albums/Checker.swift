// Verifies a space: its database, what the tables say of each other, and the data. Changes nothing.
//
// Every table is read once, in order. What is kept in memory per inode is a few numbers.

internal import Index
package import Vault

/// Checks a space that no file system has open.
package final class Checker {
  /// Problems that a report names at most.
  package static let problemLimit = 1000
  static let step = 1000

  let space: Space
  let readsData: Bool
  var report = CheckReport()
  var inodes: [InodeNumber: Facts] = [:]
  var damaged: Set<InodeNumber> = []

  /// What the inode table says, and what the others say of the same inode.
  struct Facts {
    var kind: UInt8
    var links: UInt32
    var isOrphan = false
    var names: UInt32 = 0
    var subdirectories: UInt32 = 0
    var size: Int64
    var allocated: Int64
    var parent: InodeNumber?
    var hasAttributes: Bool
  }

  init(space: Space, readsData: Bool) {
    self.space = space
    self.readsData = readsData
  }

  /// Checks everything in a space, and with `readsData` every byte of file data. The space may be open for reading only.
  ///
  /// - Throws: `.damaged` when the index cannot even be opened.
  package static func check(_ space: Space, readsData: Bool) throws(FileSystemError) -> CheckReport {
    let checker = Checker(space: space, readsData: readsData)
    do throws(IndexError) {
      let index = try Index(space: space)
      try checker.run(index)
    } catch {
      throw FileSystemError(error)
    }
    return checker.report
  }

  func add(_ text: String, _ inode: InodeNumber? = nil) {
    guard report.problems.count < Self.problemLimit else {
      report.furtherProblems += 1
      return
    }
    report.problems.append(CheckReport.Problem(text: text, inode: inode))
  }

  private func run(_ index: Index) throws(IndexError) {
    report.databasePages = Int(space.databasePageCount)
    report.segments = space.segments().count
    attempt("the database") { () throws(IndexError) in
      for line in try index.integrityCheck() { add("the database: \(line)") }
    }
    attempt("the table of inodes") { () throws(IndexError) in try checkInodes(index) }
    attempt("the table of orphans") { () throws(IndexError) in try checkOrphans(index) }
    attempt("the table of names") { () throws(IndexError) in try checkNames(index) }
    attempt("the table of extents") { () throws(IndexError) in try checkExtents(index) }
    attempt("the table of extended attributes") { () throws(IndexError) in try checkAttributes(index) }
    checkLinks()
    attempt("the names of damaged files") { () throws(IndexError) in try addPaths(index) }
  }

  /// Goes on with the next table when one cannot be read.
  private func attempt(_ what: String, _ body: () throws(IndexError) -> Void) {
    do throws(IndexError) { try body() } catch { add("\(what) cannot be read to its end: \(error)") }
  }

  // MARK: Inodes

  private func checkInodes(_ index: Index) throws(IndexError) {
    var last: InodeNumber?
    while true {
      let step = try index.inodes(after: last, limit: Self.step)
      guard let end = step.last else { break }
      last = end.number
      for record in step { checkInode(record) }
    }
    if Int64(inodes.count) != index.inodeCount { add("the index counts \(index.inodeCount) inodes and has \(inodes.count)") }
  }

  private func checkInode(_ record: InodeRecord) {
    inodes[record.number] = Facts(
      kind: record.kind, links: record.links, size: record.size, allocated: record.allocated, parent: record.parent,
      hasAttributes: record.hasExtendedAttributes)
    switch record.mode & FileKind.mask {
    case FileKind.regular: report.files += 1
    case FileKind.directory: report.directories += 1
    case FileKind.symbolicLink, FileKind.fifo, FileKind.socket, FileKind.characterDevice, FileKind.blockDevice:
      report.others += 1
    default: add("the inode is of no known kind", record.number)
    }
    let isDirectory = record.mode & FileKind.mask == FileKind.directory
    if isDirectory != (record.parent != nil) { add("only directories have a parent directory, and all have", record.number) }
    let isLink = record.mode & FileKind.mask == FileKind.symbolicLink
    if isLink != (record.target != nil) || (isLink && record.size != Int64(record.target?.count ?? 0)) {
      add("the target of a symbolic link does not fit the inode", record.number)
    }
    if record.size < 0 || record.allocated < 0 { add("a size is negative", record.number) }
  }

  private func checkOrphans(_ index: Index) throws(IndexError) {
    for orphan in try index.orphans(limit: .max) {
      report.orphans += 1
      guard let facts = inodes[orphan] else {
        add("an orphan is no inode", orphan)
        continue
      }
      if facts.links != 0 { add("an orphan has names", orphan) }
      inodes[orphan]?.isOrphan = true
    }
  }

  private func checkAttributes(_ index: Index) throws(IndexError) {
    var last: InodeNumber?
    var owners: Set<InodeNumber> = []
    while true {
      let step = try index.inodesWithAttributes(after: last, limit: Self.step)
      guard let end = step.last else { break }
      last = end
      owners.formUnion(step)
    }
    for owner in owners where inodes[owner]?.hasAttributes != true {
      add("extended attributes belong to no inode, or to one that should have none", owner)
    }
    for (number, facts) in inodes where facts.hasAttributes && !owners.contains(number) {
      add("the inode should have extended attributes and has none", number)
    }
  }
}
