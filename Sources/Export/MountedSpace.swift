package import HostFiles
package import System
package import SystemPackage

/// The files of a mounted space.
package final class MountedSpace: ExportSpace {
  private let calls: FileCalls
  private let root: Descriptor
  private var albums: AlbumOpener

  /// The space with this root directory.
  package init(_ calls: FileCalls, root: Descriptor) {
    self.calls = calls
    self.root = root
    albums = AlbumOpener(calls, in: root, makes: false)
  }

  package func status(of path: [UInt8]) throws(Errno) -> FileStatus {
    let (album, name) = try place(of: path)
    guard let name else { return try calls.status(of: album) }
    return try calls.status(of: name, in: album)
  }

  package func names(in path: [UInt8]) throws(Errno) -> [[UInt8]] {
    // Opened again, because listing moves the position of a descriptor.
    let (album, name) = try place(of: path)
    return try calls.names(in: name.map { (name) throws(Errno) in try calls.openDirectory(name, in: album) } ?? album)
  }

  package func open(_ path: [UInt8]) throws(Errno) -> any ExportedFile {
    let (album, name) = try place(of: path)
    guard let name else { throw .isDirectory }
    let file = try calls.openFile(name, in: album)
    let status = try calls.status(of: file)
    guard status.kind == .file else { throw .notSupported }
    return MountedFile(calls: calls, file: file, status: status)
  }

  /// The open directory of a path, and the name in it; nil for the root itself.
  private func place(of path: [UInt8]) throws(Errno) -> (Descriptor, name: [UInt8]?) {
    var parts = path.split(separator: 0x2F).map { Array($0) }
    guard let name = parts.popLast() else { return (root, nil) }
    guard let album = try albums.open(parts) else { throw .noSuchFileOrDirectory }
    return (album.descriptor, name)
  }
}

/// A file of a mounted space.
package struct MountedFile: ExportedFile {
  private let calls: FileCalls
  private let file: Descriptor
  package let status: FileStatus

  /// An open file.
  package init(calls: FileCalls, file: Descriptor, status: FileStatus) {
    (self.calls, self.file, self.status) = (calls, file, status)
  }

  package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try unsafe calls.read(file, at: offset, into: buffer)
  }

  package func nextData(from offset: Int64) throws(Errno) -> Int64? { try calls.nextData(of: file, from: offset) }

  package func currentStatus() throws(Errno) -> FileStatus { try calls.status(of: file) }

  package func attributes() throws(Errno) -> [(name: [UInt8], value: [UInt8])] { try calls.readAttributes(of: file) }

  package func storedDigest() throws(Errno) -> FileDigest { try calls.digest(of: file) }
}
