package import System
package import SystemPackage

/// An open album.
package final class Album: Sendable {
  package let descriptor: Descriptor
  /// Its path from the root of the space, or of the folder that is exported to.
  package let path: [UInt8]

  init(_ descriptor: Descriptor, path: [UInt8]) {
    self.descriptor = descriptor
    self.path = path
  }

  /// The path of a name in it.
  package func path(of name: [UInt8]) -> [UInt8] { path.isEmpty ? name : path + [0x2F] + name }
}

/// Albums that are opened, and made where they are missing.
package struct AlbumOpener {
  private let calls: FileCalls
  private let root: Descriptor
  private let makes: Bool
  /// The one that was opened last: most files go where the one before went.
  private var recent: (parts: [[UInt8]], album: Album)?

  /// `makes`: whether missing ones are made.
  package init(_ calls: FileCalls, in root: Descriptor, makes: Bool) {
    self.calls = calls
    self.root = root
    self.makes = makes
  }

  /// The album of a path; nil if there is none and none is to be made.
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
