// Looks up, lists and opens virtual nodes, which are not stored.
//
// Invariants
// 1. A user who may not read a file may not read its thumbnails: they have the file's owner, group, permissions and
//    access control list, without permission to write. `.sh_thumbnails` of a stored directory keeps the permission to
//    write, because a write there creates a real folder that replaces it.
// 2. Every stored file has a picture in `.sh_thumbnails`, even if it lacks a thumbnail: a program that finds no
//    picture would make one and store it outside the vault.
// 3. An open virtual file is completely in memory, or a part of a stored file, and does not change. The exception is
//    the door (QueryDoor.swift).

package import Albums
package import Index
internal import Media
internal import Synchronization
package import SystemPackage
package import Vault

/// The virtual files and directories.
package final class VirtualTree: Sendable {
  package static let sharedName = Array(".sh_thumbnails".utf8)
  package static let controlName = Array(".agonyfs".utf8)
  /// The virtual names in the root directory.
  package static let rootNames = [sharedName, controlName]
  /// The extended attribute of `.agonyfs` that takes requests.
  package static let requestName = "user.agonyfs.request"

  let fileSystem: FileSystem
  let digests = NameDigests()
  let pictures = PictureCache()
  let fullPictures = FullPictures()
  let memory = ViewMemory()
  private let open = Mutex<OpenFiles>(OpenFiles())

  var views: ViewReader { ViewReader(fileSystem: fileSystem, memory: memory) }

  private struct OpenFiles {
    var next: UInt64 = 1
    var contents: [UInt64: VirtualContent] = [:]
    /// Bytes in memory for open files.
    var bytes = 0
    var doors: [UInt64: DoorSession] = [:]
    /// The size of `status` when it was last opened.
    var statusSize: Int64?
  }

  /// The virtual tree of a file system.
  package init(_ fileSystem: FileSystem) { self.fileSystem = fileSystem }

  var hasThumbnails: Bool { fileSystem.library.options.thumbnails != nil }

  /// The node of a virtual name in a stored directory, if no stored entry has that name.
  package func node(named name: FileName, in directory: InodeNumber) -> VirtualNode? {
    guard name.isHidden else { return nil }
    if name.bytes == Self.sharedName { return .shared(directory) }
    return directory == .root && name.bytes == Self.controlName ? .control : nil
  }

  /// The node of a name in a virtual directory. For a thumbnail, waits until it is made.
  ///
  /// - Throws: `ENOENT`, `ENOTDIR`; `EIO` and `EAGAIN` if a thumbnail cannot be made now.
  package func lookup(_ name: FileName, in parent: VirtualNode) throws(Errno) -> VirtualNode {
    let text = String(decoding: name.bytes, as: UTF8.self)
    switch parent {
    case .control, .trees, .shared, .viewShared:
      guard let entry = entries(of: parent).first(where: { $0.name == text }) else { throw .noSuchFileOrDirectory }
      return entry.node
    case .tree(let size, let directory):
      if let shared = shared(name, in: directory) { return shared }
      let found = try fileSystem.lookup(name, in: directory)
      if found.kind == FileKind.directory >> 12 { return .tree(size, found.inode) }
      guard found.kind == FileKind.regular >> 12 else { throw .noSuchFileOrDirectory }
      _ = try fileSystem.thumbnailer.derivative(size, of: found.inode)
      return .tree(size, found.inode)
    case .sharedSize(let size, let directory):
      guard let digest = NameDigests.digest(named: name),
        let found = try digests.find(digest, in: directory, fileSystem)
      else { throw .noSuchFileOrDirectory }
      pictures.remember(found.name, of: found.inode, as: PicturePlace(album: directory, name: copy name))
      return .picture(size, found.inode)
    case .view(let folder): return try lookup(name, in: folder)
    case .viewSharedSize(let size, let folder): return try picture(size, named: name, in: folder)
    case .covers(let directory): return try cover(named: name, in: directory)
    case .full(let directory):
      if let shared = shared(name, in: directory) { return shared }
      return try fullPicture(named: name, in: directory)
    case .motion(let directory): return try motion(named: name, in: directory)
    case .status, .failures, .query, .picture, .link, .cover: throw .notDirectory
    }
  }

  /// `.sh_thumbnails` in a virtual directory that shows the files of a stored one under their own names.
  private func shared(_ name: FileName, in directory: InodeNumber) -> VirtualNode? {
    guard name.bytes == Self.sharedName, (try? fileSystem.lookup(name, in: directory)) == nil else { return nil }
    return .shared(directory)
  }

  /// The entries of a directory with fixed names.
  private func entries(of node: VirtualNode) -> [(name: String, node: VirtualNode)] {
    switch node {
    case .control:
      (hasThumbnails ? [("thumbnails", .trees)] : [])
        + [
          ("status", .status), ("failed", .failures), ("query", .query), ("views", .view(.views)),
          ("motion", .motion(.root)),
        ] + (hasThumbnails ? [("covers", .covers(.root))] : [])
    case .trees: DerivativeSize.allCases.map { ("\($0.rawValue)", .tree($0, .root)) } + [("full", .full(.root))]
    case .shared(let directory): SharedSize.allCases.map { ($0.name, .sharedSize($0, directory)) }
    case .viewShared(let folder): SharedSize.allCases.map { ($0.name, .viewSharedSize($0, folder)) }
    default: []
    }
  }

  /// The attributes for `stat`. The size of a PNG or of a whole picture is 0 until it was opened.
  package func attributes(of node: VirtualNode) throws(Errno) -> Attributes {
    if case .link(let depth, let inode) = node { return try link(to: inode, depth: depth).attributes }
    var attributes = try fileSystem.attributes(of: node.inode ?? .root)
    let isDirectory = isDirectory(node, attributes)
    attributes.inode = node.number
    attributes.links = isDirectory ? 2 : 1
    let permissions: UInt32 =
      switch node {
      case .status: 0o444
      case .failures, .cover: 0o400
      case .view, .viewShared, .viewSharedSize, .covers: 0o500
      // Every user who can reach the door may ask; an answer contains only what the user could find without it.
      case .query: 0o666
      case .shared, .sharedSize: attributes.mode & 0o1777
      case .picture: attributes.mode & 0o666
      default: attributes.mode & (isDirectory ? 0o555 : 0o444)
      }
    attributes.mode = (isDirectory ? FileKind.directory : FileKind.regular) | permissions
    attributes.size = isDirectory ? 0 : try size(of: node)
    attributes.allocated = attributes.size
    switch node {
    case .view, .covers, .full, .motion:
      guard isDirectory else { break }
      attributes.modified = memory.time(of: fileSystem.changes)
      attributes.changed = attributes.modified
    default: break
    }
    return attributes
  }

  /// Whether a node is a directory; `attributes` are those of the stored node.
  private func isDirectory(_ node: VirtualNode, _ attributes: Attributes) -> Bool {
    switch node {
    case .control, .trees, .shared, .sharedSize, .view, .viewShared, .viewSharedSize, .covers: true
    case .status, .failures, .query, .picture, .link, .cover: false
    case .tree, .full, .motion: attributes.kind == FileKind.directory >> 12
    }
  }

  /// An extended attribute: only the access control list of the photo or directory exists.
  ///
  /// - Throws: `ENODATA`.
  package func extendedAttribute(_ name: [UInt8], of node: VirtualNode) throws(Errno) -> [UInt8] {
    guard let inode = node.inode, name == AccessControlList.accessName else { throw .noData }
    return try fileSystem.extendedAttribute(name, of: inode)
  }

  private func size(of node: VirtualNode) throws(Errno) -> Int64 {
    switch node {
    case .tree(let size, let inode):
      return try fileSystem.attributes(of: fileSystem.thumbnailer.derivative(size, of: inode)).size
    case .picture(let size, let inode): return Int64(pictures.size(inode, size) ?? 0)
    case .cover(let directory):
      guard let photo = try coverPhoto(of: directory) else { throw .noSuchFileOrDirectory }
      return try fileSystem.attributes(of: fileSystem.thumbnailer.derivative(.large, of: photo)).size
    case .full(let inode): return try fullPictureSize(of: inode)
    case .motion(let inode): return try motionRange(of: inode).map { Int64($0.count) } ?? 0
    // Counting takes a while in a large space. A reader gets the bytes from the open, whatever size this states.
    case .status:
      if let known = open.withLock({ $0.statusSize }) { return known }
      return Int64(try status().utf8.count)
    default: return 0
    }
  }

  /// Takes an entry of a listing, and returns whether to go on.
  package typealias Visitor =
    (_ name: borrowing FileName, _ number: InodeNumber, _ kind: UInt8, _ cookie: UInt64) -> Bool

  /// Calls `body` for the entries after `cookie` until it returns false: name, node number, kind, cookie. The folders
  /// of `.sh_thumbnails` list no pictures.
  package func list(_ node: VirtualNode, after cookie: UInt64, _ body: Visitor) throws(Errno) {
    switch node {
    case .tree(let size, let directory):
      try fileSystem.list(directory, after: cookie) { name, inode, kind, place in
        guard kind == FileKind.directory >> 12 || kind == FileKind.regular >> 12 else { return true }
        return body(name, VirtualNode.tree(size, inode).number, kind, place)
      }
    case .view(let folder): try list(folder, after: cookie, body)
    case .covers(let directory): try listCovers(directory, after: cookie, body)
    case .full(let directory): try listOriginals(directory, motion: false, after: cookie, body)
    case .motion(let directory): try listOriginals(directory, motion: true, after: cookie, body)
    case .control, .trees, .shared, .sharedSize, .viewShared, .viewSharedSize:
      let own = [(name: ".", node: node), (name: "..", node: node == .trees ? .control : node)]
      let listed = node == .control || node == .trees ? entries(of: node) : []
      for (place, entry) in (own + listed).enumerated() where UInt64(place) >= cookie {
        guard let name = FileName(entry.name) else { continue }
        let isFile = entry.node == .status || entry.node == .failures || entry.node == .query
        let kind = UInt8(truncatingIfNeeded: (isFile ? FileKind.regular : FileKind.directory) >> 12)
        guard body(name, entry.node.number, kind, UInt64(place) + 1) else { return }
      }
    case .status, .failures, .query, .picture, .link, .cover: throw .notDirectory
    }
  }

  /// The largest number of open doors, for one user and for all. Each may hold a question of a megabyte and a part of
  /// an answer.
  package static let mostDoors = (ofUser: 64, ofAll: 256)

  /// Opens the door to the catalog for a user; returns its handle.
  ///
  /// - Throws: `EMFILE` if the user has too many doors open, `ENFILE` if all users together have.
  package func openDoor(for opener: Opener) throws(Errno) -> UInt64 {
    try open.withLock { files throws(Errno) in
      guard files.doors.count < Self.mostDoors.ofAll else { throw .tooManyOpenFilesInSystem }
      let own = files.doors.values.count { $0.opener.user == opener.user }
      guard own < Self.mostDoors.ofUser else { throw .tooManyOpenFiles }
      defer { files.next += 1 }
      files.doors[files.next] = DoorSession(fileSystem, for: opener)
      return files.next
    }
  }

  /// The open door with a handle.
  package func door(_ handle: UInt64) throws(Errno) -> DoorSession {
    guard let door = open.withLock({ $0.doors[handle] }) else { throw .badFileDescriptor }
    return door
  }

  /// A whole picture is opened only while the open ones have at most this many bytes.
  private static let mostOpenBytes = 256 << 20

  /// Opens a file; returns its handle.
  package func open(_ node: VirtualNode) throws(Errno) -> UInt64 {
    let content: VirtualContent
    switch node {
    case .status:
      content = .bytes(Array(try status().utf8))
      open.withLock { $0.statusSize = content.count }
    case .failures: content = .bytes(try failures())
    case .tree(let size, let inode): content = .bytes(try jpeg(size, of: inode))
    case .picture(let size, let inode): content = .bytes(try picture(size, of: inode))
    case .cover(let directory):
      guard let photo = try coverPhoto(of: directory) else { throw .noSuchFileOrDirectory }
      content = .bytes(try jpeg(.large, of: photo))
    case .full(let inode):
      if try isDirectory(node, fileSystem.attributes(of: inode)) { throw .isDirectory }
      guard open.withLock({ $0.bytes }) <= Self.mostOpenBytes else { throw .noMemory }
      content = try fullPicture(of: inode)
    case .motion(let inode):
      if try isDirectory(node, fileSystem.attributes(of: inode)) { throw .isDirectory }
      guard let range = try motionRange(of: inode) else { throw .noSuchFileOrDirectory }
      content = .part(inode, range)
    case .query: throw .invalidArgument
    case .control, .trees, .shared, .sharedSize, .view, .viewShared, .viewSharedSize, .covers: throw .isDirectory
    case .link: throw .tooManySymbolicLinkLevels
    }
    if case .part(let inode, _) = content { try fileSystem.open(inode, flags: []) }
    return open.withLock { files in
      defer { files.next += 1 }
      files.contents[files.next] = content
      if case .bytes(let bytes) = content { files.bytes += bytes.count }
      return files.next
    }
  }

  /// The content of an open file.
  package func content(of handle: UInt64) throws(Errno) -> VirtualContent {
    guard let content = open.withLock({ $0.contents[handle] }) else { throw .badFileDescriptor }
    return content
  }

  /// Releases a handle.
  package func release(_ handle: UInt64) {
    let content = open.withLock { files in
      files.doors[handle] = nil
      let content = files.contents.removeValue(forKey: handle)
      if case .bytes(let bytes)? = content { files.bytes -= bytes.count }
      return content
    }
    if case .part(let inode, _)? = content { fileSystem.release(inode) }
  }

  /// The number of handles that have not been released.
  package var openFileCount: Int { open.withLock { $0.contents.count + $0.doors.count } }

  /// Carries out a request written to the extended attribute of `.agonyfs`.
  ///
  /// - Throws: `EINVAL` if the request is unknown; as `remakeThumbnails`, `giveBackAtClose`, `writeForReaders` and
  ///   `changeHomeZone`.
  package func request(_ text: [UInt8]) throws(Errno) {
    let request = String(decoding: text, as: UTF8.self)
    switch request {
    case "rebuild" where hasThumbnails: try fileSystem.thumbnailer.remakeThumbnails()
    case "give-back": try fileSystem.giveBackAtClose()
    case "keep-deleted": fileSystem.keepAtClose()
    case "write": try fileSystem.cleaner.writeForReaders()
    case _ where request.hasPrefix("zone "): try fileSystem.changeHomeZone(to: String(request.dropFirst(5)))
    default: throw .invalidArgument
    }
  }
}
