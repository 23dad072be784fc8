internal import HostFiles
package import System
package import SystemPackage

/// A space that files are imported into, as far as a client sees it.
package struct ImportTarget: Sendable {
  /// The root directory.
  package let root: Descriptor
  /// The directory for files that are not whole yet.
  package let incoming: Descriptor
  /// The device of the mount.
  package let device: UInt64
  /// Finds files of the space by their length.
  package let files: any StoredFiles

  /// Puts the four together.
  package init(root: Descriptor, incoming: Descriptor, device: UInt64, files: any StoredFiles) {
    self.root = root
    self.incoming = incoming
    self.device = device
    self.files = files
  }
}

extension ImportTarget {
  /// A file of the space, open, with its directory and its name; nil if it is not there any more.
  func open(_ path: [UInt8], _ calls: FileCalls) -> (folder: Descriptor, name: [UInt8], file: Descriptor)? {
    var parts = path.split(separator: 0x2F).map { Array($0) }
    var albums = AlbumOpener(calls, in: root, makes: false)
    guard let name = parts.popLast(), let album = try? albums.open(parts),
      let file = try? calls.openFile(name, in: album.descriptor)
    else { return nil }
    return (album.descriptor, name, file)
  }
}

/// Finds files of a space.
package protocol StoredFiles: Sendable {
  /// The paths of regular files of some lengths, from the root of the space.
  func paths(ofSizes sizes: Set<Int64>) throws(Errno) -> [Int64: [[UInt8]]]
}

/// A name for a file, and the first number that it may get.
struct WantedName: Sendable {
  let bytes: [UInt8]
  var first = 1
  private let stem: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    stem = Companions.parts(of: bytes).stem
  }

  /// The name with a number, which goes after what it has in common with the names that belong to it.
  func numbered(_ number: Int) -> [UInt8] { FreeNames.name(bytes, number: number, stem: stem) }

  /// The names that it may get, the best first.
  var candidates: some Sequence<[UInt8]> { (first...FreeNames.most).lazy.map { numbered($0) } }
}
