// The directory for incomplete files: an importer writes and verifies them there, and renames them.
//
// Invariants
// 1. It has one name, in the root directory, which no listing shows and no program can use.
// 2. Names in it that begin with a dot get no thumbnails and are in no answer.
// 3. Files whose name begins with `partialPrefix` are deleted a week after their last change. Nothing else is deleted.
//    A file with the same name and `logEnding` is deleted together with it: none of the two without the other.

internal import Index
package import SystemPackage
internal import Vault

/// The directory for incomplete files.
package struct IncomingDirectory: Sendable {
  let fileSystem: FileSystem

  /// The name in `.agonyfs` by which programs find the directory.
  package static let name = Array("incoming".utf8)
  /// The beginning of the names of incomplete files.
  package static let partialPrefix = Array(".partial-".utf8)
  /// The suffix of a log, which follows the name of its file.
  private static let logEnding = Array(".log".utf8)
  /// How long such files are kept after their last change, in seconds.
  private static let partialSeconds: Int64 = 7 * 24 * 3600

  /// The directory for incomplete files. It is created when the mount's owner, or root, asks for it, and belongs only
  /// to the owner.
  ///
  /// - Throws: `ENOENT` if there is none and another user asks, or nothing may be changed; `ENOSPC`.
  package func attributes(for user: UInt32) throws(Errno) -> Attributes {
    removeOldPartials()
    if let known = try fileSystem.reading({ files throws(Errno) in
      try files.find(.incoming, in: .root).map { files.attributes($0.inode) }
    }) {
      return known
    }
    let root = try fileSystem.attributes(of: .root)
    guard user == root.owner || user == 0, !fileSystem.isReadOnly else { throw .noSuchFileOrDirectory }
    let owner = Caller(user: root.owner, group: root.group)
    return try fileSystem.changing { files throws(ChangeError) in
      let known = try ChangeError.result(of: files.find(.incoming, in: .root))
      if let known { return files.attributes(known.inode) }
      let request = NewInode(kind: FileKind.directory, permissions: 0o700)
      return files.attributes(try files.make(request, .incoming, in: .root, owner))
    }
  }

  /// Deletes files that importers left a week ago. Another call tries failed deletions again.
  func removeOldPartials() {
    guard !fileSystem.isReadOnly, let incoming = try? fileSystem.lookup(.incoming, in: .root).inode else { return }
    var old: [FileName] = []
    let oldest = Timestamp.now().seconds - Self.partialSeconds
    try? fileSystem.listWithAttributes(incoming, after: 2) { name, attributes, _ in
      let isPartial = name.bytes.starts(with: Self.partialPrefix) && attributes.kind == FileKind.regular >> 12
      if isPartial, attributes.changed.seconds < oldest { old.append(copy name) }
      return true
    }
    for name in old { removePartial(name, in: incoming, ifOlderThan: oldest) }
  }

  /// Deletes a file and its log, or a log and its file, if neither was changed in between.
  private func removePartial(_ name: FileName, in incoming: InodeNumber, ifOlderThan oldest: Int64) {
    let isLog = name.bytes.suffix(Self.logEnding.count).elementsEqual(Self.logEnding)
    let other = FileName(isLog ? Array(name.bytes.dropLast(Self.logEnding.count)) : name.bytes + Self.logEnding)
    _ = try? fileSystem.changing { files throws(Errno) in
      let both = [name, other].compactMap { $0 }
      for name in both {
        guard let found = try files.find(name, in: incoming) else { continue }
        guard found.inode.record.changed.seconds < oldest else { return }
      }
      for name in both where try files.find(name, in: incoming) != nil {
        try files.remove(name, in: incoming, isDirectory: false)
      }
    }
  }
}
