internal import Glibc
internal import HostFiles
internal import Media
internal import System
internal import SystemPackage

/// Turns the entries of an archive into copied files.
struct Unpacker {
  private let run: ImportRun
  private let file: ArchiveFile
  private let number: Int
  private let members = StreamHasher()
  private var member: Member?
  /// The directory of the previous entry, cached because most entries come directory by directory.
  private var recent: SourceDirectory?

  /// The file that is being written.
  private struct Member {
    let entry: SourceEntry
    let archiveName: [UInt8]
    let goal: CopiedFile.Goal
    let partial: [UInt8]
    let file: Descriptor
    let hasher = StreamHasher()
    var size: Int64 = 0
    /// Names of existing files that may have the same content.
    var alike: [[UInt8]]
    var beginning: UInt64?
  }

  /// Where a file goes, and the names of files there that may have the same content.
  private typealias Goal = (goal: CopiedFile.Goal, alike: [[UInt8]])

  private var importer: Importer { run.importer }

  init(run: ImportRun, file: ArchiveFile, number: Int) {
    self.run = run
    self.file = file
    self.number = number
  }

  /// The hash of the names and hashes of all files. Call it once.
  func summary() -> [UInt8] { members.finish() }

  /// Handles an event of the archive; returns how to continue.
  mutating func take(_ event: ArchiveEvent) -> ArchiveStep {
    switch event {
    case .entry(let entry):
      guard run.mayGoOn() else { return .stop }
      return begin(entry)
    case .piece(let bytes): return write(bytes)
    case .end(let verdict):
      end(verdict)
      return run.goesOn ? .proceed : .stop
    }
  }

  mutating func abandon(_ failure: ImportFailure) {
    guard let member else { return }
    self.member = nil
    drop(member, failure)
  }

  private mutating func begin(_ archived: ArchiveEntry) -> ArchiveStep {
    if archived.kind == .directory { return .proceed }
    guard case .success(let path) = archived.path, let name = path.parts.last else {
      run.note(file: self.file, archived.name, .failed(.badName), in: number)
      return .skip
    }
    let directory = directory(Array(path.parts.dropLast()))
    let status = FileStatus(
      size: archived.size ?? 0, modified: archived.modified.map(FileTime.init) ?? file.status.modified)
    var entry = SourceEntry(directory: directory, name: name, status: status, group: number)
    entry.isInArchive = true
    let placement = run.resolved(run.placement(of: entry))
    entry.takeoutNumber = placement.number
    let isOfSystem = !importer.options.takesAllFiles && archived.kind == .file && SystemFiles.contains(path.parts)
    if let reason = SkipReason(archived.kind) ?? (isOfSystem ? .systemFile : placement.reason) {
      return leave(entry, (.skipped(reason), nil, false))
    }
    do throws(ImportFailure) {
      guard let (goal, alike) = try goal(entry, placement, archived) else { return .skip }
      let (partial, file) = try importer.createPartial()
      member = Member(
        entry: entry, archiveName: archived.name, goal: goal, partial: partial, file: file, alike: alike)
      return .proceed
    } catch {
      return leave(entry, (.failed(error), nil, false))
    }
  }

  /// Where an entry goes; nil if its outcome is already reported.
  private func goal(
    _ entry: SourceEntry, _ placement: Placement, _ archived: ArchiveEntry
  ) throws(ImportFailure) -> Goal? {
    let options = importer.options
    if let leader = placement.leader, !options.isTrial { return (.beside(leader), []) }
    if options.sorter != nil, !placement.isAlbumChosen, placement.leader == nil {
      if !options.isTrial { return (.withGroup(number), []) }
      let parts = options.album + [Array("(by day)".utf8), placement.name.bytes]
      _ = leave(entry, (.imported(path: Array(parts.joined(separator: [0x2F]))), nil, false))
      return nil
    }
    let parts = options.album + placement.album
    var placement = placement
    placement.name.first = run.number(of: entry, placement.name, in: parts, number)
    let album = try importer.album(parts)
    var alike: [[UInt8]] = []
    if let album, !options.deletesOriginals, archived.size != nil, archived.modified != nil {
      alike = try importer.names(like: entry.status, placement.name, in: album)
    }
    guard let album, !options.isTrial else {
      let result: Importer.Result
      if let album, let name = alike.first {
        result = (.known(path: album.path(of: name)), nil, false)
      } else {
        result = try importer.planned(placement.name, in: album, parts)
      }
      _ = leave(entry, result)
      return nil
    }
    return (.name(placement.name, album), alike)
  }

  /// Reports an entry that is not copied.
  private func leave(_ entry: SourceEntry, _ result: Importer.Result) -> ArchiveStep {
    run.note(entry, result)
    run.groupMember(entry.archiveGroupKey, in: number, isCopied: false)
    return .skip
  }

  private mutating func write(_ bytes: [UInt8]) -> ArchiveStep {
    guard var current = member else { return .skip }
    if current.size == 0, !importer.options.takesAllFiles, SystemFiles.mayBeAppleDouble(current.entry.name),
      bytes.starts(with: SystemFiles.appleDouble)
    {
      member = nil
      importer.finisher.remove(current.partial)
      return leave(current.entry, (.skipped(.systemFile), nil, false))
    }
    do throws(ImportFailure) {
      if current.beginning == nil {
        let beginning = SourceReading.beginning(of: bytes)
        current.beginning = beginning
        if case .name(_, let album) = current.goal,
          let known = try importer.known(current.alike, beginning: beginning, in: album)
        {
          member = nil
          importer.finisher.remove(current.partial)
          return leave(current.entry, known)
        }
      }
      try ImportFailure.ofSpace { () throws(Errno) in try importer.calls.append(bytes, to: current.file) }
      current.hasher.update(bytes)
      run.follow(bytes.count)
      current.size += Int64(bytes.count)
      member = current
      return .proceed
    } catch {
      abandon(error)
      return .skip
    }
  }

  private mutating func end(_ verdict: ArchiveVerdict) {
    guard let member else { return }
    self.member = nil
    guard verdict == .whole else { return drop(member, .archive(verdict)) }
    let hash = member.hasher.finish()
    members.add(member.archiveName, hash)
    let status = FileStatus(size: member.size, modified: member.entry.status.modified)
    do throws(ImportFailure) {
      try ImportFailure.ofSpace { () throws(Errno) in try importer.calls.set(status, of: member.file) }
      let copied = CopiedFile(
        entry: member.entry, status: status,
        state: .copied(
          IncomingFile(member.partial, member.file, digest: FileDigest(size: member.size, hash: hash))),
        beginning: member.beginning ?? SourceReading.beginning(of: []), missing: [], goal: member.goal)
      if case .name(let name, let album) = member.goal {
        run.awaitSame(size: status.size) { copied.beginning }
        if let existing = try importer.existing(copied, named: name, in: album) {
          importer.finisher.remove(member.partial)
          _ = leave(member.entry, existing)
          return
        }
      }
      var isSorted = false
      if case .withGroup = member.goal { isSorted = true }
      run.groupMember(member.entry.archiveGroupKey, in: number, isCopied: isSorted)
      run.add(copied)
    } catch {
      drop(member, error)
    }
  }

  private func drop(_ member: Member, _ failure: ImportFailure) {
    importer.finisher.remove(member.partial)
    _ = leave(member.entry, (.failed(failure), nil, false))
  }

  private mutating func directory(_ parts: [[UInt8]]) -> SourceDirectory {
    if let recent, recent.album == parts { return recent }
    let path = Array(([archivePath] + parts).joined(separator: [0x2F]))
    let directory = SourceDirectory(descriptor: file.file, path: path, album: parts)
    recent = directory
    return directory
  }

  private var archivePath: [UInt8] { run.archives[number]?.path ?? [] }
}

extension ImportRun {
  /// Reports the outcome of an archive's entry without a valid path.
  func note(file: ArchiveFile, _ name: [UInt8], _ outcome: ImportOutcome, in number: Int) {
    archives[number]?.isVerified = false
    archives[number]?.told += 1
    note((archives[number]?.path ?? []) + [0x2F] + name, nil, outcome, false)
  }
}

extension SkipReason {
  /// Why an entry of an archive is left out; nil for files and directories.
  init?(_ kind: ArchiveEntry.Kind) {
    switch kind {
    case .file, .directory: return nil
    case .symbolicLink: self = .symbolicLink
    case .hardLink: self = .hardLink
    case .other: self = .special
    }
  }
}

extension FileTime {
  /// The time of an entry. As in other programs, a local time is read in this machine's time zone.
  init(_ time: ArchiveEntry.Time) {
    var seconds = time.seconds
    if time.isWallClock {
      var wall = time_t(seconds)
      var parts = unsafe tm()
      if unsafe gmtime_r(&wall, &parts) != nil {
        unsafe parts.tm_isdst = -1
        let local = unsafe mktime(&parts)
        // −1 means failure; no archive has a file of the second before 1970.
        if local != -1 { seconds = Int64(local) }
      }
    }
    self.init(seconds: seconds, nanoseconds: Int64(time.nanoseconds))
  }
}
