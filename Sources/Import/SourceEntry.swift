package import System
internal import SystemPackage

/// A directory that is read.
package struct SourceDirectory: Sendable {
  /// The open directory, or the archive that it is in.
  package var descriptor: Descriptor
  /// Its path, as the user gave it and below that.
  package let path: [UInt8]
  /// The album that what is in it belongs to, below the one that everything goes into.
  package let album: [[UInt8]]
}

/// A name in a source.
package struct SourceEntry: Sendable {
  package var directory: SourceDirectory
  package let name: [UInt8]
  package let status: FileStatus
  /// The number of the group of names that belong together.
  package let group: Int
  /// Whether all of them could be looked at.
  package var isGroupWhole = true
  /// Whether it is in an archive, whose number is that of the group.
  package var isInArchive = false
  /// Its number in a Google Takeout.
  var takeoutNumber: Int?

  /// Its path, as the user gave it and below that.
  package var path: [UInt8] {
    if directory.path.isEmpty { return name }
    return directory.path.last == 0x2F ? directory.path + name : directory.path + [0x2F] + name
  }
}

/// Which names of a directory belong together: a photo, its raw file, the video of a live photo, and what other programs
/// wrote beside them.
package enum Companions {
  /// What the names that belong together have in common: what is before the first point, without regard to case. Edits of
  /// an iPhone (`IMG_E0001`, `IMG_O0001`) belong to what they are of.
  package static func key(of name: [UInt8]) -> [UInt8] {
    // A point at the beginning ends no stem.
    let end = name.dropFirst().firstIndex(of: 0x2E) ?? name.endIndex
    var stem = name[..<end].map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    let prefix = Array("img_".utf8)
    if stem.count == 9, stem.starts(with: prefix), stem[4] == 0x65 || stem[4] == 0x6F,
      stem[5...].allSatisfy({ (0x30...0x39).contains($0) })
    {
      stem.remove(at: 4)
    }
    return stem
  }

  /// Names in an order in which those that belong together follow each other, and where each group ends.
  package static func grouped(_ names: [[UInt8]]) -> (names: [[UInt8]], ends: [Int]) {
    let keyed = names.map { (key: key(of: $0), name: $0) }.sorted { one, other in
      one.key == other.key
        ? one.name.lexicographicallyPrecedes(other.name) : one.key.lexicographicallyPrecedes(other.key)
    }
    let ends = keyed.indices.filter { $0 + 1 == keyed.count || keyed[$0].key != keyed[$0 + 1].key }.map { $0 + 1 }
    return (keyed.map(\.name), ends)
  }
}
