package import HostFiles
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

  /// The path of a name in it.
  func path(of name: [UInt8]) -> [UInt8] {
    if path.isEmpty { return name }
    return path.last == 0x2F ? path + name : path + [0x2F] + name
  }
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
  /// Whether it goes to the day of the file, for want of another.
  var isDatedByFile = false

  /// Its path, as the user gave it and below that.
  package var path: [UInt8] { directory.path(of: name) }
}
