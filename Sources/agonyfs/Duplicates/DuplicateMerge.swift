// Invariants
// 1. An interruption loses no byte and no word: first the kept file gets its names, then, durably, the words about
//    the others; only then the others move to the trash, which keeps them.
// 2. Nothing is overwritten: a name that is taken keeps its file.
// 3. Files are checked again before they are changed. A file that differs from what the catalog found stays as it is.

internal import CPlatform
internal import Catalog
internal import Client
internal import Glibc
internal import SystemPackage

/// Merges several equal files into one.
struct DuplicateMerge {
  /// Why a group stays as it is.
  struct Left: Error, Equatable {
    var reason: String
  }

  let library: PhotoLibrary
  let mountPoint: [UInt8]
  let trash: TrashFolder

  init(_ library: PhotoLibrary, mountPoint: [UInt8]) throws(Errno) {
    self.library = library
    self.mountPoint = mountPoint
    trash = TrashFolder(of: try SpaceRoot(at: mountPoint))
  }

  /// Keeps one file of a group and moves the others to the trash.
  ///
  /// - Throws: `Left` or `Errno` if nothing or only a part was done; `CommandFailure` if no group can be merged.
  ///   Nothing is lost in these cases.
  func merge(_ group: DuplicateGroup, keeping kept: DuplicateGroup.Member) throws {
    let others = group.others(than: kept).going
    let file = BytePath(mountPoint, kept.path)
    try prepareTrash()
    try check(kept, others, group.kind)
    let takings = try self.takings(of: kept, others)
    let renames = try link(file, kept, others)
    try AttributeFile(file.bytes).apply(takings.changes)
    try file.flush()
    for sidecar in takings.sidecars { try take(sidecar) }
    for directory in Set(renames.map { $0.made.directory } + [file.directory]) { try BytePath(directory).flush() }
    for other in others { for name in other.names { try trash.take(name) } }
    for rename in renames where rename.made != rename.wanted {
      // Another program may have taken the name in the meantime; then the file keeps the other name.
      try? rename.made.move(to: rename.wanted)
    }
  }

  private func prepareTrash() throws {
    do throws(Errno) {
      try trash.prepare()
    } catch {
      let reasons: [Errno] = [
        .permissionDenied, .notPermitted, .improperLink, .tooManySymbolicLinkLevels, .notDirectory,
      ]
      guard reasons.contains(error) else { throw error }
      let (folder, root) = (TerminalText.safe(BytePath(mountPoint, trash.folder).bytes), TerminalText.safe(mountPoint))
      throw CommandFailure(
        .failure,
        "You may not use \(folder) as a trash folder. Ask the owner of \(root) to make that directory for you, "
          + "with mode 700.")
    }
  }

  /// Checks that all files still match the catalog.
  private func check(
    _ kept: DuplicateGroup.Member, _ others: [DuplicateGroup.Member], _ kind: DuplicateGroup.Kind
  ) throws {
    let file = BytePath(mountPoint, kept.path)
    let own = try file.identity()
    let ownStatus = try file.status()
    let ownList = try file.accessControlList()
    for member in [kept] + others where try !isAsFound(member) {
      throw Left(reason: "\(shown(member)) was changed after it was listed")
    }
    for other in others {
      let path = BytePath(mountPoint, other.path)
      let found = try path.identity()
      let status = try path.status()
      // The kept file must not become visible to more or fewer users under a removed file's name than that file was.
      guard status.st_uid == ownStatus.st_uid, status.st_gid == ownStatus.st_gid, status.st_mode == ownStatus.st_mode,
        try path.accessControlList() == ownList
      else { throw Left(reason: "\(shown(other)) has another owner or other permissions") }
      guard own.isFile, found.isFile, own.device == found.device, own.inode != found.inode else {
        throw Left(reason: "another file has taken the place of \(shown(other))")
      }
      for name in other.names where try BytePath(mountPoint, name).identity().inode != found.inode {
        throw Left(reason: "another file has taken the place of \(shown(other))")
      }
      if kind == .exact, try !file.hasContent(of: path) {
        throw Left(reason: "\(shown(other)) was changed after it was listed")
      }
    }
  }

  /// Whether the catalog still states the same facts as when the group was found.
  private func isAsFound(_ member: DuplicateGroup.Member) throws -> Bool {
    let now = try library.facts(of: member.path).facts
    return ["hash", "size", "modified"].allSatisfy { now[$0]?.words == member.facts[$0]?.words }
  }

  private func shown(_ member: DuplicateGroup.Member) -> String { TerminalText.safe(library.shown(member.path)) }

  /// Gives the kept file a name in each album of the others that has none of it yet: the removed file's name, as soon
  /// as that is free.
  private func link(
    _ file: BytePath, _ kept: DuplicateGroup.Member, _ others: [DuplicateGroup.Member]
  ) throws -> [(made: BytePath, wanted: BytePath)] {
    var albums = Set(kept.names.map { BytePath(mountPoint, $0).directory })
    var renames: [(made: BytePath, wanted: BytePath)] = []
    for other in others {
      for name in other.names {
        let path = BytePath(mountPoint, name)
        guard albums.insert(path.directory).inserted else { continue }
        let ending = file.parts.ending
        let isSame =
          String(decoding: path.parts.ending, as: UTF8.self).lowercased()
          == String(decoding: ending, as: UTF8.self).lowercased()
        let wanted = isSame ? path : path.sibling(Array(path.parts.stem) + ending)
        renames.append((try Self.link(file, near: wanted), wanted))
      }
    }
    return renames
  }

  /// Links a file under the first free name: `name.jpg`, `name (2).jpg`, and so on.
  private static func link(_ file: BytePath, near wanted: BytePath) throws(Errno) -> BytePath {
    let (stem, ending) = wanted.parts
    for number in 1...1000 {
      let made = number == 1 ? wanted : wanted.sibling(Array(stem) + Array(" (\(number))".utf8) + ending)
      do throws(Errno) {
        try file.link(to: made)
        return made
      } catch .fileExists {
        // After an interrupted run the name may already be a link to this file.
        if let one = try? made.identity(), let two = try? file.identity(), one.inode == two.inode { return made }
      }
    }
    throw .fileExists
  }
}
