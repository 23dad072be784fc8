internal import SystemPackage

/// Names of files in the space.
extension Importer {
  /// What verifies files and names them.
  var finisher: CopyFinisher { CopyFinisher(calls: calls, incoming: target.incoming) }

  /// Gives a file that was verified a name in an album, unless the space has its content.
  func place(_ copied: CopiedFile, named name: WantedName, in parts: [[UInt8]]) -> Result {
    do throws(ImportFailure) {
      guard let album = try album(parts) else { return finisher.failed(copied, .interrupted) }
      if let existing = try existing(copied, named: name, in: album) {
        try? calls.unlink(copied.partial, in: target.incoming)
        return existing
      }
      return try finisher.name(copied, name, in: album)
    } catch {
      return finisher.failed(copied, error)
    }
  }

  /// The first number with which the names of all members are free in their albums, or those of files of their lengths and
  /// times.
  func firstNumber(_ members: [(status: FileStatus, album: [[UInt8]], name: [UInt8])]) -> Int {
    for number in 1...FreeNames.most {
      let isFree = members.allSatisfy { member in
        guard let album = try? album(options.album + member.album) else { return true }
        let name = FreeNames.name(member.name, number: number, isAtFirstPoint: true)
        guard let other = try? calls.status(of: name, in: album.descriptor) else { return true }
        return other.kind == .file && other.size == member.status.size && other.modified == member.status.modified
      }
      if isFree { return number }
    }
    return 1
  }

  /// Gives what describes one of two names of a file a name beside the other one, which has none: the catalog looks beside
  /// the first of them only.
  func shareDescription(of one: [UInt8], and other: [UInt8]) throws(ImportFailure) {
    func place(_ path: [UInt8]) throws(ImportFailure) -> (album: Album, name: [UInt8])? {
      let parts = path.split(separator: 0x2F).map { Array($0) }
      guard let album = try album(Array(parts.dropLast())) else { return nil }
      return (album, TakeoutPlan.descriptionName(beside: parts.last ?? []))
    }
    guard let first = try place(one), let second = try place(other) else { return }
    func has(_ place: (album: Album, name: [UInt8])) -> Bool {
      (try? calls.status(of: place.name, in: place.album.descriptor).kind) == .file
    }
    let (hasFirst, hasSecond) = (has(first), has(second))
    if hasFirst == hasSecond { return }
    let (source, target) = hasFirst ? (first, second) : (second, first)
    try ImportFailure.ofSpace { () throws(Errno) in
      try calls.link(source.name, in: source.album.descriptor, to: target.name, in: target.album.descriptor)
    }
  }

  /// The outcome of a trial for a file that would be imported; `album` is nil if it would be made.
  func planned(_ wanted: WantedName, in album: Album?, _ parts: [[UInt8]]) throws(ImportFailure) -> Result {
    let name = try freeName(wanted, in: album)
    return (.imported(path: Array((parts + [name]).joined(separator: [0x2F]))), nil, false)
  }

  /// The name that a file would get.
  private func freeName(_ wanted: WantedName, in album: Album?) throws(ImportFailure) -> [UInt8] {
    guard let album else { return wanted.bytes }
    for name in wanted.candidates {
      let other = try ImportFailure.ofSpace { () throws(Errno) in try calls.statusIfTaken(name, in: album.descriptor) }
      if other == nil { return name }
    }
    throw .noName
  }
}
