import AlbumsSupport
import Media
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import Albums
@testable import Library

/// Thumbnails of what is imported, by a decoder that takes whatever begins with "photo" for one.
extension Workload {
  /// Some photos are looked at, as a gallery does; now and then all that was made is made anew.
  func lookAtPhotos() throws {
    if number(0...7) == 0 {
      try step {
        try files.thumbnailer.remakeThumbnails()
      } _: { _ in
      }
    }
    for _ in 0..<number(1...4) {
      guard let path = model.paths.randomElement(using: &generator) else { return }
      let inode = try files.inode(at: path)
      // What cannot be kept is made another time; whoever changes something next is told why.
      try step {
        _ = try? files.thumbnailer.derivative(.small, of: inode)
      } _: { _ in
      }
      try files.waitUntilUnused(inode)
    }
  }
}

extension FileSystem {
  /// Waits until nobody looks at a file any more, so that nothing goes on beside what comes next.
  func waitUntilUnused(_ number: InodeNumber) throws {
    try waitUntil("nobody looked at inode \(number)") { locked { $0.inodes[number]?.opens ?? 0 == 0 } }
  }

  /// Expects that what is kept as thumbnail of a file was made of its content. With a decoder every photo must have
  /// one.
  ///
  /// - Returns: whether there is one.
  func expectThumbnail(of inode: InodeNumber, _ comment: Comment) throws -> Bool {
    let content = try get(inode)
    let isPhoto = content.starts(with: photoMark)
    do {
      let small = try get(try thumbnailer.derivative(.small, of: inode))
      let isRight = isPhoto && isSame(small, Array("small ".utf8) + content)
      #expect(isRight, comment)
      return true
    } catch let error as Errno {
      // Without a decoder it may be one that is still to be made.
      let mayWait = library.options.thumbnails == nil && error == .ioError
      #expect(mayWait || !isPhoto && error == .noSuchFileOrDirectory, comment)
      return false
    }
  }
}

/// What contents begin with that `TestMaker` takes for photos.
let photoMark = Array("photo".utf8)
