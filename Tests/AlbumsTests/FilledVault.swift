import AlbumsSupport
import FaultyStorage
import Index
import Storage
import Testing

@testable import Albums
@testable import Vault

/// A vault with some of everything, and looks at it from outside.
extension TestVault {
  /// A vault with some of everything, closed.
  static func filled() throws -> TestVault {
    let vault = try TestVault()
    let files = vault.files
    let folder = try files.folder("d")
    let inner = try files.folder("e", in: folder)
    for index in 0..<20 { try files.put(pattern(60_000, index), files.make("f\(index)", in: inner)) }
    let first = try files.find("f0", in: inner).inode
    _ = try files.link(first, named: .of("again"), in: .root)
    _ = try files.copyRange(from: first, at: .zero, to: first, at: FileOffset(1 << 20), length: 50_000)
    _ = try files.makeSymbolicLink(target: [65], named: .of("s"), in: .root, caller: caller)
    try files.setAttribute("user.a", of: folder, to: [1])
    try files.close()
    return vault
  }

  /// Everything that is to be seen of every inode with a name, and its bytes; nil for bytes that cannot be read.
  func contents() throws -> [String: (record: InodeRecord, bytes: [UInt8]?)] {
    let space = try vault.openSpace(body, readOnly: true, acceptOlder: true, copyWindow: 0)
    defer { try? space.close() }
    let index = try Index(space: space)
    let files = try Workload.mount(space, readOnly: true)
    var found: [String: (record: InodeRecord, bytes: [UInt8]?)] = [:]
    var waiting = [("", InodeNumber.root)]
    while let (path, inode) = waiting.popLast() {
      guard let record = try index.inode(inode) else { continue }
      let isFile = record.mode & FileKind.mask == FileKind.regular
      found[path] = (record, isFile ? try? files.get(inode) : nil)
      if record.mode & FileKind.mask == FileKind.directory {
        for (name, child) in try files.names(of: inode) { waiting.append((path + "/" + name, child)) }
      }
    }
    try files.close()
    return found
  }

  /// Flips a bit in the first extent of a closed vault's file, so far behind the beginning of its record.
  func damage(_ path: String, at distance: Int) throws {
    let space = try vault.openSpace(body, readOnly: true, copyWindow: 0)
    let index = try Index(space: space)
    let position = try index.firstExtent(of: index.record(at: path).number).position
    storage.flip(try space.name(of: position.segment), at: position.offset + distance)
    try space.close()
  }

  /// What a repair of all of it would do.
  func plannedRepair() throws -> Repair {
    Repair(of: try vault.openSpace(body, acceptOlder: true, scanning: true), in: vault, body: body, slot: nil)
  }
}

extension Index {
  /// The row of the inode at a path of names with slashes before them.
  func record(at path: String) throws(IndexError) -> InodeRecord {
    var number = InodeNumber.root
    for name in path.split(separator: "/") {
      guard let entry = try dentry(parent: number, name: .of(String(name))) else { throw .damaged }
      number = entry.inode
    }
    guard let record = try inode(number) else { throw .damaged }
    return record
  }

  /// Has the two directories of a filled vault hold each other, so that the root leads to neither; gives the row of the
  /// inner one. Link counts stay as they are.
  func moveIntoItself() throws(IndexError) -> InodeRecord {
    var outer = try record(at: "/d")
    let inner = try record(at: "/d/e")
    try deleteDentry(parent: .root, name: .of("d"))
    try insertDentry(
      parent: inner.number, DentryRecord(name: .of("d"), inode: outer.number, kind: 4, cookie: nextCookie()))
    outer.parent = inner.number
    try update(outer)
    return inner
  }
}

extension Space {
  /// The name of a segment's file.
  func name(of segment: SegmentNumber) throws -> SegmentIdentifier {
    keys.identifier(segment, branch: try #require(log.locked({ $0.catalog.branch(of: segment.epoch) })))
  }

  /// The name of a segment that holds data of files and nothing of the index.
  func nameOfSegmentWithData() throws -> SegmentIdentifier {
    let found = try #require(
      segments().first { $0.databasePages == 0 && $0.number.index > 0 && (try? isWithoutExtents($0.number)) == false })
    return try name(of: found.number)
  }

  /// Whether no file has data in a segment.
  func isWithoutExtents(_ segment: SegmentNumber) throws -> Bool {
    try Index(space: self).extents.rows(in: segment, limit: 1).isEmpty
  }
}
