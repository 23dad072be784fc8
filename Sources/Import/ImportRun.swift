// One run of an import.
//
// Invariants
// 1. Several files are copied at once, and copied files are verified in batches at the same time. In the end each file
//    has its outcome, and the files that were not reached are counted.
// 2. An original is listed for deletion only together with its whole group, an archive only as a whole, and a Takeout
//    only with all of its files.
// 3. A file that describes another one gets its name after that other file has its own.

internal import Glibc
internal import HostFiles
internal import System
internal import SystemPackage

/// One run of an import: all sources, file by file.
package final class ImportRun {
  /// The limits of a batch that is verified together, in files and bytes. A single file may be larger.
  private static let most = (files: 64, bytes: Int64(64 << 20))

  let importer: Importer
  let observer: any ImportObserver
  private let list: DeletionList?
  let tools: ArchiveTools?
  /// The directory that relative paths of sources start from.
  private let base: [UInt8]
  var summary = ImportSummary()
  /// The index and the path of the current source.
  var source: (part: Int, path: [UInt8]) = (0, [])
  /// The copies in progress, the oldest first (ImportRun+Copying.swift).
  var copying: [CopyUnderway] = []
  /// Whether each device is a rotating disk.
  var turningDisks: [UInt64: Bool] = [:]
  /// Copied files that wait for verification.
  private var copied: [CopiedFile] = []
  /// The batches being verified, the oldest first. While one is flushed, the previous one is read back.
  private var batches: [FinishBatch] = []
  private static let mostBatches = 2
  /// Groups with files that are not finished.
  private var groups: [Int: Group] = [:]
  /// Verified JSONs that wait for the file that they describe, by that file's number.
  private var followers: [Int: [CopiedFile]] = [:]
  /// The paths of described files by number; nil if the space does not have the file.
  private(set) var leaders: [Int: [UInt8]?] = [:]
  /// Pairs of names of the same photo or video: the new path, and the existing one.
  private var twins: [(path: [UInt8], existing: [UInt8])] = []
  /// Archives by the numbers of their groups.
  var archives: [Int: ArchiveProgress] = [:]
  /// Whether the space has every file so far, verified.
  private var isAllVerified = true

  /// A group of names that belong together.
  private struct Group {
    var left: Int
    /// Whether all originals of the group may be deleted.
    var isVerified: Bool
    var hasCompanion = false
    var originals: [Original] = []
  }

  /// Errors after which nothing can be written into the space any more.
  private static let lasting: Set<CInt> = [ENOTCONN, ENODEV, ECONNABORTED, EROFS, ESTALE, ENOSPC, EDQUOT]

  /// A run. `list` collects the originals that may be deleted; `base` is the working directory; `tools` unpack
  /// archives.
  package init(
    _ importer: Importer, observer: any ImportObserver, list: DeletionList?, base: [UInt8], tools: ArchiveTools? = nil
  ) {
    self.importer = importer
    self.tools = tools
    self.observer = observer
    self.list = list
    self.base = base
    importer.follow { observer.read($0) }
  }

  /// Imports sources. When it returns, everything imported is durable, unless `summary.end` has an error. `keepsName`
  /// says whether the name of a directory becomes an album. Archives need `listing`. `accepts` decides for each group
  /// whether it is imported in this run. If the run ends early, the remaining files are still reported, unless
  /// `accepts` is given.
  package func run(
    _ sources: [ImportSource], listing: SourceListing? = nil, keepsName: Bool,
    accepts: ((ArraySlice<SourceEntry>) -> Bool)? = nil
  ) -> ImportSummary {
    var walk = SourceWalk(importer.calls, spaceDevice: importer.target.device)
    isAllVerified = listing?.isWhole ?? true
    if let leavesOut = importer.options.leavesOut { walk.leavesOut = leavesOut }
    walk.takesAllFiles = importer.options.takesAllFiles
    if let accepts {
      walk.accepts = accepts
      listsAll = false
    }
    let together = namedTogether(sources)
    for (part, source) in sources.enumerated() where goesOn || listsAll {
      self.source = (part, source.path)
      if let files = together[part] {
        if !files.isEmpty { _ = walk.walk(files: files, visit) }
        continue
      }
      if source.isArchive {
        unpack(source.path, part: part, listing?.archives[part] ?? SourceListing.Archive())
        continue
      }
      let parts = source.path.split(separator: 0x2F).filter { $0 != [0x2E] && $0 != [0x2E, 0x2E] }
      let album = keepsName && !source.isContent ? parts.last.map { [Array($0)] } ?? [] : []
      _ = walk.walk(source.path, album: album, visit)
    }
    finishAll()
    giveUpFollowers()
    if !importer.options.isTrial, goesOn {
      // The photos are complete without their shared sidecars, so an error is ignored.
      importer.reservations.forget()
      for (path, existing) in twins { try? importer.shareSidecars(of: path, and: existing) }
    }
    if let list, goesOn {
      // Files that belong together may lie anywhere in a Takeout.
      let isTakeout = importer.options.takeout != nil
      if isAllVerified || !isTakeout { addArchives(to: list) }
      if isTakeout, !isAllVerified {
        summary.isTakeoutKept = true
        list.clear()
      }
    }
    if !importer.options.isTrial {
      do throws(Errno) {
        if let list { try list.seal() } else { try importer.calls.flush(importer.target.incoming) }
      } catch {
        end(error.rawValue)
      }
    }
    return summary
  }

  /// Whether files that the run does not reach are reported.
  private var listsAll = true

  var goesOn: Bool { summary.end == nil && !summary.isInterrupted }

  func end(_ error: CInt) { summary.end = summary.end ?? error }

  /// Checks for cancellation before the next file; returns false if the run has to stop.
  func mayGoOn() -> Bool {
    if observer.isCancelled { summary.isInterrupted = true }
    return goesOn
  }

  private func visit(_ visit: SourceWalk.Visit) -> Bool {
    switch visit {
    case .failure(let path, let error): note(path, nil, .failed(.source(.init(number: error.rawValue))), false)
    // Files of the operating system are not imported, and do not prevent the deletion of other originals.
    case .leftOut(let path, let reason): note(path, nil, .skipped(reason), reason == .systemFile)
    case .entries(let entries): take(entries)
    }
    return goesOn || listsAll
  }

  private func take(_ entries: [SourceEntry]) {
    do throws(Errno) {
      if goesOn { try importer.prepare(entries) }
    } catch {
      end(error.rawValue)
    }
    var rest = entries[...]
    while let first = rest.first {
      let group = rest.prefix { $0.group == first.group }
      rest = rest[group.endIndex...]
      take(group)
    }
  }

  /// Imports a group. Its originals may be deleted only together.
  private func take(_ group: ArraySlice<SourceEntry>) {
    guard let first = group.first else { return }
    groups[first.group] = Group(
      left: group.count, isVerified: group.allSatisfy(\.isGroupWhole),
      hasCompanion: group.contains { Companions.kind(of: $0.name) == .companion })
    for (entry, planned) in zip(group, goesOn ? placements(of: group) : group.map(placement)) {
      let placement = resolved(planned)
      var entry = entry
      entry.takeoutNumber = placement.number
      entry.isDatedByFile = placement.isDatedByFile
      guard mayGoOn() else {
        note(entry, (.failed(.interrupted), nil, false))
        continue
      }
      if placement.leader == nil, entry.status.kind == .file {
        awaitSame(size: entry.status.size) { try? importer.beginning(of: entry) }
      }
      switch importer.begin(entry, as: placement) {
      case .ended(let result):
        if !importer.options.isTrial { release(placement.name, in: importer.options.album + placement.album) }
        note(entry, result)
      case .copying(let job): copy(job)
      }
    }
  }

  /// Releases the reserved name of a file that has been named, or that failed.
  private func release(_ name: WantedName, in album: [[UInt8]]) {
    importer.reservations.release(NameReservations.path(album, name.numbered(name.first)))
  }

  /// Releases the reserved name of a copy. Nothing is reserved if its name was not known before it was copied.
  func release(_ goal: CopiedFile.Goal) {
    guard case .name(let name, let album) = goal else { return }
    importer.reservations.release(album.path(of: name.numbered(name.first)))
  }

  /// Waits for files in progress with the same length and beginning as a new one, since it may be their duplicate.
  func awaitSame(size: Int64, beginning: () -> UInt64?) {
    guard importer.options.skipsDuplicates, size > 0 else { return }
    if isCopying(size: size, beginning: beginning) { return finishAll() }
    let alike = (copied + batches.flatMap(\.files)).filter { $0.status.size == size }
    guard !alike.isEmpty else { return }
    let own = beginning()
    if alike.contains(where: { $0.beginning == own }) { finishAll() }
  }

  /// Adds a copied file to the next batch for verification.
  func add(_ file: CopiedFile) {
    copied.append(file)
    let bytes = copied.reduce(0) { $0 + $1.status.size }
    if copied.count >= Self.most.files || bytes >= Self.most.bytes { finishCopied() }
  }

  /// Starts to verify the copied files, after the oldest batch if the limit of batches is reached.
  private func finishCopied() {
    if batches.count == Self.mostBatches { collect() }
    if copied.isEmpty { return }
    batches.append(FinishBatch(copied, importer.finisher, overlaps: importer.options.overlaps))
    copied = []
  }

  /// Finishes and verifies all copies, and waits for the results.
  func finishAll() {
    while !copying.isEmpty { collectCopy() }
    finishCopied()
    while !batches.isEmpty { collect() }
  }

  private func collect() {
    guard !batches.isEmpty else { return }
    let batch = batches.removeFirst()
    for file in batch.wait() { ended(file) }
  }

  /// Handles a file that was named, that failed, or that is verified and waits for its name.
  private func ended(_ file: CopiedFile) {
    switch file.state {
    case .copied, .verified: wait(file)
    case .done(let result):
      note(file, result)
      if case .withGroup(let archive) = file.goal { sortGroup(of: file, nil, in: archive) }
    }
  }

  private func wait(_ file: CopiedFile) {
    var file = file
    switch file.goal {
    case .name: break
    case .withGroup(let archive): sortGroup(of: file, file, in: archive)
    case .beside(let leader):
      if let path = leaders[leader] { return follow(file, path) }
      // The source is not opened again, so its directory need not stay open.
      file.entry.directory.descriptor = importer.target.incoming
      followers[leader, default: []].append(file)
    }
  }

  /// Names a JSON next to the file that it describes.
  private func follow(_ file: CopiedFile, _ leader: [UInt8]?) {
    guard let leader else { return note(file, importer.finisher.failed(file, .withoutFile)) }
    let parts = leader.split(separator: 0x2F).map { Array($0) }
    let (photo, album) = (parts.last ?? [], Array(parts.dropLast()))
    let name = TakeoutPlan.descriptionName(beside: photo)
    // If its part was imported alone before, the JSON has the name that Takeout gave it, which belongs to the photo as
    // well.
    if file.entry.name != name, Companions.key(of: photo) == Companions.key(of: file.entry.name),
      let result = importer.present(file, named: file.entry.name, in: album)
    {
      return note(file, result)
    }
    note(file, importer.place(file, named: WantedName(name), in: album))
  }

  /// The number of JSONs of an archive that wait for the file that they describe.
  func followers(in archive: Int) -> Int { followers.values.joined().count { $0.entry.group == archive } }

  private func giveUpFollowers() {
    for file in followers.values.joined() {
      note(file, importer.finisher.failed(file, goesOn ? .withoutFile : .interrupted))
    }
    followers = [:]
  }

  func note(_ file: CopiedFile, _ result: Importer.Result) {
    release(file.goal)
    if case .imported(let path) = result.outcome {
      importer.noteStored(path, size: file.status.size, beginning: file.beginning)
      if !file.missing.isEmpty { observer.lost(file.missing, of: file.entry.path) }
    }
    note(file.entry, result)
  }

  func note(_ entry: SourceEntry, _ result: Importer.Result) {
    let takeout = importer.options.takeout
    if entry.isInArchive { archives[entry.group]?.told += 1 }
    note(
      entry.path, entry.status, result.outcome, result.isVerified,
      isDescribed: entry.takeoutNumber.flatMap { takeout?.matches.isDescribed($0) })
    if entry.isDatedByFile { summary.countDatedByFile(result.outcome, of: entry.path) }
    noteTwins(of: entry, result.outcome)
    // If several files have the same name, the JSON goes next to the first one that is in the space.
    if let number = entry.takeoutNumber, takeout?.isLeader(number) ?? false, (leaders[number] ?? nil) == nil {
      leaders[number] = .some(result.outcome.path)
      for file in followers.removeValue(forKey: number) ?? [] { follow(file, result.outcome.path) }
    }
    if entry.isInArchive {
      if !result.isVerified { archives[entry.group]?.isVerified = false }
      return
    }
    guard var group = groups.removeValue(forKey: entry.group) else { return }
    group.left -= 1
    if result.isVerified, let digest = result.digest {
      group.originals.append(
        Original(directory: absolute(entry.directory.path), name: entry.name, entry.status, hash: digest.hash))
    } else {
      group.isVerified = false
    }
    if group.left > 0 {
      groups[entry.group] = group
    } else if group.isVerified, let list {
      do throws(Errno) { try list.add(group.originals) } catch { end(error.rawValue) }
    }
  }

  /// Records the other names that the space has for a photo or video.
  private func noteTwins(of entry: SourceEntry, _ outcome: ImportOutcome) {
    guard let path = outcome.path, Companions.kind(of: path) == .media else { return }
    switch outcome {
    case .duplicate(let path, let existing) where path != existing: twins.append((path, existing))
    case .known, .duplicate:
      // A new sidecar may have come with it, or its JSON may lie in another part of the Takeout.
      let isLeader = entry.takeoutNumber.map { importer.options.takeout?.isLeader($0) ?? false } ?? false
      guard isLeader || groups[entry.group]?.hasCompanion ?? false else { return }
      for existing in importer.otherNames(of: path, size: entry.status.size) { twins.append((path, existing)) }
    default: break
    }
  }

  /// The absolute form of a path.
  func absolute(_ path: [UInt8]) -> [UInt8] {
    if path.first == 0x2F { return path }
    return path.isEmpty ? base : base + [0x2F] + path
  }

  func note(
    _ path: [UInt8], _ status: FileStatus?, _ outcome: ImportOutcome, _ isVerified: Bool, isDescribed: Bool? = nil
  ) {
    if !isVerified { isAllVerified = false }
    if case .failed(.space(let error)) = outcome, Self.lasting.contains(error.number) { end(error.number) }
    summary.count(outcome, status?.size ?? 0, of: path)
    observer.finished(path, status, outcome, isVerified: isVerified, isDescribed: isDescribed)
  }
}
