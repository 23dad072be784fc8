// The thread that has thumbnails made: first those that somebody waits for, then those of files that are pending in the
// index and have not been written to for a while.
//
// Invariants
// 1. A file that is being looked at stays in memory, and counts as open.
// 2. What was made is kept only when the content did not change meanwhile (`isMediaPending` is still false).
// 3. Only those who ask for a derivative wait for the decoder.

internal import Catalog
internal import Glibc
internal import Index
internal import Logging
internal import Media
internal import System
internal import SystemPackage
internal import Vault

/// Makes thumbnails of a file system's photos and videos.
package struct Thumbnailer: Sendable {
  let fileSystem: FileSystem
  /// A larger file, in bytes, is hashed only after it was found to be a video or photo.
  private static let earlyHashLimit: Int64 = 64 << 20

  func run() {
    guard let settings = fileSystem.options.thumbnails else { return }
    // Of this thread alone: reading and writing go first.
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    fileSystem.locked { $0.mediaUpdates.runThumbnailer(settings) }
  }

  /// Stops making thumbnails. What is under way is abandoned, and made at the next mount.
  func end() {
    fileSystem.locked { files in
      files.thumbnails.end()
      files.signals[.thumbnailWork].broadcast()
    }
    fileSystem.options.thumbnails?.maker.stop()
  }

  fileprivate enum Outcome {
    /// Its facts, and what was made of it.
    case made(Derivatives, hash: [UInt8]?)
    /// The same content was looked at before.
    case duplicate(hash: [UInt8])
    /// There is nothing to be made.
    case nothing(MediaRecord.State, reason: String?)
    case later
    /// The decoder was ended in the middle of it.
    case killed
  }

  fileprivate func work(
    on source: FileSource, _ sizes: Set<DerivativeSize>, _ eagerly: Bool, _ before: MediaRecord?,
    _ settings: ThumbnailOptions
  ) -> Outcome {
    if source.size == 0 { return .nothing(.other, reason: nil) }
    do throws(Errno) {
      var hash = before?.hash
      if hash == nil, source.size <= Self.earlyHashLimit {
        let found = try contentHash(of: source.inode)
        if isKnown(found) { return .duplicate(hash: found) }
        hash = found
      }
      do throws(DecoderError) {
        let made = try settings.maker.derive(sizes, eagerly: eagerly, from: source)
        return .made(made, hash: try? hash ?? contentHash(of: source.inode))
      } catch {
        return outcome(of: error)
      }
    } catch {
      return .nothing(.failed, reason: "its data cannot be read")
    }
  }

  private func outcome(of error: DecoderError) -> Outcome {
    switch error {
    case .notMedia: return .nothing(.other, reason: nil)
    case .undecodable(let reason): return .nothing(.failed, reason: reason)
    case .tooLarge: return .nothing(.failed, reason: "it has too many pixels")
    case .crashed: return .nothing(.failed, reason: "the decoder crashed on it")
    case .killed: return .killed
    case .timedOut: return .nothing(.failed, reason: "the decoder took too long")
    case .source: return .nothing(.failed, reason: "its data cannot be read")
    case .unavailable(let reason):
      pause(reason)
      return .later
    }
  }

  /// Notes why nothing can be made for now.
  func pause(_ reason: String) {
    let isNew = fileSystem.locked { $0.thumbnails.pause(reason, at: monotonicTime()) }
    if isNew { fileSystem.options.logger.warning("thumbnails are paused: \(reason)") }
  }

  /// Whether a content with this hash was looked at.
  private func isKnown(_ hash: [UInt8]) -> Bool {
    fileSystem.locked { files in
      let record = try? files.result(of: files.index.media.row(withHash: hash))
      return (record ?? nil)?.state == .known
    }
  }

  /// Keeps an outcome, unless the content has changed meanwhile.
  fileprivate func keep(_ outcome: Outcome, of inode: Inode, _ before: MediaRecord?) {
    fileSystem.cataloguer.loadPlaces()
    do throws(Errno) {
      try fileSystem.changing { files throws(Errno) in
        if inode.isMediaPending || inode.record.links == 0 || files.thumbnails.isEnding { return }
        var record = MediaRecord(inode: inode.number, state: .known)
        var outcome = outcome
        var found: FactList?
        if case .killed = outcome {
          if let delay = files.thumbnails.noteKill(inode.number) {
            inode.contentChanged = monotonicTime() + delay
            return
          }
          outcome = .nothing(.failed, reason: "the decoder was killed repeatedly while working on it")
        }
        switch outcome {
        case .later, .killed: return
        case .nothing(let state, let reason):
          // What could be made before stays.
          if before?.state == .known, let before { record = before } else { record.state = state }
          record.reason = reason
        case .duplicate(let hash):
          let known = try files.result(of: files.index.media.row(withHash: hash))
          guard let known, files.mediaUpdates.share(known) else { return }
          files.mediaUpdates.dropLinks(of: before)
          record = known
          record.inode = inode.number
          found = try files.catalogUpdates.catalogTwin(known.inode, of: inode)
        case .made(let made, let hash):
          if let hash, let known = try files.result(of: files.index.media.row(withHash: hash)),
            known.inode != inode.number
          {
            _ = try files.catalogUpdates.catalogTwin(known.inode, of: inode)
          }
          found = try? FactList(decoding: made.found)
          record.hash = hash
          record.kind = Int64(made.facts.kind.rawValue)
          (record.width, record.height) = (Int64(made.facts.width), Int64(made.facts.height))
          let bytes = Int64((made.small?.count ?? 0) + (made.large?.count ?? 0))
          try files.requireRoom(for: bytes + CatalogUpdates.roomForCatalog)
          record.small = before?.small
          record.large = before?.large
          if record.small == nil, let small = made.small { record.small = try files.mediaUpdates.makeDerivative(small) }
          if record.large == nil, let large = made.large { record.large = try files.mediaUpdates.makeDerivative(large) }
        }
        try files.result(of: files.index.media.setMedia(record))
        try files.catalogUpdates.noteLookedAt(inode, record.state, found)
        files.thumbnails.noteSuccess()
      }
    } catch {
      // No room, or nothing may be changed: the file waits on.
      pause("they cannot be stored: \(error)")
    }
  }
}

extension MediaUpdates {
  fileprivate mutating func runThumbnailer(_ settings: ThumbnailOptions) {
    while !files.life.isStopping, !files.thumbnails.isEnding, files.refusal == nil {
      if let demand = files.thumbnails.nextDemand() {
        lookAt(demand.inode, [demand.size], eagerly: false, settings)
        demand.isDone = true
        files.signals[.thumbnailDone].broadcast()
        continue
      }
      if files.catalogUpdates.mergeStaleItems() { continue }
      let next = settings.isLazy ? (inode: nil, due: nil) : nextPending(settings)
      if let number = next.inode {
        lookAt(number, [.small, .large], eagerly: true, settings)
        continue
      }
      let pause = files.thumbnails.pauseEnd(after: monotonicTime())
      let catalog: (job: CatalogUpdates.CatalogJob?, due: UInt64?) =
        pause == nil ? files.catalogUpdates.nextCatalogJob(settings) : (nil, pause)
      if let job = catalog.job {
        files.unlocked { files in files.cataloguer.run(job, settings) }
      } else {
        files.wait(for: .thumbnailWork, until: [next.due, catalog.due].compactMap(\.self).min())
      }
    }
    while let demand = files.thumbnails.nextDemand() { demand.isDone = true }
    files.signals[.thumbnailDone].broadcast()
  }

  /// The next file that waits and is not being written; without one, when to look again if something waits.
  private func nextPending(_ settings: ThumbnailOptions) -> (inode: InodeNumber?, due: UInt64?) {
    if let time = files.thumbnails.pauseEnd(after: monotonicTime()) { return (nil, time) }
    let quiet = UInt64(settings.quietTime * 1e9)
    var due: UInt64?
    var last: InodeNumber?
    var seen = 0
    while seen < ThumbnailState.lookLimit {
      let batch = try? files.result(of: files.index.media.inodes(in: .pending, after: last, limit: 64))
      guard let batch, let end = batch.last else { break }
      let now = monotonicTime()
      for number in batch where !files.thumbnails.passedOver.contains(number) {
        seen += 1
        guard let inode = files.inodes[number], inode.contentChanged > 0, inode.contentChanged + quiet > now else {
          return (number, nil)
        }
        due = min(due ?? .max, inode.contentChanged + quiet)
      }
      last = end
    }
    // The clock is coarse.
    return (nil, due.map { $0 + 5_000_000 })
  }

  /// Makes the derivatives of one file and keeps them.
  private mutating func lookAt(
    _ number: InodeNumber, _ sizes: Set<DerivativeSize>, eagerly: Bool, _ settings: ThumbnailOptions
  ) {
    files.waitForCriticalPart()
    let inode: Inode
    do throws(Errno) {
      inode = try files.inode(number)
      guard inode.isRegular, inode.record.links > 0 else { throw .staleNFSFileHandle }
    } catch .staleNFSFileHandle {
      forgetRow(of: number)
      return
    } catch {
      files.thumbnails.passOver(number, at: monotonicTime())
      return
    }
    let before = try? files.result(of: files.index.media.row(number))
    inode.isMediaPending = false
    inode.opens += 1
    let size = inode.record.size
    files.unlocked { files in
      let source = FileSource(fileSystem: files, inode: number, size: size)
      let outcome = files.thumbnailer.work(on: source, sizes, eagerly, before, settings)
      files.thumbnailer.keep(outcome, of: inode, before)
    }
    inode.opens -= 1
    if inode.record.links == 0, inode.opens == 0 { files.reaper.delete(inode) }
    files.signals[.thumbnailDone].broadcast()
  }

  /// Forgets what is known of a content whose inode is gone.
  private func forgetRow(of number: InodeNumber) {
    do throws(Errno) {
      let old = try files.withIndex { index throws(IndexError) in
        let old = try index.media.row(number)
        try CatalogUpdates.dropItem(number, in: index)
        try index.media.deleteMedia(number)
        return old
      }
      dropLinks(of: old)
      files.committer.noteChange()
    } catch {
      files.thumbnails.passOver(number, at: monotonicTime())
    }
  }
}
