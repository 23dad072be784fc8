// Looking up, listing and opening virtual nodes, which are not stored.
//
// Invariants
// 1. Who may not read a file may not read its thumbnails: owner, group, permissions and access control list are the
//    file's, without permission to write.
// 2. An open virtual file is in memory as a whole, and does not change.

package import Index
internal import Media
internal import Synchronization
package import SystemPackage
package import Vault

/// The files and directories that are not stored.
package final class VirtualTree: Sendable {
  static let sharedName = Array(".sh_thumbnails".utf8)
  static let controlName = Array(".agonyfs".utf8)
  /// The names in the root directory that are not stored.
  package static let rootNames = [sharedName, controlName]
  /// The extended attribute of `.agonyfs` that takes requests.
  package static let requestName = Array("user.agonyfs.request".utf8)

  let fileSystem: FileSystem
  let digests = NameDigests()
  let pictures = PictureCache()
  private let open = Mutex<OpenFiles>(OpenFiles())

  private struct OpenFiles {
    var next: UInt64 = 1
    var contents: [UInt64: [UInt8]] = [:]
    /// Bytes that `status` had when it was opened last.
    var statusSize: Int64?
  }

  /// The tree beside a file system; nil where thumbnails are switched off.
  package init?(_ fileSystem: FileSystem) {
    guard fileSystem.options.thumbnails != nil else { return nil }
    self.fileSystem = fileSystem
  }

  /// What a name in a stored directory stands for, if nothing stored has that name.
  package func node(named name: FileName, in directory: InodeNumber) -> VirtualNode? {
    guard name.isHidden else { return nil }
    if name.bytes == Self.sharedName { return .shared(directory) }
    return directory == .root && name.bytes == Self.controlName ? .control : nil
  }

  /// What a name in a directory that is not stored stands for. Waits until a thumbnail that is asked for is made.
  ///
  /// - Throws: `ENOENT`, `ENOTDIR`; `EIO` and `EAGAIN` when a thumbnail cannot be made now.
  package func lookup(_ name: FileName, in parent: VirtualNode) throws(Errno) -> VirtualNode {
    let text = String(decoding: name.bytes, as: UTF8.self)
    switch parent {
    case .control, .trees, .shared:
      guard let entry = entries(of: parent).first(where: { $0.name == text }) else { throw .noSuchFileOrDirectory }
      return entry.node
    case .tree(let size, let directory):
      let found = try fileSystem.lookup(name, in: directory)
      if found.kind == FileKind.directory >> 12 { return .tree(size, found.inode) }
      guard found.kind == FileKind.regular >> 12 else { throw .noSuchFileOrDirectory }
      _ = try fileSystem.derivative(size, of: found.inode)
      return .tree(size, found.inode)
    case .sharedSize(let size, let directory):
      guard let digest = NameDigests.digest(named: name),
        let found = try digests.find(digest, in: directory, fileSystem)
      else { throw .noSuchFileOrDirectory }
      _ = try fileSystem.derivative(.small, of: found.inode)
      pictures.remember(found.name, of: found.inode)
      return .picture(size, found.inode)
    case .status, .failures, .picture: throw .notDirectory
    }
  }

  /// What is in a directory whose entries have fixed names.
  private func entries(of node: VirtualNode) -> [(name: String, node: VirtualNode)] {
    switch node {
    case .control: [("thumbnails", .trees), ("status", .status), ("failed", .failures)]
    case .trees: DerivativeSize.allCases.map { ("\($0.rawValue)", .tree($0, .root)) }
    case .shared(let directory): SharedSize.allCases.map { ($0.name, .sharedSize($0, directory)) }
    default: []
    }
  }

  /// What `stat` tells. The size of a PNG is known once it was opened, and 0 before.
  package func attributes(of node: VirtualNode) throws(Errno) -> Attributes {
    var attributes = try fileSystem.attributes(of: node.inode ?? .root)
    let isDirectory: Bool
    switch node {
    case .control, .trees, .shared, .sharedSize: isDirectory = true
    case .status, .failures, .picture: isDirectory = false
    case .tree: isDirectory = attributes.kind == FileKind.directory >> 12
    }
    attributes.inode = node.number
    attributes.links = isDirectory ? 2 : 1
    let permissions: UInt32 =
      switch node {
      case .status: 0o444
      case .failures: 0o400
      default: attributes.mode & (isDirectory ? 0o555 : 0o444)
      }
    attributes.mode = (isDirectory ? FileKind.directory : FileKind.regular) | permissions
    attributes.size = isDirectory ? 0 : try size(of: node)
    attributes.allocated = attributes.size
    return attributes
  }

  /// An extended attribute: the access control list is that of the photo or directory, and there is no other.
  ///
  /// - Throws: `ENODATA`.
  package func extendedAttribute(_ name: [UInt8], of node: VirtualNode) throws(Errno) -> [UInt8] {
    guard let inode = node.inode, name == AccessControlList.accessName else { throw .noData }
    return try fileSystem.extendedAttribute(name, of: inode)
  }

  private func size(of node: VirtualNode) throws(Errno) -> Int64 {
    switch node {
    case .tree(let size, let inode):
      return try fileSystem.attributes(of: fileSystem.derivative(size, of: inode)).size
    case .picture(let size, let inode): return Int64(pictures.size(inode, size) ?? 0)
    // Counting takes a while where there are many files; what is read is what was opened, whatever this says.
    case .status:
      if let known = open.withLock({ $0.statusSize }) { return known }
      return Int64(try status().utf8.count)
    default: return 0
    }
  }

  /// Calls `body` for the entries after `cookie` until it returns false: name, node number, kind, cookie. Only the
  /// trees of JPEGs have any.
  package func list(
    _ node: VirtualNode, after cookie: UInt64,
    _ body: (_ name: borrowing FileName, _ number: InodeNumber, _ kind: UInt8, _ cookie: UInt64) -> Bool
  ) throws(Errno) {
    switch node {
    case .tree(let size, let directory):
      try fileSystem.list(directory, after: cookie) { name, inode, kind, place in
        guard kind == FileKind.directory >> 12 || kind == FileKind.regular >> 12 else { return true }
        return body(name, VirtualNode.tree(size, inode).number, kind, place)
      }
    case .control, .trees, .shared, .sharedSize:
      let own = [(name: ".", node: node), (name: "..", node: node == .trees ? .control : node)]
      let listed = node == .control || node == .trees ? entries(of: node) : []
      for (place, entry) in (own + listed).enumerated() where UInt64(place) >= cookie {
        guard let name = FileName(entry.name) else { continue }
        let isFile = entry.node == .status || entry.node == .failures
        let kind = UInt8(truncatingIfNeeded: (isFile ? FileKind.regular : FileKind.directory) >> 12)
        guard body(name, entry.node.number, kind, UInt64(place) + 1) else { return }
      }
    case .status, .failures, .picture: throw .notDirectory
    }
  }

  /// Opens a file; gives its handle.
  package func open(_ node: VirtualNode) throws(Errno) -> UInt64 {
    let content: [UInt8]
    switch node {
    case .status:
      content = Array(try status().utf8)
      open.withLock { $0.statusSize = Int64(content.count) }
    case .failures: content = try failures()
    case .tree(let size, let inode): content = try jpeg(size, of: inode)
    case .picture(let size, let inode): content = try picture(size, of: inode)
    case .control, .trees, .shared, .sharedSize: throw .isDirectory
    }
    return open.withLock { files in
      defer { files.next += 1 }
      files.contents[files.next] = content
      return files.next
    }
  }

  /// The bytes of an open file.
  package func content(of handle: UInt64) throws(Errno) -> [UInt8] {
    guard let content = open.withLock({ $0.contents[handle] }) else { throw .badFileDescriptor }
    return content
  }

  /// Ends one open.
  package func release(_ handle: UInt64) { open.withLock { $0.contents[handle] = nil } }

  /// How many opens have not been released.
  package var openFileCount: Int { open.withLock { $0.contents.count } }

  /// Does what is asked for through the extended attribute of `.agonyfs`.
  ///
  /// - Throws: `EINVAL` for what is not known; `EROFS`.
  package func request(_ text: [UInt8]) throws(Errno) {
    guard text == Array("rebuild".utf8) else { throw .invalidArgument }
    try fileSystem.remakeThumbnails()
  }
}
