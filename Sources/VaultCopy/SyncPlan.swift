// What differs between a vault and its copy in a bucket, and whether the bucket may be made like the vault.
//
// Invariants
// 1. Nothing is written before it is known that the vault is not older than the bucket, as far as the files show it:
//    - No file of the bucket is longer than in the vault.
//    - What the bucket has of a file is the beginning of the vault's file. Heads have names that follow from their
//      numbers, so two continuations of one state have other bytes under the same names.
//    - If the bucket has more files, the vault has something that the bucket lacks, because a space deletes files only
//      after it has written a head. Or the mark says that an earlier run, which knew it, was interrupted.

internal import Crypto
internal import Storage
internal import Synchronization

/// The comparison of a vault with a bucket.
struct SyncPlan: Sendable {
  /// The files that the bucket lacks or has other bytes of.
  var sending: [SegmentIdentifier] = []
  /// The files of which the bucket has the same bytes.
  var same: [SegmentIdentifier] = []
  /// Those among `sending` of which the bucket has bytes that the vault's file does not begin with.
  var divergent = 0
  /// The files that the bucket has and the vault lacks.
  var extra: Set<SegmentIdentifier> = []
  /// Files that are gone, shortened or too large.
  var lacking = CopySummary()
  /// The mark that the bucket has.
  var mark: [UInt8]?

  /// The mark of a bucket that has these files, and no others, in common with the vault once everything is sent.
  static func mark(of names: some Sequence<SegmentIdentifier>) -> [UInt8] {
    SHAHasher.sha256(of: names.map(\.description).sorted().flatMap(\.utf8))
  }

  /// Whether an interrupted run saw that the vault is not older than the bucket, and the vault has the same files.
  ///
  /// - Parameters:
  ///   - files: those of the vault.
  ///   - there: those of the bucket.
  func isAccountedFor(
    _ files: [SegmentIdentifier: CopyEntry], _ there: [SegmentIdentifier: CopyEntry]
  ) -> Bool {
    guard let mark else { return false }
    return mark == Self.mark(of: files.keys) || mark == Self.mark(of: files.keys.filter { there[$0] != nil })
  }
}

/// Compares the files of a vault with those of a bucket.
final class SyncComparison: Sendable {
  private let source: any CopySource
  private let target: any SyncTarget
  private let jobs: CopyJobs
  private let segmentSize: Int
  private let plan = Mutex(SyncPlan())

  /// What is found of a file.
  private enum Standing: Sendable {
    case same
    /// The bucket lacks it, or has the beginning of it.
    case new
    case divergent
    case gone
    case shortened
    case tooLarge
  }

  init(_ source: any CopySource, _ target: any SyncTarget, _ jobs: CopyJobs, segmentSize: Int) {
    (self.source, self.target, self.jobs, self.segmentSize) = (source, target, jobs, segmentSize)
  }

  /// Compares all files.
  func run(
    _ files: [SegmentIdentifier: CopyEntry], _ there: [SegmentIdentifier: CopyEntry],
    _ progress: (CopyProgress) -> Bool
  ) throws(CopyError) -> SyncPlan {
    try jobs.run(files.keys.shuffled(), progress) { (identifier) throws(CopyError) in
      guard let listed = files[identifier] else { return }
      let standing = try self.compare(identifier, listed, there[identifier])
      self.note(standing, of: identifier, listed)
    }
    let mark = try target.readDeletionMark()
    return plan.withLock { plan in
      plan.extra = Set(there.keys.filter { files[$0] == nil })
      plan.mark = mark
      return plan
    }
  }

  private func compare(
    _ identifier: SegmentIdentifier, _ listed: CopyEntry, _ there: CopyEntry?
  ) throws(CopyError) -> Standing {
    guard listed.size <= segmentSize else { return .tooLarge }
    guard let there else { return .new }
    guard let bytes = try source.read(identifier, listed: listed) else { return .gone }
    if bytes.count < listed.size { return .shortened }
    guard let facts = try target.entry(identifier, listed: there) else { return .new }
    if CopyEntry(of: bytes, like: facts).comparison(with: facts) == .same { return .same }
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
