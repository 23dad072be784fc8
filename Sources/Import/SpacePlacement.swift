// Names in the space for what comes.
//
// Invariants
// 1. No name that is there is replaced: a file gets the first of `name.ext`, `name (2).ext`, … that is free.

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

/// Names that a file may get where others have its own.
package enum FreeNames {
  /// Numbers that are tried.
  package static let most = 9999
  private static let mostBytes = 255

  /// The name with a number: from 2 on `stem (2).ending`, shortened where that is too long. `stem`: how many bytes are the
  /// stem, if the ending begins before the last point, as that of `photo.jpg.xmp`.
  package static func name(_ name: [UInt8], number: Int, stem length: Int? = nil) -> [UInt8] {
    if number < 2 { return name }
    let point = length ?? name.dropFirst().lastIndex(of: 0x2E) ?? name.endIndex
    let mark = Array(" (\(number))".utf8)
    var stem = name[..<point]
    let ending = name[point...].prefix(Self.mostBytes - mark.count - 1)
    // A character of UTF-8 is cut off as a whole.
    while stem.count + mark.count + ending.count > Self.mostBytes, let last = stem.popLast() {
      if last & 0xC0 == 0x80 { while let next = stem.last, next & 0xC0 == 0x80 { stem.removeLast() } }
      if last & 0xC0 == 0x80, let first = stem.last, first & 0xC0 == 0xC0 { stem.removeLast() }
    }
    return stem + mark + ending
  }
}
