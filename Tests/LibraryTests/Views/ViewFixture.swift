import AlbumsSupport
import Catalog
import Index
import Media
import SystemPackage
import Testing

@testable import Albums
@testable import Library
@testable import Vault

/// A space whose catalog says what a test wants, and its virtual files.
final class ViewFixture {
  let vault: TestVault
  let tree: VirtualTree
  private var descriptions: [(inode: InodeNumber, describe: (inout MediaItem) -> Void)] = []
  private var changes: UInt64?

  init() throws {
    vault = try TestVault(thumbnails: TestMaker())
    tree = VirtualTree(vault.files)
  }

  var files: FileSystem { vault.files }

  /// A photo of which the catalog knows what `describe` sets.
  @discardableResult
  func photo(
    _ name: String, in directory: InodeNumber = .root, content: String? = nil, mode: UInt32 = 0o644,
    _ describe: @escaping (inout MediaItem) -> Void = { _ in }
  ) throws -> InodeNumber {
    let inode = try files.make(name, in: directory, mode: mode)
    try files.put(Array("photo \(content ?? name)".utf8), inode)
    try self.describe(inode, describe)
    return inode
  }

  /// A photo of somebody else, in a directory "closed" that nobody else may enter.
  @discardableResult
  func closedPhoto(
    in directory: InodeNumber, _ describe: @escaping (inout MediaItem) -> Void
  ) throws -> InodeNumber {
    let other = Caller(user: 2000, group: 2000)
    let closed = try files.makeDirectory(.of("closed"), in: directory, mode: 0o700, caller: other).inode
    let inode = try files.makeNode(
      .of("theirs.jpg"), in: closed, mode: FileKind.regular | 0o644, device: 0, caller: other
    ).inode
    try files.put(Array("photo theirs".utf8), inode)
    try self.describe(inode, describe)
    return inode
  }

  /// Has the catalog know something else of a photo.
  func describe(_ inode: InodeNumber, _ describe: @escaping (inout MediaItem) -> Void) throws {
    descriptions.removeAll { $0.inode == inode }
    descriptions.append((inode, describe))
    changes = nil
    try settle()
  }

  /// Waits until nothing is to be done any more, and has the catalog say again what it was told.
  func settle() throws {
    if changes == files.changes { return }
    try files.waitForCatalog()
    try files.changing { files throws(Errno) in
      for (inode, describe) in descriptions {
        var item = MediaItem(inode: inode.rawValue, kind: .jpeg)
        describe(&item)
        try files.withIndex { index throws(IndexError) in
          let names = try index.catalog.names(of: inode, limit: 100).map { (parent: $0.parent, name: $0.name.bytes) }
          guard !names.isEmpty, let record = try index.inode(inode) else { return }
          let rights = ItemRights(mode: record.mode, owner: 1000, group: 1000, mayHaveList: true)
          try index.catalog.setMediaItem(
            item, at: ItemPlace(names: names, rights: rights), found: [], version: Int64(MediaItem.factsVersion))
        }
      }
    }
    changes = files.changes
  }

  func taken(_ year: Int, _ month: Int, _ day: Int) -> (inout MediaItem) -> Void {
    { item in
      guard let date = CivilDate(year: year, month: month, day: day),
        let wall = WallTime(date: date, hour: 12, minute: 0)
      else { return }
      item.taken = CapturedTime(wall: wall, source: .exif)
    }
  }

  /// The node of a path below `.agonyfs`.
  func node(_ path: String) throws -> VirtualNode {
    try settle()
    var node = try #require(tree.node(named: .of(".agonyfs"), in: .root))
    for name in path.split(separator: "/") { node = try tree.lookup(.of(String(name)), in: node) }
    return node
  }

  /// What a listing gives, in parts of `part` names.
  func list(_ path: String, part: Int = 3) throws -> [String] {
    let node = try node(path)
    var names: [String] = []
    var cookie: UInt64 = 0
    while true {
      var left = part
      try settle()
      try tree.list(node, after: cookie) { name, _, _, place in
        if left == 0 { return false }
        names.append(String(decoding: name.bytes, as: UTF8.self))
        cookie = place
        left -= 1
        return true
      }
      if left == part { break }
    }
    #expect(names.prefix(2) == [".", ".."])
    return names.dropFirst(2).sorted()
  }

  /// What is in a file.
  func read(_ path: String) throws -> String {
    let handle = try tree.open(node(path))
    defer { tree.release(handle) }
    switch try tree.content(of: handle) {
    case .bytes(let bytes): return String(decoding: bytes, as: UTF8.self)
    case .part(let inode, let range):
      let bytes = try files.get(inode, at: Int(range.lowerBound), count: range.count)
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  func target(_ path: String) throws -> String {
    guard case .link(let depth, let inode) = try node(path) else { throw Errno.invalidArgument }
    let link = try tree.link(to: inode, depth: depth)
    #expect(link.attributes.size == Int64(link.target.count))
    #expect(depth == path.split(separator: "/").count)
    return String(decoding: link.target, as: UTF8.self)
  }
}
