// The thread that has thumbnails made: first what somebody waits for, then what waits in the index and has not been written to for a while.
//
// Invariants
// 1. A file that is being looked at stays in memory, and counts as open.
// 2. What was made is kept only when the content did not change meanwhile (`isMediaPending` is still false).
// 3. Nobody but those who ask for a derivative waits for the decoder.

internal import Glibc
internal import Index
internal import Logging
internal import Media
internal import System
internal import SystemPackage
internal import Vault

/// Somebody waits for a derivative.
final class ThumbnailDemand {
  let inode: InodeNumber
  let size: DerivativeSize
  var isDone = false

  init(inode: InodeNumber, size: DerivativeSize) {
    self.inode = inode
    self.size = size
  }
}

/// What the thread that makes thumbnails has before it. Guarded by the file system's lock.
struct ThumbnailState {
  var demands = Queue<ThumbnailDemand>()
  /// Threads that wait for a derivative.
  var waiters = 0
  /// Why no decoder can be had; nil while that is not known to be so.
  var unavailable: String?
  /// When it is tried again, on the monotonic clock.
  var retryTime: UInt64 = 0
  /// How long the last wait was, in nanoseconds; each is twice as long as the one before.
  var retryDelay: UInt64 = 0
  /// How often the decoder was killed on a file.
  var kills: [InodeNumber: Int] = [:]
  /// Files that the index cannot show; they wait for another mount.
  var passedOver: Set<InodeNumber> = []
  /// Whether nothing more is to be begun, and what fails means nothing.
  var isEnding = false
}

extension FileSystem {
  /// Files that are passed over in one look, because they are being written.
  private static let lookLimit = 1024
  /// How often the decoder may be killed on one file before that is taken for the file's fault.
  private static let maximumKills = 8
  /// A larger file is hashed only after it was found to be a video or photo, in bytes.
  private static let earlyHashLimit: Int64 = 64 << 20
  /// Until a decoder that could not be had is tried again, in nanoseconds: first and at most.
  private static let retryDelays: ClosedRange<UInt64> = 500_000_000...60_000_000_000

  /// The work of the thread.
  func runThumbnailer() {
    guard let settings = options.thumbnails else { return }
    // This thread alone: who reads and writes goes first.
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    monitor.lock()
    while !life.isStopping, !thumbnails.isEnding, refusal == nil {
      if let demand = thumbnails.demands.popFirst() {
        lookAt(demand.inode, [demand.size], eagerly: false, settings)
        demand.isDone = true
        signals.thumbnailDone.broadcast()
        continue
      }
      switch settings.isLazy ? .nothing : nextWaiting(settings) {
      case .inode(let number): lookAt(number, [.small, .large], eagerly: true, settings)
      case .later(let time): signals.thumbnailWork.wait(until: time)
      case .nothing: signals.thumbnailWork.wait()
      }
    }
    while let demand = thumbnails.demands.popFirst() { demand.isDone = true }
    signals.thumbnailDone.broadcast()
    monitor.unlock()
  }

  /// Ends the making of thumbnails; what is under way is given up and done at the next mount. Call without the lock.
  func endThumbnails() {
    monitor.lock()
    thumbnails.isEnding = true
    signals.thumbnailWork.broadcast()
    monitor.unlock()
    options.thumbnails?.maker.stop()
  }

  private enum Next {
    case inode(InodeNumber)
    case later(UInt64)
    case nothing
  }

  /// The next file that waits and is not being written. Lock held.
  private func nextWaiting(_ settings: ThumbnailOptions) -> Next {
    if thumbnails.retryDelay > 0, thumbnails.retryTime > monotonicTime() { return .later(thumbnails.retryTime) }
    let quiet = UInt64(settings.quietTime * 1e9)
    var due: UInt64?
    var last: InodeNumber?
    var seen = 0
    while seen < Self.lookLimit {
      let start = last
      let batch = try? stored { () throws(IndexError) in try index.media(in: .pending, after: start, limit: 64) }
      guard let batch, let end = batch.last else { break }
      let now = monotonicTime()
      for number in batch where !thumbnails.passedOver.contains(number) {
        seen += 1
        guard let inode = inodes.table[number], inode.contentChanged > 0, inode.contentChanged + quiet > now else {
          return .inode(number)
        }
        due = min(due ?? .max, inode.contentChanged + quiet)
      }
      last = end
    }
    // The clock is coarse.
    return due.map { .later($0 + 5_000_000) } ?? .nothing
  }

  /// Has one file looked at, and keeps what comes of it. Lock held before and after, not in between.
  private func lookAt(
    _ number: InodeNumber, _ sizes: Set<DerivativeSize>, eagerly: Bool, _ settings: ThumbnailOptions
  ) {
    while commits.isCritical { signals.progress.wait() }
    let inode: Inode
    do throws(Errno) {
      inode = try self.inode(number)
      guard inode.isRegular, inode.record.links > 0 else { throw .staleNFSFileHandle }
    } catch .staleNFSFileHandle {
      forgetRow(of: number)
      return
    } catch {
      passOver(number)
      return
    }
    let before = try? stored { () throws(IndexError) in try index.media(number) }
    inode.isMediaPending = false
    inode.opens += 1
    let size = inode.record.size
    monitor.unlock()
    let outcome = work(on: FileSource(fileSystem: self, inode: number, size: size), sizes, eagerly, before, settings)
    keep(outcome, of: inode, before)
    monitor.lock()
    inode.opens -= 1
    if inode.record.links == 0, inode.opens == 0 { delete(inode) }
    signals.thumbnailDone.broadcast()
  }

  /// Forgets what is known of a content whose inode is gone. Lock held.
  private func forgetRow(of number: InodeNumber) {
    do throws(Errno) {
      let old = try stored { () throws(IndexError) in
        let old = try index.media(number)
        try index.deleteMedia(number)
        return old
      }
      dropLinks(of: old)
      noteChange()
    } catch {
      passOver(number)
    }
  }

  /// Leaves a file that the index cannot show to another mount: what cannot be read now may be there in a copy, or after a repair. Lock held.
  private func passOver(_ number: InodeNumber) {
    thumbnails.passedOver.insert(number)
    if thumbnails.passedOver.count < Self.lookLimit { return }
    thumbnails.passedOver.removeAll()
    thumbnails.retryDelay = Self.retryDelays.upperBound
    thumbnails.retryTime = monotonicTime() + thumbnails.retryDelay
  }

  /// What became of looking at a file.
  private enum Outcome {
    /// Its facts, and what was made of it.
    case made(Derivatives, hash: [UInt8]?)
    /// The same content was looked at before.
    case twin(hash: [UInt8])
    /// There is nothing to be made.
    case nothing(MediaRecord.State, reason: String?)
    /// Another time.
    case later
    /// The decoder was ended in the middle of it.
    case killed
  }

  /// Looks at a content. Call without the lock.
  private func work(
    on source: FileSource, _ sizes: Set<DerivativeSize>, _ eagerly: Bool, _ before: MediaRecord?,
    _ settings: ThumbnailOptions
  ) -> Outcome {
    if source.size == 0 { return .nothing(.other, reason: nil) }
    do throws(Errno) {
      var hash = before?.hash
      if hash == nil, source.size <= Self.earlyHashLimit {
        let found = try contentHash(of: source.inode)
        if hasTwin(found) { return .twin(hash: found) }
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

  /// Notes why nothing can be made for now. Call without the lock.
  private func pause(_ reason: String) {
    monitor.lock()
    defer { monitor.unlock() }
    let delay = min(max(2 * thumbnails.retryDelay, Self.retryDelays.lowerBound), Self.retryDelays.upperBound)
    // What one more try cures is nobody's business.
    if thumbnails.retryDelay > 0, thumbnails.unavailable == nil, !thumbnails.isEnding {
      options.logger.warning("thumbnails are paused: \(reason)")
    }
    thumbnails.unavailable = thumbnails.retryDelay > 0 ? reason : nil
    thumbnails.retryDelay = delay
    thumbnails.retryTime = monotonicTime() + delay
  }

  /// Puts a file off, longer each time; false when that was often enough. Lock held.
  private func postpone(_ inode: Inode) -> Bool {
    let count = thumbnails.kills[inode.number] ?? 0
    if count == Self.maximumKills {
      thumbnails.kills[inode.number] = nil
      return false
    }
    if thumbnails.kills.count >= Self.lookLimit { thumbnails.kills.removeAll() }
    thumbnails.kills[inode.number] = count + 1
    inode.contentChanged = monotonicTime() + Self.retryDelays.lowerBound << UInt64(count)
    return true
  }

  private func hasTwin(_ hash: [UInt8]) -> Bool {
    monitor.lock()
    defer { monitor.unlock() }
    return ((try? stored { () throws(IndexError) in try index.media(withHash: hash) }) ?? nil)?.state == .known
  }

  /// Keeps an outcome, unless the content has changed meanwhile. Call without the lock.
  private func keep(_ outcome: Outcome, of inode: Inode, _ before: MediaRecord?) {
    do throws(Errno) {
      try changing { () throws(Errno) in
        if inode.isMediaPending || inode.record.links == 0 || thumbnails.isEnding { return }
        var record = MediaRecord(inode: inode.number, state: .known)
        var outcome = outcome
        if case .killed = outcome {
          if postpone(inode) { return }
          outcome = .nothing(.failed, reason: "the decoder was killed repeatedly while working on it")
        }
        switch outcome {
        case .later, .killed: return
        case .nothing(let state, let reason):
          // What could be made before stays.
          if before?.state == .known, let before { record = before } else { record.state = state }
          record.reason = reason
        case .twin(let hash):
          guard let twin = try stored({ () throws(IndexError) in try index.media(withHash: hash) }), share(twin) else {
            return
          }
          dropLinks(of: before)
          record = twin
          record.inode = inode.number
        case .made(let made, let hash):
          record.hash = hash
          record.facts = MediaRecord.Facts(made.facts)
          try requireRoom(for: Int64((made.small?.count ?? 0) + (made.large?.count ?? 0)))
          record.small = before?.small
          record.large = before?.large
          if record.small == nil, let small = made.small { record.small = try makeDerivative(small) }
          if record.large == nil, let large = made.large { record.large = try makeDerivative(large) }
        }
        try stored { () throws(IndexError) in try index.setMedia(record) }
        thumbnails.unavailable = nil
        thumbnails.retryDelay = 0
      }
    } catch {
      // No room, or nothing may be changed: the file waits on.
      pause("they cannot be stored: \(error)")
    }
  }
}

extension MediaRecord.Facts {
  fileprivate init(_ facts: MediaFacts) {
    self.init()
    kind = Int64(facts.kind.rawValue)
    width = Int64(facts.width)
    height = Int64(facts.height)
    orientation = Int64(facts.orientation)
    captured = facts.captureSeconds
    offset = facts.captureOffsetMinutes.map { Int64($0) }
    latitude = facts.latitude.map { Int64(($0 * 1e7).rounded()) }
    longitude = facts.longitude.map { Int64(($0 * 1e7).rounded()) }
    make = facts.cameraMake
    model = facts.cameraModel
    duration = facts.duration.map { Int64(($0 * 1000).rounded()) }
    codec = facts.codec
  }
}
