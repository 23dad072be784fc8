internal import ObjectStore
internal import Storage
internal import Synchronization

/// What differs between a vault and its copy in a bucket.
struct SyncPlan: Sendable {
  /// The files that the bucket lacks or has other bytes of.
  var sending: [SegmentIdentifier] = []
  /// The files of which the bucket has the same bytes.
  var same: [SegmentIdentifier] = []
  /// Those among `sending` of which the bucket has bytes that the vault's file does not begin with, if that was asked.
  var divergent = 0
  /// The files that were not compared.
  var open: [SegmentIdentifier] = []
  /// Files that are gone, shortened or too large.
  var lacking = CopySummary()
}

/// Compares the files of a vault with those of a bucket.
final class SyncComparison: Sendable {
  private let source: any CopySource
  private let target: any SyncTarget
  private let jobs: CopyJobs
  private let segmentSize: Int
  private let findsDivergent: Bool
  private let plan = Mutex(SyncPlan())
  private let isOver = Atomic(false)

  /// What is found of a file.
  private enum Standing: Sendable {
    case same
    /// The bucket lacks it, has the beginning of it, or has other bytes that were not looked at.
    case new
    case divergent
    case gone
    case shortened
    case tooLarge
  }

  /// - Parameters:
  ///   - segmentSize: bytes of a complete file.
  ///   - findsDivergent: whether what the bucket has of a file is compared with the beginning of the vault's file.
  init(
    _ source: any CopySource, _ target: any SyncTarget, _ jobs: CopyJobs, segmentSize: Int, findsDivergent: Bool
  ) {
    (self.source, self.target, self.jobs) = (source, target, jobs)
    (self.segmentSize, self.findsDivergent) = (segmentSize, findsDivergent)
  }

  /// Lets `run` return soon, with the other files left open.
  func end() { isOver.store(true, ordering: .relaxed) }

  /// Compares all files, until `end` is called.
  func run(
    _ files: [SegmentIdentifier: CopyEntry], _ there: [SegmentIdentifier: CopyEntry],
    _ progress: (CopyProgress) -> Bool
  ) throws(CopyError) -> SyncPlan {
    try jobs.run(files.keys.shuffled(), progress) { (identifier) throws(CopyError) in
      guard let listed = files[identifier] else { return }
      if self.isOver.load(ordering: .relaxed) { return self.plan.withLock { $0.open.append(identifier) } }
      let standing = try self.compare(identifier, listed, there[identifier])
      self.note(standing, of: identifier, listed)
    }
    return plan.withLock { $0 }
  }

  private func compare(
    _ identifier: SegmentIdentifier, _ listed: CopyEntry, _ there: CopyEntry?
  ) throws(CopyError) -> Standing {
    guard listed.size <= segmentSize else { return .tooLarge }
    guard let there else { return .new }
    if source.knows(identifier, listed: listed, like: there) { return .same }
    guard let content = try source.read(identifier, listed: listed) else { return .gone }
    let bytes = content.bytes
    if bytes.count < listed.size { return .shortened }
    guard let facts = try target.entry(identifier, listed: there) else { return .new }
    switch CopyEntry(of: content, like: facts).comparison(with: facts) {
    case .same: return .same
    case .different where !findsDivergent: return .new
    case .different, .unknown: break
    }
    guard let found = try target.readBack(identifier) else { return .new }
    if found == bytes { return .same }
    return found.count < bytes.count && Array(bytes[..<found.count]) == found ? .new : .divergent
  }

  private func note(_ standing: Standing, of identifier: SegmentIdentifier, _ listed: CopyEntry) {
    switch standing {
    case .new, .divergent: break
    case .same, .gone, .shortened, .tooLarge: jobs.note(done: listed.size)
    }
    plan.withLock { plan in
      switch standing {
      case .same: plan.same.append(identifier)
      case .new: plan.sending.append(identifier)
      case .divergent:
        plan.sending.append(identifier)
        plan.divergent += 1
      case .gone: plan.lacking.gone += 1
      case .shortened: plan.lacking.shortened += 1
      case .tooLarge: plan.lacking.tooLarge += 1
      }
    }
  }
}
