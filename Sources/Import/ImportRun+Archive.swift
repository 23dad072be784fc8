// Unpacking archives into the space.
//
// Invariants
// 1. A file of an archive is named only if its data is complete and verified.
// 2. An archive may be deleted only if every entry except directories was verified, and if unpacking it a second time,
//    past the kernel's cache, produced the same data.

internal import Crypto
internal import Glibc
internal import HostFiles
internal import Media
internal import System
internal import SystemPackage

struct ArchiveProgress {
  let path: [UInt8]
  let status: FileStatus
  /// Whether the space has every entry so far, verified.
  var isVerified = true
  /// The number of entries whose outcome was reported.
  var told = 0
  /// The hash of the names and hashes of all files; nil until the archive was read to its end.
  var summary: [UInt8]?
  /// For each group, the members still to come, and those that are copied and not yet verified.
  var groups: [[UInt8]: (left: Int, unverified: Int)] = [:]
  /// The numbers in the names of the files of each group, by the key of the group.
  var numbers: [[UInt8]: Int] = [:]
  /// Members of groups that wait for the rest of their group.
  var waiting: [[UInt8]: [CopiedFile]] = [:]
}

extension ImportRun {
  func unpack(_ path: [UInt8], part: Int, _ known: SourceListing.Archive) {
    guard goesOn else { return summary.unreached += known.files }
    guard let tools else { return note(path, nil, .failed(.decoder), false) }
    if let failure = known.failure { return note(path, nil, .failed(failure), false) }
    // Negative, because the groups of directories have positive numbers.
    let number = -1 - part
    defer { summary.unreached += max(0, known.files - (archives[number]?.told ?? 0) - followers(in: number)) }
    do throws(ImportFailure) {
      let file = try ArchiveFile.opened(importer.calls, path, compares: !importer.options.isTrial)
      try ImportFailure.ofSpace { () throws(Errno) in try importer.prepare(sizes: known.sizes) }
      var progress = ArchiveProgress(path: path, status: file.status)
      progress.groups = known.groups.mapValues { ($0, 0) }
      archives[number] = progress
      var unpacker = Unpacker(run: self, file: file, number: number)
      let verdict: ArchiveVerdict
      do throws(ImportFailure) {
        verdict = try file.unpack(with: tools.decoder) { unpacker.take($0) }
      } catch {
        unpacker.abandon(error)
        finishAll()
        throw error
      }
      unpacker.abandon(.interrupted)
      finishAll()
      if !goesOn { return giveUpWaiting(in: number) }
      placeWaiting(in: number)
      guard verdict == .whole else { throw .archive(verdict) }
      guard file.isUnchanged else { throw .changed }
      archives[number]?.summary = unpacker.summary()
    } catch {
      archives[number]?.isVerified = false
      giveUpWaiting(in: number)
      note(path, nil, .failed(error), false)
    }
  }

  /// Unpacks archives a second time, and adds those that may be deleted to the list.
  func addArchives(to list: DeletionList) {
    guard let tools else { return }
    for (_, archive) in archives.sorted(by: { $0.key > $1.key }) {
      guard mayGoOn() else { return }
      guard let members = archive.summary, archive.isVerified else {
        summary.keptArchives.append(archive.path)
        continue
      }
      do throws(ImportFailure) {
        let file = try ArchiveFile.opened(importer.calls, archive.path, compares: true)
        guard file.status.isUnchanged(since: archive.status) else { throw .changed }
        let again = StreamHasher()
        var member: (name: [UInt8], hasher: StreamHasher)?
        let verdict = try file.unpack(with: tools.decoder) { event in
          if observer.isCancelled { return .stop }
          switch event {
          case .entry(let entry): member = entry.kind == .file ? (entry.name, StreamHasher()) : nil
          case .piece(let bytes): member?.hasher.update(bytes)
          case .end:
            if let member { again.add(member.name, member.hasher.finish()) }
          }
          return .proceed
        }
        guard mayGoOn() else { return }
        guard verdict == .whole, again.finish() == members, file.isUnchanged else { throw .readsDiffer }
        let slash = archive.path.lastIndex(of: 0x2F) ?? 0
        let directory = Array(archive.path[..<max(slash, 1)])
        let name = Array(archive.path[(slash + 1)...])
        let opened = try ImportFailure.ofSource { () throws(Errno) in try importer.calls.openDirectory(directory) }
        let digest = try importer.reading.digest(of: name, in: opened, archive.status, pastMemory: true)
        try ImportFailure.ofSpace { () throws(Errno) in
          try list.add([Original(directory: directory, name: name, archive.status, hash: digest.hash)])
        }
      } catch {
        note(archive.path, nil, .failed(error), false)
      }
    }
  }

  /// Reports progress: the number of bytes that were unpacked.
  func follow(_ bytes: Int) { observer.read(bytes) }

  /// The number in the name of a file: that of the first member of its group.
  func number(of entry: SourceEntry, _ name: WantedName, in album: [[UInt8]], _ archive: Int) -> Int {
    let key = entry.archiveGroupKey
    let candidate = NameCandidate(
      status: entry.status, album: album, name: name, beginning: { nil }, description: placement(of: entry).description)
    let number = archives[archive]?.numbers[key] ?? importer.firstNumber([candidate])
    if Companions.kind(of: entry.name) != .other { archives[archive]?.numbers[key] = number }
    importer.reservations.note(name.numbered(number), in: album)
    return number
  }

  // MARK: Albums by day

  /// Counts a member of a group that was read from the archive. If it was copied, its verification follows.
  func groupMember(_ key: [UInt8], in number: Int, isCopied: Bool) {
    archives[number]?.groups[key]?.left -= 1
    if isCopied { archives[number]?.groups[key]?.unverified += 1 }
    sortGroup(key, in: number)
  }

  /// Records that a copied member of a group was verified; `verified` is nil if that failed.
  func sortGroup(of file: CopiedFile, _ verified: CopiedFile?, in number: Int) {
    let key = file.entry.archiveGroupKey
    archives[number]?.groups[key]?.unverified -= 1
    if let verified { archives[number]?.waiting[key, default: []].append(verified) }
    sortGroup(key, in: number)
  }

  private func sortGroup(_ key: [UInt8], in number: Int) {
    guard archives[number]?.groups[key].map({ $0 == (0, 0) }) ?? true else { return }
    archives[number]?.groups[key] = nil
    place(key, in: number)
  }

  /// Places the waiting members of a group.
  private func place(_ key: [UInt8], in number: Int) {
    guard let sorter = importer.options.sorter, let members = archives[number]?.waiting.removeValue(forKey: key) else {
      return
    }
    let (calls, incoming) = (importer.calls, importer.target.incoming)
    let chosen = sorter.albums(
      of: members.map { member in
        SortedFile(
          name: member.entry.name, status: member.status, described: placement(of: member.entry).described,
          open: { member.partial.flatMap { try? calls.openFile($0, in: incoming) } })
      })
    let albums = chosen.map { importer.options.album + $0.album }
    let first = importer.firstNumber(
      zip(members, albums).map { member, album in
        NameCandidate(
          status: member.status, album: album, name: WantedName(member.entry.name),
          beginning: { member.beginning }, description: placement(of: member.entry).description)
      })
    for (index, member) in members.enumerated() {
      var member = member
      var name = WantedName(member.entry.name)
      member.entry.isDatedByFile = chosen[index].isDatedByFile
      name.first = first
      importer.reservations.note(name.numbered(first), in: albums[index])
      note(member, importer.place(member, named: name, in: albums[index]))
    }
  }

  /// Places all waiting groups at the end of an archive, since no further members will come.
  private func placeWaiting(in number: Int) {
    for key in archives[number]?.waiting.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) ?? [] {
      place(key, in: number)
    }
  }

  private func giveUpWaiting(in number: Int) {
    for member in (archives[number]?.waiting ?? [:]).values.joined() {
      note(member, importer.finisher.failed(member, .interrupted))
    }
    archives[number]?.waiting = [:]
  }
}

extension SourceEntry {
  /// The key of the group of files that it belongs to within its archive.
  var archiveGroupKey: [UInt8] { ArchiveFile.groupKey(directory.album + [name]) }
}

/// A hash of a stream. It is a class, so that closures can update it.
final class StreamHasher {
  private var hasher: ContentHasher? = ContentHasher()

  func update(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe hasher?.update($0) } }

  /// Adds the name and the hash of a file of an archive.
  func add(_ name: [UInt8], _ hash: [UInt8]) { update(name + [0] + hash) }

  /// The hash. Call it once.
  func finish() -> [UInt8] { hasher.take()?.finish() ?? [] }
}
