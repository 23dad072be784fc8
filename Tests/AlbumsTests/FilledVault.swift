import Index

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
    for index in 0..<20 {
      let file = try files.make("f\(index)", in: inner)
      try files.put(pattern(60_000, index), file)
    }
    let first = try files.find("f0", in: inner).inode
    _ = try files.link(first, named: .of("again"), in: .root)
    _ = try files.copyRange(from: first, at: .zero, to: first, at: FileOffset(1 << 20), length: 50_000)
    _ = try files.makeSymbolicLink(target: [65], named: .of("s"), in: .root, caller: caller)
    try files.setExtendedAttribute(Array("user.a".utf8), of: folder, value: [1], flags: [], caller: caller)
    try files.close()
    return vault
  }

  /// Everything that is to be seen of every inode with a name, and its bytes; nil for bytes that cannot be read.
  func contents() throws -> [String: (record: InodeRecord, bytes: [UInt8]?)] {
    let space = try vault.openSpace(body, readOnly: true, acceptOlder: true, copyWindow: 0)
    defer { try? space.close() }
    let index = try Index(space: space)
    var options = FileSystemOptions(logger: quietLogger)
    options.isReadOnly = true
    let files = try FileSystem(space: space, options: options)
    var found: [String: (record: InodeRecord, bytes: [UInt8]?)] = [:]
    var waiting = [("", InodeNumber.root)]
    while let (path, inode) = waiting.popLast() {
      guard let record = try index.inode(inode) else { continue }
      let isFile = record.mode & FileKind.mask == FileKind.regular
      found[path] = (record, isFile ? try? files.get(inode) : nil)
      if record.mode & FileKind.mask == FileKind.directory {
        for (name, child) in try files.names(of: inode) where name != "." && name != ".." {
          waiting.append((path + "/" + name, child))
        }
      }
    }
    try files.close()
    return found
  }

  /// Changes the index behind the file system's back.
  func changeIndex(_ change: (Index) throws(IndexError) -> Void) throws {
    let space = try vault.openSpace(body, copyWindow: 0)
    let index = try Index(space: space)
    try change(index)
    try index.commit(to: space)
    try space.close()
  }

  /// What a repair of all of it would do.
  func plannedRepair() throws -> Repair {
    Repair(of: try vault.openSpace(body, acceptOlder: true, scanning: true), in: vault, body: body, slot: nil)
  }
}

extension Space {
  /// Whether no file has data in a segment.
  func isWithoutExtents(_ segment: SegmentNumber) throws -> Bool {
    try Index(space: self).extents.rows(in: segment, limit: 1).isEmpty
  }
}
