internal import Albums
internal import Export
internal import HostFiles
internal import Index
internal import SystemPackage
internal import Vault

/// The files of a space that is opened without a mount.
final class VaultSpace: ExportSpace {
  private let files: FileSystem
  /// The last directory that was looked up: most files are in the same directory as the file before.
  private var recent: (path: [UInt8], inode: InodeNumber)?

  init(_ files: FileSystem) { self.files = files }

  func status(of path: [UInt8]) throws(Errno) -> FileStatus { FileStatus(try attributes(of: path)) }

  func names(in path: [UInt8]) throws(Errno) -> [[UInt8]] {
    var names: [[UInt8]] = []
    try files.list(try attributes(of: path).inode, after: 0) { name, _, _, cookie in
      // The first two entries are "." and "..".
      if cookie > 2 { names.append(name.bytes) }
      return true
    }
    return names
  }

  func open(_ path: [UInt8]) throws(Errno) -> any ExportedFile {
    let found = try attributes(of: path)
    let status = FileStatus(found)
    guard status.kind == .file else { throw .isDirectory }
    return VaultFile(files: files, inode: found.inode, status: status)
  }

  private func attributes(of path: [UInt8]) throws(Errno) -> Attributes {
    guard let slash = path.lastIndex(of: 0x2F) else {
      return path.isEmpty ? try files.attributes(of: .root) : try lookup(path[...], in: .root)
    }
    let directory = Array(path[..<slash])
    if recent?.path != directory {
      var inode = InodeNumber.root
      for part in directory.split(separator: 0x2F) { inode = try lookup(part, in: inode).inode }
      recent = (directory, inode)
    }
    return try lookup(path[(slash + 1)...], in: recent?.inode ?? .root)
  }

  private func lookup(_ name: ArraySlice<UInt8>, in directory: InodeNumber) throws(Errno) -> Attributes {
    guard let name = FileName(Array(name)) else { throw .invalidArgument }
    return try files.lookup(name, in: directory)
  }
}

private struct VaultFile: ExportedFile {
  let files: FileSystem
  let inode: InodeNumber
  let status: FileStatus

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try unsafe files.read(inode, at: FileOffset(rawValue: offset), into: buffer)
  }

  func nextData(from offset: Int64) throws(Errno) -> Int64? {
    do throws(Errno) {
      return try files.seek(inode, from: FileOffset(rawValue: offset), to: .data).rawValue
    } catch .noSuchAddressOrDevice {
      return nil
    }
  }

  func currentStatus() throws(Errno) -> FileStatus { FileStatus(try files.attributes(of: inode)) }

  func attributes() throws(Errno) -> [(name: [UInt8], value: [UInt8])] {
    let names = try files.listExtendedAttributes(of: inode).split(separator: 0).map { Array($0) }
    var found: [(name: [UInt8], value: [UInt8])] = []
    for name in names where name.starts(with: Array("user.".utf8)) {
      found.append((name, try files.extendedAttribute(name, of: inode)))
    }
    return found
  }

  func storedDigest() throws(Errno) -> FileDigest {
    let digest = try files.storedDigest(of: inode, for: .everything)
    return FileDigest(size: digest.size, hash: digest.hash)
  }
}

extension FileStatus {
  /// Converts the attributes of the file system in this process.
  fileprivate init(_ attributes: Attributes) {
    let kind: FileStatus.Kind =
      switch attributes.kind {
      case 8: .file
      case 4: .directory
      case 10: .symbolicLink
      case 1: .fifo
      case 12: .socket
      default: .device
      }
    func time(_ time: Timestamp) -> FileTime {
      FileTime(seconds: time.seconds, nanoseconds: Int64(time.nanoseconds))
    }
    self.init(
      kind: kind, device: 0, inode: attributes.inode.rawValue, size: attributes.size,
      permissions: attributes.mode & 0o7777, owner: attributes.owner, accessed: time(attributes.accessed),
      modified: time(attributes.modified), changed: time(attributes.changed))
  }
}
