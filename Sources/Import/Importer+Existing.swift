internal import HostFiles
internal import System
internal import SystemPackage

/// Finding content that the space has already.
extension Importer {
  /// The outcome of an entry if the album has a file of its name, length and time; nil if not.
  func known(_ entry: SourceEntry, named wanted: WantedName, in album: Album) throws(ImportFailure) -> Result? {
    let names = try names(like: entry.status, wanted, in: album)
    if names.isEmpty { return nil }
    guard options.deletesOriginals, !options.isTrial else {
      // Cameras used at the same time write files of the same name and length. File systems that round times to two
      // seconds, one second or a hundredth also give them the same time, so the beginnings are compared.
      let isCoarse = entry.status.modified.nanoseconds % 10_000_000 == 0
      if !isCoarse { return (.known(path: album.path(of: names[0])), nil, false) }
      return try known(names, beginning: beginning(of: entry), in: album)
    }
    let digest = try reading.digest(of: entry.name, in: entry.directory.descriptor, entry.status, pastMemory: true)
    for name in names {
      let found = try ImportFailure.ofSpace { () throws(Errno) in
        try calls.digest(of: calls.openFile(name, in: album.descriptor))
      }
      if found == digest { return (.known(path: album.path(of: name)), digest, true) }
    }
    return nil
  }

  /// The names in an album, in the order of their numbers, whose files have this length and modification time. The
  /// search ends at the first free name.
  func names(like status: FileStatus, _ wanted: WantedName, in album: Album) throws(ImportFailure) -> [[UInt8]] {
    var found: [[UInt8]] = []
    for name in wanted.candidates {
      let taken = try ImportFailure.ofSpace { () throws(Errno) in try calls.statusIfTaken(name, in: album.descriptor) }
      guard let other = taken else { break }
      if other.kind == .file, other.size == status.size, other.modified == status.modified { found.append(name) }
    }
    return found
  }

  /// The outcome of an entry if one of these files begins with the same bytes; nil if none does. Name, length and time
  /// alone do not identify a file when several cameras are used.
  func known(_ names: [[UInt8]], beginning: UInt64, in album: Album) throws(ImportFailure) -> Result? {
    for name in names {
      let other = try ImportFailure.ofSpace { () throws(Errno) in
        try reading.beginning(of: calls.openFile(name, in: album.descriptor))
      }
      if other == beginning { return (.known(path: album.path(of: name)), nil, false) }
    }
    return nil
  }

  /// The hash of a source's first bytes.
  func beginning(of entry: SourceEntry) throws(ImportFailure) -> UInt64 {
    try ImportFailure.ofSource { () throws(Errno) in
      try reading.beginning(of: calls.openFile(entry.name, in: entry.directory.descriptor))
    }
  }

  /// The hash of the first bytes of a file of the space; nil if it cannot be read.
  func beginning(of candidate: [UInt8]) -> UInt64? {
    if let known = beginnings[candidate] { return known }
    guard let file = target.open(candidate, calls)?.file, let found = try? reading.beginning(of: file) else {
      return nil
    }
    note(found, of: candidate)
    return found
  }

  /// The outcome of an entry if the space has its content under another name; nil if not.
  func duplicate(_ entry: SourceEntry, named wanted: WantedName, in album: Album?) throws(ImportFailure) -> Result? {
    guard options.skipsDuplicates, let candidates = stored[entry.status.size], !candidates.isEmpty else { return nil }
    let own = try beginning(of: entry)
    var digest: FileDigest?
    for candidate in candidates where beginning(of: candidate) == own && mayBeOne(candidate, wanted, in: album) {
      guard let (folder, name, file) = target.open(candidate, calls) else { continue }
      let known =
        if let digest { digest } else {
          try reading.digest(of: entry.name, in: entry.directory.descriptor, entry.status, pastMemory: true)
        }
      digest = known
      // If the stored file cannot be read back, the content is stored again.
      guard let found = try? calls.digest(of: file), found == known else { continue }
      guard let album, !options.isTrial else {
        return (.duplicate(path: candidate, existing: candidate), known, false)
      }
      if let path = try link(name, in: folder, file, as: wanted, in: album) {
        return (.duplicate(path: path, existing: candidate), known, true)
      }
    }
    return nil
  }

  /// The outcome of a copied file if the album has it under a name that it could get, or if the space has its content
  /// elsewhere; nil otherwise.
  func existing(_ copied: CopiedFile, named wanted: WantedName, in album: Album) throws(ImportFailure) -> Result? {
    guard let digest = copied.digest else { return nil }
    for name in wanted.candidates {
      guard let file = try? calls.openFile(name, in: album.descriptor), let status = try? calls.status(of: file) else {
        break
      }
      if let same = same(copied, as: file, status, at: album.path(of: name)) { return same }
    }
    guard options.skipsDuplicates, digest.size > 0 else { return nil }
    for candidate in stored[digest.size] ?? [] where beginning(of: candidate) == copied.beginning {
      guard mayBeOne(candidate, wanted, in: album), let (folder, name, file) = target.open(candidate, calls),
        let found = try? calls.digest(of: file),
        found == digest, let path = try link(name, in: folder, file, as: wanted, in: album)
      else { continue }
      return (.duplicate(path: path, existing: candidate), digest, true)
    }
    return nil
  }

  /// The outcome of a copied file if the album has it under exactly this name; nil if not.
  func existing(_ copied: CopiedFile, under name: [UInt8], in album: Album) -> Result? {
    guard let file = try? calls.openFile(name, in: album.descriptor), let status = try? calls.status(of: file) else {
      return nil
    }
    return same(copied, as: file, status, at: album.path(of: name))
  }

  /// The outcome of a copied file if a file of the space has its content and may replace it; nil if not.
  private func same(_ copied: CopiedFile, as file: Descriptor, _ status: FileStatus, at path: [UInt8]) -> Result? {
    guard let digest = copied.digest, status.kind == .file, status.size == copied.status.size,
      (try? reading.beginning(of: file)) == copied.beginning,
      let found = try? calls.digest(of: file), found == digest
    else { return nil }
    if status.modified == copied.status.modified { return (.known(path: path), digest, true) }
    return options.skipsDuplicates ? (.duplicate(path: path, existing: path), digest, true) : nil
  }

  /// The other names of a file of the space, among the files of its length that the space reported.
  func otherNames(of path: [UInt8], size: Int64) -> [[UInt8]] {
    func inode(_ path: [UInt8]) -> UInt64? {
      target.open(path, calls).flatMap { try? calls.status(of: $0.file).inode }
    }
    guard let candidates = stored[size], let own = inode(path) else { return [] }
    return candidates.filter { $0 != path && inode($0) == own }
  }

  /// Whether a new file may become another hard link of an existing file with the same bytes. Photos and videos may. A
  /// companion may only if the same photo lies next to it in both places, because an edit of the companion applies to
  /// that photo.
  private func mayBeOne(_ candidate: [UInt8], _ wanted: WantedName, in album: Album?) -> Bool {
    if Companions.kind(of: wanted.bytes) == .media { return true }
    guard let path = album?.path(of: wanted.numbered(wanted.first)) else { return false }
    if candidate == path { return true }
    guard let photo = photo(beside: path) else { return false }
    return photo == self.photo(beside: candidate)
  }

  /// The inode of the photo or video whose full name the companion's name contains.
  private func photo(beside path: [UInt8]) -> UInt64? {
    guard Companions.kind(of: path) == .companion, let point = path.lastIndex(of: 0x2E) else { return nil }
    let photo = Array(path[..<point])
    guard Companions.kind(of: photo) == .media, let file = target.open(photo, calls)?.file else { return nil }
    return try? calls.status(of: file).inode
  }

  /// Links a file of the space into an album, unless the album has it. Returns its path, or nil if the file can have no
  /// further links or its name now leads to another file.
  private func link(
    _ name: [UInt8], in folder: Descriptor, _ file: Descriptor, as wanted: WantedName, in album: Album
  ) throws(ImportFailure) -> [UInt8]? {
    try ImportFailure.ofSpace { () throws(Errno) in
      let inode = try calls.status(of: file).inode
      for next in wanted.candidates {
        if let other = try calls.statusIfTaken(next, in: album.descriptor) {
          if other.inode == inode { return album.path(of: next) }
          continue
        }
        guard try calls.status(of: name, in: folder).inode == inode else { return nil }
        do throws(Errno) {
          try calls.link(name, in: folder, to: next, in: album.descriptor)
          return album.path(of: next)
        } catch .fileExists {
          continue
        } catch .tooManyLinks {
          return nil
        }
      }
      return nil
    }
  }
}
