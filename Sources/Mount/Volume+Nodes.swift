// The one place that separates stored nodes (FileSystem) from virtual ones, which are thumbnails, status and the query
// door of the catalog (VirtualTree).

internal import Albums
internal import CMount
internal import Glibc
internal import Index
internal import Library
internal import SystemPackage
internal import Vault

/// The meaning of a node number.
private enum Node {
  /// A stored inode, perhaps the real folder behind a virtual number.
  case stored(InodeNumber)
  case virtual(VirtualNode, VirtualTree)
}

extension Volume {
  /// `S_IFDIR >> 12`.
  static let directoryKind: UInt8 = 4

  @inline(__always)
  private func node(_ number: InodeNumber) throws(Errno) -> Node {
    if !VirtualNode.isVirtual(number) { return .stored(number) }
    guard let node = VirtualNode(number) else { throw .noSuchFileOrDirectory }
    if let real = try real(number) { return .stored(real) }
    return .virtual(node, virtual)
  }

  /// The node and its attributes.
  func entry(of number: InodeNumber) throws(Errno) -> fuse_entry_param {
    switch try node(number) {
    case .stored(let inode):
      return shown(try fileSystem.attributes(of: inode), under: number.rawValue)
    case .virtual(let node, let tree): return try entry(of: node, in: tree)
    }
  }

  private func entry(of node: VirtualNode, in tree: VirtualTree) throws(Errno) -> fuse_entry_param {
    switch node {
    case .link(let depth, let inode):
      let link = try tree.link(to: inode, depth: depth)
      var entry = fuse_entry_param(link.attributes, seconds: 0)
      // The kernel caches the target as long as number and generation stay the same.
      entry.generation = UInt64(link.generation)
      return entry
    // The kernel lists a directory again only when it sees that its time has changed.
    case .view, .covers, .full, .motion: return fuse_entry_param(try tree.attributes(of: node), seconds: 0)
    case .shared, .sharedSize: return shown(try tree.attributes(of: node), as: node)
    default: break
    }
    let attributes = try tree.attributes(of: node)
    // The size is known only after opening, and the content depends on another file.
    let seconds = attributes.kind == Self.directoryKind ? SessionLimits.virtualCacheSeconds : 0
    return fuse_entry_param(attributes, seconds: seconds)
  }

  /// Looks up a name.
  func lookup(
    _ name: FileName, in parent: InodeNumber, for caller: @autoclosure () -> Caller
  ) throws(Errno) -> fuse_entry_param {
    switch try node(parent) {
    case .virtual(.control, _) where name.bytes == IncomingDirectory.name:
      return fuse_entry_param(try fileSystem.incoming.attributes(for: caller().user))
    case .virtual(let directory, let tree): return try entry(of: tree.lookup(name, in: directory), in: tree)
    case .stored(let directory):
      do throws(Errno) {
        if name.isDotOrDotDot { return try entry(of: dot(name, in: directory, knownAs: parent)) }
        return shown(try fileSystem.lookup(name, in: directory), as: name, in: parent, stored: directory)
      } catch {
        guard error == .noSuchFileOrDirectory else { throw error }
        guard let node = virtual.node(named: name, in: directory) else {
          // A name with a fixed number, real or not, is looked up each time, so its absence must not be cached.
          if parent != directory { throw error }
          return .absent
        }
        if case .shared = node, shared.made(directory, by: caller().process) { throw error }
        return try entry(of: node, in: virtual)
      }
    }
  }

  /// Opens a file with the flags of open(2) in `file`. Sets its handle (0 if the inode suffices), and whether cached
  /// pages stay valid or reads bypass the cache and the size that the kernel knows.
  func open(
    _ number: InodeNumber, _ file: inout fuse_file_info, by caller: @autoclosure () -> Caller,
    for opener: @autoclosure () -> Opener
  ) throws(Errno) {
    switch try node(number) {
    case .stored(let inode):
      try fileSystem.open(inode, flags: OpenFlags(open: file.flags))
      // All changes pass through the kernel.
      file.keep_cache = 1
    case .virtual(.query, let tree):
      // O_TRUNC has no effect. Offsets have no meaning.
      file.fh = try tree.openDoor(for: opener())
      file.direct_io = 1
      file.nonseekable = 1
    case .virtual(let node, let tree):
      guard file.flags & O_ACCMODE == O_RDONLY else { throw try replacePicture(node, for: caller()) }
      file.fh = try tree.open(node)
      switch node {
      // Their size is known before they are opened.
      case .tree, .motion: break
      default: file.direct_io = 1
      }
    }
  }

  /// Ends one open.
  func release(_ number: InodeNumber, handle: UInt64) {
    if VirtualNode.isVirtual(number) { virtual.release(handle) } else { fileSystem.release(number) }
  }

  /// Writes to an open file. Returns the number of bytes.
  func write(
    _ number: InodeNumber, handle: UInt64, at offset: off_t, from bytes: UnsafeRawBufferPointer
  ) throws(Errno) -> Int {
    switch try node(number) {
    case .stored(let inode):
      return try unsafe fileSystem.write(inode, at: FileOffset(rawValue: Int64(offset)), from: bytes)
    case .virtual(.query, let tree):
      try unsafe tree.door(handle).write(bytes)
      return bytes.count
    case .virtual: throw .readOnlyFileSystem
    }
  }

  /// Passes a query to the catalog through a descriptor that cannot be written to.
  ///
  /// - Throws: `ENOTTY` for everything except the query door.
  func ask(_ number: InodeNumber, handle: UInt64, _ question: [UInt8]) throws(Errno) {
    guard VirtualNode(number) == .query else { throw .inappropriateIOCTLForDevice }
    try virtual.door(handle).ask(question)
  }

  /// Whether the next read from the query door looks at many photos before it returns.
  func answerTakesLong(handle: UInt64) -> Bool {
    do throws(Errno) {
      return try virtual.door(handle).takesLong
    } catch {
      return false
    }
  }

  /// Reads from the query door. Returns the number of bytes, 0 at the end.
  func readAnswer(handle: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    let part = try virtual.door(handle).read(buffer.count)
    unsafe buffer.copyBytes(from: part)
    return part.count
  }

  /// Reads from an open file other than the query door. Returns the number of bytes; fewer than asked for only at the
  /// end.
  func read(
    _ number: InodeNumber, handle: UInt64, at offset: off_t, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    switch try node(number) {
    case .stored(let inode):
      return try unsafe fileSystem.read(inode, at: FileOffset(rawValue: Int64(offset)), into: buffer)
    case .virtual(.query, _): throw .invalidArgument
    case .virtual(_, let tree):
      switch try tree.content(of: handle) {
      case .bytes(let content):
        let start = min(max(0, offset), content.count)
        let part = content[start..<min(content.count, start + buffer.count)]
        unsafe buffer.copyBytes(from: part)
        return part.count
      case .part(let inode, let range):
        let start = range.lowerBound + max(0, min(Int64(offset), Int64(range.count)))
        let count = min(buffer.count, Int(range.upperBound - start))
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        return try unsafe fileSystem.read(inode, at: FileOffset(rawValue: start), into: room)
      }
    }
  }

  /// The next data or hole at or after an offset of an open file.
  func seek(_ number: InodeNumber, handle: UInt64, from offset: off_t, toData: Bool) throws(Errno) -> off_t {
    switch try node(number) {
    case .stored(let inode):
      let start = FileOffset(rawValue: Int64(offset))
      return off_t(try fileSystem.seek(inode, from: start, to: toData ? .data : .hole).rawValue)
    case .virtual(_, let tree):
      let size = off_t(try tree.content(of: handle).count)
      guard offset >= 0, offset < size else { throw .noSuchAddressOrDevice }
      return toData ? offset : size
    }
  }

  /// Calls `body` for the entries after a cookie until it returns false, with the reply to a lookup of each name. If
  /// the reply has no node number, the kernel uses only inode number and type, and looks the name up when it needs
  /// more.
  @inline(__always)
  func list(
    _ number: InodeNumber, after cookie: UInt64,
    _ body: (_ name: borrowing FileName, _ entry: inout fuse_entry_param, _ cookie: UInt64) -> Bool
  ) throws(Errno) {
    switch try node(number) {
    case .stored(let inode):
      if inode != number { shared.noteListing(of: number) }
      try fileSystem.listWithAttributes(inode, after: cookie) { name, attributes, cookie in
        var entry = shown(attributes, as: name, in: number, stored: inode)
        // "." and ".." do not count as lookups.
        if cookie <= 2 { entry.ino = 0 }
        if cookie == 1 { entry.attr.st_ino = UInt(number.rawValue) }
        return body(name, &entry, cookie)
      }
    case .virtual(let node, let tree):
      try tree.list(node, after: cookie) { name, number, kind, cookie in
        var entry = fuse_entry_param()
        entry.attr.st_ino = UInt(number.rawValue)
        entry.attr.st_mode = UInt32(kind) << 12
        return body(name, &entry, cookie)
      }
    }
  }

  func readLink(of number: InodeNumber) throws(Errno) -> [UInt8] {
    switch try node(number) {
    case .stored(let inode): return try fileSystem.readLink(of: inode)
    case .virtual(.link(let depth, let inode), let tree): return try tree.link(to: inode, depth: depth).target
    case .virtual: throw .invalidArgument
    }
  }

  func extendedAttribute(_ name: [UInt8], of number: InodeNumber) throws(Errno) -> [UInt8] {
    switch try node(number) {
    case .stored(let inode): return try fileSystem.extendedAttribute(name, of: inode)
    case .virtual(let node, let tree): return try tree.extendedAttribute(name, of: node)
    }
  }

  /// The names of all extended attributes, each ended by a NUL.
  func listExtendedAttributes(of number: InodeNumber) throws(Errno) -> [UInt8] {
    switch try node(number) {
    case .stored(let inode): return try fileSystem.listExtendedAttributes(of: inode)
    case .virtual: return []
    }
  }
}

// MARK: "." and ".."

extension Volume {
  /// The number of "." or ".." in a stored directory. The kernel looks them up for the handle of a file that it has
  /// forgotten.
  private func dot(_ name: FileName, in directory: InodeNumber, knownAs number: InodeNumber) throws(Errno)
    -> InodeNumber
  {
    if name.count == 1 { return number }
    // The parent of a shared folder is stored under its own number, or is such a folder itself.
    switch VirtualNode(number) {
    case .shared(let album)?: return try known(album)
    case .sharedSize(_, let album)?: return shared.number(of: .shared(album))
    default: return try known(above(directory))
    }
  }

  /// The number by which the kernel knows a stored directory.
  private func known(_ directory: InodeNumber) throws(Errno) -> InodeNumber {
    let album = try above(directory)
    let next = try above(album)
    for node in [VirtualNode.shared(album)] + SharedSize.allCases.map({ .sharedSize($0, next) }) {
      let number = shared.number(of: node)
      if try real(number) == directory { return number }
    }
    return directory
  }

  private func above(_ directory: InodeNumber) throws(Errno) -> InodeNumber {
    var above: InodeNumber?
    try fileSystem.list(directory, after: 1) { _, inode, _, _ in
      above = inode
      return false
    }
    guard let above else { throw .noSuchFileOrDirectory }
    return above
  }
}
