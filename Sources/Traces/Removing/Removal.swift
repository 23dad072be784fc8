// Invariants
// 1. Only what was seen is removed: whatever took its name meanwhile stays.
// 2. Nothing else changes, not by a byte.
// 3. Deleting a folder of the trash follows no link and leaves its file system nowhere.

internal import Glibc
internal import System
package import SystemPackage

/// How something that was found is removed.
package enum Removal: Sendable {
  /// A file that is of the place as a whole, in the state in which it was seen.
  case file(Folder, [UInt8], FileIdentity)
  /// Entries of a list of bookmarks that lead to places.
  case bookmarks(Folder, [UInt8], SearchedPlaces)
  /// What is in the trash, with the file that says where it was.
  case trashed(
    Folder, note: (folder: Folder, name: [UInt8], seen: FileIdentity),
    copy: (folder: Folder, name: [UInt8], seen: FileIdentity)?)

  /// Removes it. What is gone already is no failure.
  ///
  /// - Throws: `EBUSY` if it was changed meanwhile.
  package func carryOut() throws(Errno) {
    do throws(Errno) {
      switch self {
      case .file(let folder, let name, let seen): try folder.remove(name, ifStill: seen)
      case .bookmarks(let folder, let name, let places):
        try AtomicRewrite.rewrite(name, in: folder, limit: RecentFiles.limit) { bytes in
          (try? BookmarkList(bytes)).flatMap { $0.without { places.contains(uri: $0) } }
        }
      case .trashed(let trash, let note, let copy):
        // The note goes last: without it, nobody would know where a copy came from that could not be removed.
        if let copy { try Self.removeCopy(copy.name, in: copy.folder, seen: copy.seen) }
        try note.folder.remove(note.name, ifStill: note.seen)
        if let copy { try Self.forgetSize(of: copy.name, in: trash) }
      }
    } catch .noSuchFileOrDirectory {}
  }

  private static func removeCopy(_ name: [UInt8], in folder: Folder, seen: FileIdentity) throws(Errno) {
    let status = try folder.status(of: name)
    guard FileIdentity(status) == seen else { throw .resourceBusy }
    if status.st_mode & S_IFMT == S_IFDIR { try empty(try folder.folder(name), device: UInt64(status.st_dev)) }
    try folder.unlink(name, isFolder: status.st_mode & S_IFMT == S_IFDIR)
  }

  private static func empty(_ folder: Folder, device: UInt64) throws(Errno) {
    for name in try folder.names() {
      let status = try folder.status(of: name)
      guard UInt64(status.st_dev) == device else { throw .improperLink }
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      if isFolder { try empty(try folder.folder(name), device: device) }
      try folder.unlink(name, isFolder: isFolder)
    }
  }

  /// The specification's cache of the sizes of folders has their names.
  private static func forgetSize(of name: [UInt8], in trash: Folder) throws(Errno) {
    try AtomicRewrite.rewrite(Array("directorysizes".utf8), in: trash, limit: RecentFiles.limit) { bytes in
      let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      let kept = lines.filter { line in
        let fields = line.split(separator: 0x20, maxSplits: 2)
        return fields.count < 3 || TraceURI.unescaped(fields[2]) != name
      }
      return kept.count == lines.count ? nil : Array(kept.joined(separator: [0x0A]))
    }
  }
}
