package import Index
package import SystemPackage
package import Vault

/// Looks up names, and creates them.
extension FileSystem {
  /// The most names of a file.
  package static let maximumLinks: UInt32 = 65_000

  /// The attributes of the inode that has a name.
  ///
  /// - Throws: `ENOENT`, `ENOTDIR`.
  package func lookup(_ name: FileName, in parent: InodeNumber) throws(Errno) -> Attributes {
    try reading { files throws(Errno) in
      _ = try files.directory(parent)
      guard let found = try files.find(name, in: parent) else { throw .noSuchFileOrDirectory }
      return files.attributes(found.inode)
    }
  }

  /// The target of a symbolic link.
  ///
  /// - Throws: `EINVAL` for any other inode.
  package func readLink(of inode: InodeNumber) throws(Errno) -> [UInt8] {
    try reading { files throws(Errno) in
      guard let target = try files.inode(inode).record.target else { throw .invalidArgument }
      return target
    }
  }

  /// Creates a file, FIFO, socket or device node. `mode` has the type bits; the umask is applied here.
  ///
  /// - Throws: `EEXIST`, `ENOENT` when the directory was removed, `ENOTDIR`, `ENOSPC`, `EROFS`; `EINVAL` for other
  ///   types.
  package func makeNode(
    _ name: FileName, in parent: InodeNumber, mode: UInt32, device: UInt64, caller: Caller
  ) throws(Errno) -> Attributes {
    let kind = mode & FileKind.mask == 0 ? FileKind.regular : mode & FileKind.mask
    let isDevice = kind == FileKind.characterDevice || kind == FileKind.blockDevice
    guard isDevice || kind == FileKind.regular || kind == FileKind.fifo || kind == FileKind.socket else {
      throw .invalidArgument
    }
    let request = NewInode(kind: kind, permissions: mode & 0o7777, device: isDevice ? device : 0)
    return try make(request, name, in: parent, caller)
  }

  /// Creates a directory.
  ///
  /// - Throws: as `makeNode`.
  package func makeDirectory(
    _ name: FileName, in parent: InodeNumber, mode: UInt32, caller: Caller
  ) throws(Errno) -> Attributes {
    try make(NewInode(kind: FileKind.directory, permissions: mode & 0o7777), name, in: parent, caller)
  }

  /// The directory with a name. If nothing has the name, creates a directory with the owner, group, permissions and
  /// access control lists of another one.
  ///
  /// - Throws: as `makeNode`; `ENOTDIR` when something else has the name.
  package func directory(
    _ name: FileName, in parent: InodeNumber, madeLike model: InodeNumber
  ) throws(Errno) -> InodeNumber {
    try changing { files throws(ChangeError) in
      if let (_, inode) = try ChangeError.result(of: files.find(name, in: parent)) {
        guard inode.isDirectory else { throw .failed(.notDirectory) }
        return inode.number
      }
      let record = try ChangeError.result(of: files.directory(model)).record
      let request = NewInode(kind: FileKind.directory, permissions: record.mode & 0o7777, model: model)
      return try files.make(request, name, in: parent, Caller(user: record.owner, group: record.group)).number
    }
  }

  /// Creates a symbolic link.
  ///
  /// - Throws: as `makeNode`; `ENAMETOOLONG` when the target exceeds 4095 bytes; `ENOENT` when it is empty.
  package func makeSymbolicLink(
    target: [UInt8], named name: FileName, in parent: InodeNumber, caller: Caller
  ) throws(Errno) -> Attributes {
    guard !target.isEmpty else { throw .noSuchFileOrDirectory }
    guard target.count <= 4095 else { throw .fileNameTooLong }
    let request = NewInode(kind: FileKind.symbolicLink, permissions: 0o777, target: target)
    return try make(request, name, in: parent, caller)
  }

  private func make(
    _ request: NewInode, _ name: FileName, in parent: InodeNumber, _ caller: Caller
  ) throws(Errno) -> Attributes {
    try changing { files throws(ChangeError) in files.attributes(try files.make(request, name, in: parent, caller)) }
  }

  /// Gives an inode another name.
  ///
  /// - Throws: `EPERM` for directories, `EEXIST`, `EMLINK`, `ENOENT` when the inode or the directory has lost its last
  ///   name,
  ///   `ENOSPC`.
  package func link(_ inode: InodeNumber, named name: FileName, in parent: InodeNumber) throws(Errno) -> Attributes {
    try changing { files throws(ChangeError) in
      let (directory, file) = try ChangeError.result(of: files.linkable(inode, named: name, in: parent))
      try files.requireRoom()
      try ChangeError.result(of: files.add(name, of: file, in: directory))
      return files.attributes(file)
    }
  }
}

extension LockedFileSystem {
  /// The entry and the inode of a name.
  func find(_ name: FileName, in parent: InodeNumber) throws(Errno) -> (entry: DentryRecord, inode: Inode)? {
    let found = try result(of: index.dentryWithInode(parent: parent, name: name))
    guard let (entry, record) = found else { return nil }
    let inode = try usable(record)
    changeSink.noteFound(inode, by: name)
    return (entry, inode)
  }

  /// Notes a change of an inode's content: the data of a file, or the entries of a directory.
  func touch(_ inode: Inode, _ time: Timestamp) {
    inode.record.modified = time
    inode.record.changed = time
    markChanged(inode)
  }

  /// The directory and the inode, which may get a name in the directory.
  fileprivate func linkable(
    _ number: InodeNumber, named name: FileName, in parent: InodeNumber
  ) throws(Errno) -> (directory: Inode, inode: Inode) {
    let directory = try directory(parent)
    let inode = try inode(number)
    guard !name.isDotOrDotDot, try find(name, in: parent) == nil else { throw .fileExists }
    guard !inode.isDirectory else { throw .notPermitted }
    guard directory.record.links > 0, inode.record.links > 0 else { throw .noSuchFileOrDirectory }
    guard inode.record.links < FileSystem.maximumLinks else { throw .tooManyLinks }
    return (directory, inode)
  }

  /// Gives an inode another name.
  fileprivate func add(_ name: FileName, of inode: Inode, in directory: Inode) throws(Errno) {
    let entry = DentryRecord(name: name, inode: inode.number, kind: inode.record.kind, cookie: index.nextCookie())
    try result(of: index.insertDentry(parent: directory.number, entry))
    let now = Timestamp.now()
    inode.record.addLink()
    inode.record.changed = now
    markChanged(inode)
    touch(directory, now)
    changeSink.noteName(name, .added, in: directory.number, of: inode, self)
  }

  /// Creates an inode and its name, or throws and changes nothing.
  func make(
    _ request: NewInode, _ name: FileName, in parent: InodeNumber, _ caller: Caller
  ) throws(ChangeError) -> Inode {
    let directory = try ChangeError.result(of: self.directory(parent, forNew: name, request))
    try requireRoom()
    return try ChangeError.result(of: insert(request, name, in: directory, caller))
  }

  /// The directory, in which an inode may be created.
  private func directory(
    _ parent: InodeNumber, forNew name: FileName, _ request: NewInode
  ) throws(Errno) -> Inode {
    let directory = try directory(parent)
    guard !name.isDotOrDotDot else { throw .fileExists }
    guard try result(of: index.dentry(parent: parent, name: name)) == nil else {
      throw .fileExists
    }
    guard directory.record.links > 0 else { throw .noSuchFileOrDirectory }
    if request.kind == FileKind.directory, directory.record.links == .max { throw .tooManyLinks }
    return directory
  }

  private func insert(
    _ request: NewInode, _ name: FileName, in directory: Inode, _ caller: Caller
  ) throws(Errno) -> Inode {
    let parent = directory.number
    let isDirectory = request.kind == FileKind.directory
    let inheritance = try inherit(request, from: directory, caller)
    let now = Timestamp.now()
    let inherited = directory.record.mode & FileKind.setGroup != 0
    var mode = request.kind | inheritance.permissions
    if inherited && isDirectory { mode |= FileKind.setGroup }
    let record = InodeRecord(
      number: index.nextInodeNumber(), mode: mode, links: isDirectory ? 2 : 1, owner: caller.user,
      group: inherited ? directory.record.group : caller.group, device: request.device,
      size: Int64(request.target?.count ?? 0), time: now, parent: isDirectory ? parent : nil,
      hasExtendedAttributes: !inheritance.attributes.isEmpty, target: request.target)
    let entry = DentryRecord(name: name, inode: record.number, kind: record.kind, cookie: index.nextCookie())
    try withSavepoint { index throws(IndexError) in
      try index.insert(record)
      try index.insertDentry(parent: parent, entry)
      for (name, value) in inheritance.attributes {
        try index.attributes.set(named: name, of: record.number, to: value)
      }
    }
    if isDirectory { directory.record.addLink() }
    touch(directory, now)
    let inode = Inode(record)
    inodes.insert(inode)
    changeSink.noteName(name, .made, in: parent, of: inode, self)
    return inode
  }

  /// The permissions and ACLs of a new inode, according to the default ACL of its directory or otherwise to the umask.
  private func inherit(
    _ request: NewInode, from directory: Inode, _ caller: Caller
  ) throws(Errno) -> (permissions: UInt32, attributes: [([UInt8], [UInt8])]) {
    if request.kind == FileKind.symbolicLink { return (request.permissions, []) }
    if let model = request.model {
      var lists: [([UInt8], [UInt8])] = []
      for name in [AccessControlList.accessName, AccessControlList.defaultName] {
        if let value = try result(of: index.attributes.value(named: name, of: model)) { lists.append((name, value)) }
      }
      return (request.permissions, lists)
    }
    let withoutAccessList = (request.permissions & ~(caller.umask & 0o777), [([UInt8], [UInt8])]())
    guard directory.record.hasExtendedAttributes else { return withoutAccessList }
    let value = try result(of: index.attributes.value(named: AccessControlList.defaultName, of: directory.number))
    guard let value, let list = AccessControlList(value) else { return withoutAccessList }
    var access = list
    let permissions = request.permissions & 0o7000 | access.narrow(to: request.permissions)
    var attributes: [([UInt8], [UInt8])] = []
    if !access.isMinimal { attributes.append((AccessControlList.accessName, access.encoded)) }
    if request.kind == FileKind.directory { attributes.append((AccessControlList.defaultName, value)) }
    return (permissions, attributes)
  }
}

/// The properties of an inode that does not exist yet.
struct NewInode {
  var kind: UInt32
  var permissions: UInt32
  var device: UInt64 = 0
  var target: [UInt8]?
  /// The directory whose access control lists it gets instead of inheriting from its own directory.
  var model: InodeNumber?
}

extension FileName {
  /// Whether the name is "." or "..".
  package var isDotOrDotDot: Bool { (1...2).contains(bytes.count) && bytes.allSatisfy { $0 == 0x2E } }
}
