internal import HostFiles
package import System
package import SystemPackage

/// A mounted space that files are imported into.
package struct ImportTarget: Sendable {
  /// The root directory.
  package let root: Descriptor
  /// The directory for partial files.
  package let incoming: Descriptor
  /// The device number of the mount.
  package let device: UInt64
  /// Finds files of the space by their length.
  package let files: any StoredFiles

  /// A target with these properties.
  package init(root: Descriptor, incoming: Descriptor, device: UInt64, files: any StoredFiles) {
    self.root = root
    self.incoming = incoming
    self.device = device
    self.files = files
  }
}

extension ImportTarget {
  /// Opens a file of the space. Returns it with its directory and name, or nil if it does not exist any more.
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
  /// The paths of the regular files with these lengths in bytes, from the root of the space, by length.
  func paths(ofSizes sizes: Set<Int64>) throws(Errno) -> [Int64: [[UInt8]]]
}

/// The name that a file should get, and the first number to try.
struct WantedName: Sendable {
  let bytes: [UInt8]
  var first = 1
  private let stem: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    stem = Companions.parts(of: bytes).stem
  }

  /// The name with a number, which stands right after the stem that the whole group shares.
  func numbered(_ number: Int) -> [UInt8] { FreeNames.name(bytes, number: number, stem: stem) }

  /// The names to try, the preferred first.
  var candidates: some Sequence<[UInt8]> { (first...FreeNames.most).lazy.map { numbered($0) } }
}
