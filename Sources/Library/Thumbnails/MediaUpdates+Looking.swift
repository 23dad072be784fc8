// The threads that make thumbnails. They first serve requests that a program waits for, then files that are pending
// in the index and have not been written to for a while, and finally the catalog's jobs.
//
// Invariants
// 1. There is one thread more than the decoder takes jobs at a time, and all threads do the same work. Each takes one
//    piece of work at a time, and at most as many threads as there are decoder jobs take background work. So unless
//    there are several demands, a demand never waits for a file that takes long, nor for a job that waits for memory.
// 2. A thread that takes work wakes another, which may find more. So one signal is enough for any amount of work, and
//    it reaches a thread that waits or that looks for work before it waits.
// 3. A thread passes over work that another thread has, or that too many are busy with. That other thread finds it,
//    because it looks for work when it is done.
// 4. While programs use the mount again and again, only one background job runs at a time: if every processor is
//    busy, their reads and writes take twice as long (Benchmarks.md), however low the priority of decoders is.
// 5. A demand is done when a thread has looked at its file for it, not while the file waits for another file.

internal import Albums
internal import Index
internal import Media
internal import System
internal import SystemPackage
internal import Vault

extension MediaUpdates {
  /// How soon a thread checks again whether programs still use the mount, in nanoseconds.
  private static let busyPause: UInt64 = 100_000_000

  /// The loop of one thread.
  mutating func runThumbnailer(_ settings: ThumbnailOptions) {
    while !files.isStopping, !files.thumbnails.isEnding, files.refusal == nil {
      if let demand = files.thumbnails.nextDemand() {
        serve(demand, settings)
      } else if files.thumbnails.backgroundJobs >= settings.maker.jobsAtOnce {
        files.wait(for: .sinkWork)
      } else if files.thumbnails.backgroundJobs > 0, files.recentUse.isBusy(at: monotonicTime()) {
        files.wait(for: .sinkWork, until: monotonicTime() + Self.busyPause)
      } else {
        files.thumbnails.backgroundJobs += 1
        let end = workInBackground(settings)
        files.thumbnails.backgroundJobs -= 1
        if case .nothing(let due) = end { files.wait(for: .sinkWork, until: due) }
      }
    }
    files.thumbnails.endDemands()
    files.signals[.sinkDone].broadcast()
  }

  /// The result of looking for background work.
  private enum BackgroundEnd {
    case done
    /// There is nothing to do until that time. The lock stayed held.
    case nothing(due: UInt64?)
  }

  private mutating func workInBackground(_ settings: ThumbnailOptions) -> BackgroundEnd {
    if files.catalogUpdates.mergeStaleItems() { return .done }
    let next = settings.isLazy ? (inode: nil, due: nil) : nextPending(settings)
    if let number = next.inode {
      _ = lookAt(number, [.small, .large], eagerly: true, settings)
      return .done
    }
    let catalog = nextCatalogJob(settings)
    guard let job = catalog.job else { return .nothing(due: [next.due, catalog.due].compactMap(\.self).min()) }
    run(job, settings)
    return .done
  }

  /// Makes the derivative that a program waits for.
  private mutating func serve(_ demand: ThumbnailDemand, _ settings: ThumbnailOptions) {
    // Another demand or another look at the file may have made it.
    if !isAnswered(demand) {
      var end = lookAt(demand.inode, [.small, demand.size], eagerly: false, settings)
      // The other file with this content may lack this size.
      if end == .shared, !isAnswered(demand) {
        end = lookAt(demand.inode, [.small, demand.size], eagerly: false, settings)
      }
      if end == .waiting { return files.thumbnails.putBack(demand) }
    }
    demand.isDone = true
    files.signals[.sinkDone].broadcast()
  }

  /// Whether a demand needs no look: the derivative exists, or can never exist.
  private func isAnswered(_ demand: ThumbnailDemand) -> Bool {
    do throws(Errno) {
      return try knownDerivative(demand.size, of: demand.inode) != nil
    } catch {
      return true
    }
  }

  /// The next pending file that is free and not being written; without one, the time to look again, if a file is
  /// pending.
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
      for number in batch
      where !files.thumbnails.passedOver.contains(number) && files.thumbnails.underWay.isFree(number) {
        seen += 1
        guard let inode = files.known(number), inode.contentChanged > 0, inode.contentChanged + quiet > now else {
          return (number, nil)
        }
        due = min(due ?? .max, inode.contentChanged + quiet)
      }
      last = end
    }
    // The clock is coarse.
    return (nil, due.map { $0 + 5_000_000 })
  }

  /// The catalog's next job, unless another thread runs one: that thread looks for more when it is done.
  private mutating func nextCatalogJob(
    _ settings: ThumbnailOptions
  ) -> (job: CatalogUpdates.CatalogJob?, due: UInt64?) {
    if let pause = files.thumbnails.pauseEnd(after: monotonicTime()) { return (nil, pause) }
    if files.catalog.isJobUnderWay { return (nil, nil) }
    return files.catalogUpdates.nextCatalogJob(settings)
  }

  private mutating func run(_ job: CatalogUpdates.CatalogJob, _ settings: ThumbnailOptions) {
    files.catalog.isJobUnderWay = true
    if let photo = job.photo { files.thumbnails.underWay.begin(photo) }
    files.signals[.sinkWork].signal()
    files.unlocked { files in files.cataloguer.run(job, settings) }
    if let photo = job.photo { files.thumbnails.underWay.end(photo) }
    files.catalog.isJobUnderWay = false
  }

  /// The result of a look at a file.
  private enum LookEnd {
    /// It is over.
    case over
    /// The file shares the derivatives of another with the same content.
    case shared
    /// The file waits, because another thread looks at the same content.
    case waiting
  }

  /// Makes the derivatives of a file that is free, and stores them.
  private mutating func lookAt(
    _ number: InodeNumber, _ sizes: Set<DerivativeSize>, eagerly: Bool, _ settings: ThumbnailOptions
  ) -> LookEnd {
    files.thumbnails.underWay.begin(number)
    files.signals[.sinkWork].signal()
    let end = lookAtReserved(number, sizes, eagerly, settings)
    files.thumbnails.underWay.end(number)
    files.signals[.sinkDone].broadcast()
    return end
  }

  private mutating func lookAtReserved(
    _ number: InodeNumber, _ sizes: Set<DerivativeSize>, _ eagerly: Bool, _ settings: ThumbnailOptions
  ) -> LookEnd {
    files.waitForCriticalPart()
    let inode: Inode
    do throws(Errno) {
      inode = try files.inode(number)
      guard inode.isRegular, inode.record.links > 0 else { throw .staleNFSFileHandle }
    } catch .staleNFSFileHandle {
      forgetRow(of: number)
      return .over
    } catch {
      files.thumbnails.passOver(number, at: monotonicTime())
      return .over
    }
    let before = try? files.result(of: files.index.media.row(number))
    let look = ThumbnailLook(
      inode: inode, before: before, sizes: sizes, isEager: eagerly, attempt: files.thumbnails.pauses)
    inode.isMediaPending = false
    files.hold(inode)
    let size = inode.record.size
    let end = files.unlocked { files -> LookEnd in
      let source = FileSource(fileSystem: files, inode: number, size: size)
      let outcome = files.thumbnailer.work(on: look, source, settings)
      files.thumbnailer.keep(outcome, of: look)
      switch outcome {
      case .waiting: return .waiting
      case .duplicate: return .shared
      case .made, .nothing, .later, .killed: return .over
      }
    }
    files.letGo(inode)
    return end
  }

  /// Forgets the facts about a content whose inode no longer exists.
  private func forgetRow(of number: InodeNumber) {
    do throws(Errno) {
      let old = try files.withIndex { index throws(IndexError) in
        let old = try index.media.row(number)
        try CatalogUpdates.dropItem(number, in: index)
        try index.media.deleteMedia(number)
        return old
      }
      dropLinks(of: old)
      files.noteChange()
    } catch {
      files.thumbnails.passOver(number, at: monotonicTime())
    }
  }
}
