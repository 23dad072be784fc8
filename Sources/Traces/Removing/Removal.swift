// Invariants
// 1. Only the file that was seen is removed: another file that has taken its name stays.
// 2. Nothing else changes, not even by a byte.
// 3. Deleting a folder in the trash follows no link and never leaves its file system.

internal import Glibc
internal import System
package import SystemPackage

/// How to remove a finding.
package enum Removal: Sendable {
  /// A whole file, in the state in which it was seen.
  case file(Folder, [UInt8], FileIdentity)
  /// The entries of a list of bookmarks that lead to places.
  case bookmarks(Folder, [UInt8], SearchedPlaces)
  /// A file in the trash, and its info file.
  case trashed(
    Folder, note: (folder: Folder, name: [UInt8], seen: FileIdentity),
    copy: (folder: Folder, name: [UInt8], seen: FileIdentity)?)

  /// Removes it. If it is missing already, this succeeds.
  ///
  /// - Throws: `EBUSY` if it was changed since it was seen.
  package func carryOut() throws(Errno) {
    do throws(Errno) {
      switch self {
      case .file(let folder, let name, let seen): try folder.remove(name, ifStill: seen)
      case .bookmarks(let folder, let name, let places):
        try AtomicRewrite.rewrite(name, in: folder, limit: RecentFiles.limit) { bytes in
          (try? BookmarkList(bytes)).flatMap { $0.without { places.contains(uri: $0) } }
        }
      case .trashed(let trash, let note, let copy):
        // The note is removed last: without it, the origin of a copy that could not be removed would be unknown.
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

  /// Removes the name from the trash's cache of folder sizes.
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
