package import System
package import SystemPackage

/// An open album.
package final class Album: Sendable {
  package let descriptor: Descriptor
  /// Its path from the root of the space, or of the destination folder of an export.
  package let path: [UInt8]

  init(_ descriptor: Descriptor, path: [UInt8]) {
    self.descriptor = descriptor
    self.path = path
  }

  /// The path of a name in it, from the same root.
  package func path(of name: [UInt8]) -> [UInt8] { path.isEmpty ? name : path + [0x2F] + name }
}

/// Opens albums, and makes missing ones if wanted.
package struct AlbumOpener {
  private let calls: FileCalls
  private let root: Descriptor
  private let makes: Bool
  /// The album that was opened last: most files go into the same album as the file before.
  private var recent: (parts: [[UInt8]], album: Album)?

  /// Opens albums below a root directory.
  ///
  /// - Parameter makes: whether missing albums are made.
  package init(_ calls: FileCalls, in root: Descriptor, makes: Bool) {
    self.calls = calls
    self.root = root
    self.makes = makes
  }

  /// Opens the album of a path; nil if it is missing and must not be made. Throws the error of the system call.
  package mutating func open(_ parts: [[UInt8]]) throws(Errno) -> Album? {
    if let recent, recent.parts == parts { return recent.album }
    var descriptor = root
    for part in parts {
      do throws(Errno) {
        descriptor = try calls.openDirectory(part, in: descriptor)
      } catch .noSuchFileOrDirectory {
        guard makes else { return nil }
        try calls.makeDirectory(part, in: descriptor)
        descriptor = try calls.openDirectory(part, in: descriptor)
      }
    }
    let album = Album(descriptor, path: Array(parts.joined(separator: [0x2F])))
    recent = (parts, album)
    return album
  }
}
