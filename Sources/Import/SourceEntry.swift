package import HostFiles
package import System
internal import SystemPackage

/// A directory of a source.
package struct SourceDirectory: Sendable {
  /// The open directory, or the file of the archive that contains it.
  package var descriptor: Descriptor
  /// Its path, which begins as the user gave it.
  package let path: [UInt8]
  /// The album for its files, below the album of the import.
  package let album: [[UInt8]]

  /// The path of a file in it.
  func path(of name: [UInt8]) -> [UInt8] {
    if path.isEmpty { return name }
    return path.last == 0x2F ? path + name : path + [0x2F] + name
  }
}

/// A file of a source.
package struct SourceEntry: Sendable {
  package var directory: SourceDirectory
  package let name: [UInt8]
  package let status: FileStatus
  /// The number of the group of names that it belongs to.
  package let group: Int
  /// Whether the status of every name of the group could be read.
  package var isGroupWhole = true
  /// Whether it is in an archive; `group` is then the number of the archive.
  package var isInArchive = false
  /// Its number in a Google Takeout.
  var takeoutNumber: Int?
  /// Whether it is sorted by the time of its file, because it states no other.
  var isDatedByFile = false

  /// Its path, which begins as the user gave it.
  package var path: [UInt8] { directory.path(of: name) }
}
