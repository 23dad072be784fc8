// Verifies everything that a password reaches, and changes nothing.
//
// Order: the log's segments, every page of the database, SQLite's own check, names against inodes, extents against segments and against the
// counts that are kept; then the data: all of it, or what lies in segments that have something wrong. Paths are looked up at the end, for
// what is hurt.

package import Crypto
internal import Index
package import Vault

/// What the extents of one inode come to.
private struct ExtentSums {
  var bytes: Int64 = 0
  var end = FileOffset.zero

  mutating func add(_ extent: ExtentRecord) {
    bytes += Int64(extent.length)
    end = max(end, extent.end)
  }
}

struct Checker {
  static let batch = 4096
  static let directoryKind: UInt8 = 4
  private static let regularKind: UInt8 = 8

  private let space: Space
  let index: Index
  private let readData: Bool
  private var report = CheckReport()
  /// What is wrong with which inode; the paths are looked up together.
  private var hurt: [InodeNumber: [String]] = [:]
  private var names: [InodeNumber: UInt32] = [:]
  private var subdirectories: [InodeNumber: UInt32] = [:]
  private var extents: [InodeNumber: ExtentSums] = [:]
  /// What the table of inodes says, for the tree and for extended attributes.
  var directories: [InodeNumber: InodeNumber] = [:]
  var withAttributes: Set<InodeNumber> = []
  /// Inodes that hold thumbnails, and a file of which each is.
  private var derivatives: [InodeNumber: InodeNumber] = [:]

  private init(space: Space, index: Index, readData: Bool) {
    self.space = space
    self.index = index
    self.readData = readData
  }

  /// Checks a space that is open.
  static func check(_ space: Space, readData: Bool) -> CheckReport {
    let findings = space.verify(readData: false)
    var pages: [String] = []
    let page = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Space.databasePageSize, alignment: 16)
    defer { unsafe page.deallocate() }
    for number in 0..<space.databasePageCount {
      do throws(VaultError) {
        try unsafe space.readPage(PageNumber(rawValue: number + 1), into: page)
      } catch {
        pages.append("page \(number + 1) of the index cannot be read")
      }
    }
    let structural = (findings.filter(\.isCertain).map(\.problem) + pages).map {
      CheckReport.Problem(path: nil, text: $0)
    }
    do throws(IndexError) {
      var checker = Checker(space: space, index: try Index(space: space), readData: readData)
      checker.report.problems = structural
      do throws(IndexError) {
        try checker.run(suspects: Set(findings.map(\.segment)))
      } catch {
        checker.report.problems.append(
          CheckReport.Problem(
            path: nil, text: "the index cannot be read to its end, so not everything was checked"))
      }
      return checker.report
    } catch {
      var report = CheckReport()
      report.problems =
        structural + [CheckReport.Problem(path: nil, text: "the index cannot be opened")]
      return report
    }
  }

  private mutating func run(suspects: Set<SegmentNumber>) throws(IndexError) {
    for line in try index.integrityCheck() where line != "ok" {
      add("the index is inconsistent: \(line)")
    }
    try countNames()
    try countDerivatives()
    try checkExtents(suspects: suspects)
    try checkInodes()
    try checkTree()
    try checkAttributes()
    try nameTheHurt()
  }

  private mutating func add(_ text: String) {
    report.problems.append(CheckReport.Problem(path: nil, text: text))
  }

  private mutating func countNames() throws(IndexError) {
    var last: LocatedDentry?
    while true {
      let entries = try index.dentries(after: last, limit: Self.batch)
      for entry in entries {
        names[entry.entry.inode, default: 0] += 1
        if entry.entry.kind == Self.directoryKind { subdirectories[entry.parent, default: 0] += 1 }
      }
      if entries.count < Self.batch { return }
      last = entries.last
    }
  }

  /// A thumbnail has no name: what points at it counts as one.
  private mutating func countDerivatives() throws(IndexError) {
    var last: InodeNumber?
    while true {
      let entries = try index.derivatives(after: last, limit: Self.batch)
      for entry in entries {
        for derivative in entry.derivatives {
          names[derivative, default: 0] += 1
          derivatives[derivative] = entry.inode
        }
      }
      if entries.count < Self.batch { break }
      last = entries.last?.inode
    }
    for inode in try index.mediaWithoutInode() {
      add("a content of inode \(inode.rawValue) is described, which does not exist")
    }
  }

  private mutating func checkInodes() throws(IndexError) {
    let orphans = Set(try index.orphans(limit: .max))
    var last: InodeNumber?
    while true {
      let inodes = try index.inodes(after: last, limit: Self.batch)
      for inode in inodes {
        let count = names.removeValue(forKey: inode.number) ?? 0
        noteForLater(inode)
        let isDirectory = inode.kind == Self.directoryKind
        switch inode.kind {
        case Self.directoryKind: report.directories += 1
        case Self.regularKind: report.files += derivatives[inode.number] == nil ? 1 : 0
        default: report.others += 1
        }
        if orphans.contains(inode.number) {
          if count != 0 { note(inode.number, "it is marked as deleted, but has a name") }
        } else if inode.number == .root {
          if count != 0 { note(inode.number, "the root directory has a name") }
        } else if count == 0 {
          add("inode \(inode.number.rawValue) has no name")
        } else if isDirectory && count != 1 {
          note(inode.number, "the directory has \(count) names")
        }
        let expected = isDirectory ? 2 + (subdirectories[inode.number] ?? 0) : count
        if !orphans.contains(inode.number), inode.links != expected {
          note(inode.number, "its link count is \(inode.links), but should be \(expected)")
        }
        let sums = extents.removeValue(forKey: inode.number) ?? ExtentSums()
        // What is being deleted goes in steps.
        if !orphans.contains(inode.number) {
          if inode.allocated != sums.bytes {
            note(inode.number, "\(inode.allocated) bytes are counted for it, but it has \(sums.bytes)")
          }
          if sums.end.rawValue > inode.size { note(inode.number, "an extent reaches beyond its end") }
        }
      }
      if inodes.count < Self.batch { break }
      last = inodes.last?.number
    }
    for inode in names.keys { note(inode, "its name leads to an inode that does not exist") }
    for inode in extents.keys {
      add("data belongs to inode \(inode.rawValue), which does not exist")
    }
  }

  private mutating func checkExtents(suspects: Set<SegmentNumber>) throws(IndexError) {
    let present = Set(space.segments().map(\.number))
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Space.maximumExtentLength, alignment: 4096)
    defer { unsafe buffer.deallocate() }
    var live: [SegmentNumber: Int64] = [:]
    var last: LocatedExtent?
    while true {
      let step = try index.extents(after: last, limit: Self.batch)
      for located in step {
        let extent = located.extent
        let segment = extent.position.segment
        live[segment, default: 0] += Int64(extent.length)
        extents[located.inode, default: ExtentSums()].add(extent)
        report.dataBytes += Int64(extent.length)
        if let before = last, before.inode == located.inode, before.extent.end > extent.offset {
          note(located.inode, "two extents overlap at byte \(extent.offset.rawValue)")
        }
        last = located
        guard extent.length > 0, extent.skip >= 0,
          extent.skip + extent.length <= extent.recordLength,
          extent.recordLength <= Space.maximumExtentLength,
          extent.position.offset < space.segmentBytes
        else {
          note(located.inode, "the extent at byte \(extent.offset.rawValue) is impossible")
          continue
        }
        guard present.contains(segment) else {
          note(
            located.inode,
            "bytes \(extent.offset.rawValue) to \(extent.end.rawValue) are in a segment that is gone"
          )
          continue
        }
        if readData || suspects.contains(segment) { unsafe read(located, into: buffer) }
      }
      if step.count < Self.batch { break }
    }
    try checkLiveBytes(live)
  }

  private mutating func read(_ located: LocatedExtent, into buffer: UnsafeMutableRawBufferPointer) {
    let extent = located.extent
    let target = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<extent.length])
    do throws(VaultError) {
      try unsafe space.read(
        extent.position, recordLength: extent.recordLength,
        range: extent.skip..<extent.skip + extent.length,
        into: target)
      report.readBytes += Int64(extent.length)
    } catch {
      note(located.inode, "bytes \(extent.offset.rawValue) to \(extent.end.rawValue) are damaged")
    }
  }

  private mutating func checkLiveBytes(_ counted: [SegmentNumber: Int64]) throws(IndexError) {
    var counted = counted
    var last: SegmentNumber?
    while true {
      let lives = try index.segmentLives(after: last, limit: Self.batch)
      for life in lives where (counted.removeValue(forKey: life.segment) ?? 0) != life.liveBytes {
        add("the count of live bytes of segment \(life.segment.rawValue) is wrong")
      }
      if lives.count < Self.batch { break }
      last = lives.last?.segment
    }
    for segment in counted.keys {
      add("segment \(segment.rawValue) holds data, but no count of live bytes is kept for it")
    }
  }

  mutating func note(_ inode: InodeNumber, _ text: String) {
    hurt[inode, default: []].append(text)
  }

  private mutating func nameTheHurt() throws(IndexError) {
    if hurt.isEmpty { return }
    for (derivative, texts) in hurt {
      guard let file = derivatives[derivative] else { continue }
      hurt[derivative] = nil
      for text in texts { note(file, "only its thumbnail is hurt, and will be made anew: \(text)") }
    }
    var paths: [InodeNumber: String] = [.root: "/"]
    for entry in try index.names(of: Set(hurt.keys)) where paths[entry.inode] == nil {
      paths[entry.inode] = try path(of: entry.parent) + entry.name.description
    }
    for (inode, texts) in hurt.sorted(by: { $0.key < $1.key }) {
      for text in texts {
        let path = paths[inode]
        let isNamed = path != nil
        report.problems.append(
          CheckReport.Problem(
            path: path, text: isNamed ? text : "inode \(inode.rawValue), which has no name: \(text)"
          ))
      }
    }
  }

  /// The path of a directory with a slash at its end.
  private func path(of directory: InodeNumber) throws(IndexError) -> String {
    var components: [String] = []
    var current = directory
    // No tree is deeper than the names that it has; a loop in a damaged one ends here.
    while current != .root, components.count < 100_000,
      let entry = try index.entry(ofDirectory: current)
    {
      components.append(entry.entry.name.description)
      current = entry.parent
    }
    return "/" + components.reversed().map { $0 + "/" }.joined()
  }
}

extension SpaceManager {
  /// Verifies all that a password reaches: the log's segments and chain, the database's pages, the index's integrity, names, link counts, extents and
  /// the counts that are kept; with `readData` every byte of every file. Changes nothing.
  ///
  /// - Throws: `.noSpaceOpens`; `.spaceInUse` while the space is mounted; `.damaged` when no state of the space can be found; `.system`.
  package static func check(
    in vault: Vault, password: Password, readData: Bool
  ) throws(VaultError) -> CheckReport {
    let (_, body) = try vault.openSlot(try vault.slotKeys(for: password))
    let space = try vault.openSpace(body, readOnly: true, acceptOlder: false)
    var report = Checker.check(space, readData: readData)
    if let warning = space.recoveryWarning {
      report.problems.insert(CheckReport.Problem(path: nil, text: warning), at: 0)
    }
    return report
  }
}
