// Invariants
// 1. What was written to a store is looked up in another list of it: a request whose reply was lost may have been
//    carried out late, and may have replaced newer bytes.

internal import Storage
internal import Synchronization

/// The copying of many files, and what came of it.
final class FileTransfer: Sendable {
  /// How often files that a store did not keep are written again.
  private static let rounds = 3

  private let source: any CopySource
  private let target: any CopyTarget
  private let options: CopyOptions
  private let jobs: CopyJobs
  private let files: [SegmentIdentifier: CopyEntry]
  private let segmentSize: Int
  private let readsWritten: Bool
  private let state = Mutex(State())

  private struct State {
    var summary = CopySummary()
    var sentBytes: Int64 = 0
    var sent: Set<SegmentIdentifier> = []
    /// The files that were written to a store, with the checksums that it should have.
    var written: [SegmentIdentifier: CopyEntry] = [:]
  }

  /// - Parameters:
  ///   - files: those of the source, as they were listed.
  ///   - segmentSize: bytes of a complete file.
  ///   - readsWritten: whether each file is read back after it was written.
  init(
    from source: any CopySource, to target: any CopyTarget, _ options: CopyOptions, _ jobs: CopyJobs,
    _ files: [SegmentIdentifier: CopyEntry], segmentSize: Int, readsWritten: Bool
  ) {
    (self.source, self.target, self.options, self.jobs) = (source, target, options, jobs)
    (self.files, self.segmentSize, self.readsWritten) = (files, segmentSize, readsWritten)
  }

  /// What became of the files so far.
  var summary: CopySummary { state.withLock { $0.summary } }
  /// The files that were written.
  var sent: Set<SegmentIdentifier> { state.withLock { $0.sent } }
  /// All bytes that were written.
  var sentBytes: Int64 { state.withLock { $0.sentBytes } }

  /// Copies files if the target has other bytes, or only compares them.
  ///
  /// - Parameters:
  ///   - there: what the target's list says of them; nothing of those that are known to differ.
  ///   - resends: whether the files are sent again that the target has with the same bytes, and only those.
  func copy(
    _ identifiers: [SegmentIdentifier], there: [SegmentIdentifier: CopyEntry], resends: Bool = false,
    _ progress: (CopyProgress) -> Bool
  ) throws(CopyError) {
    try jobs.run(identifiers, progress) { (identifier) throws(CopyError) in
      guard let listed = self.files[identifier] else { return }
      let outcome = try self.copy(identifier, listed, there[identifier], resends: resends)
      // The target has the file already, whatever became of it since.
      if resends, !outcome.isCopied { return }
      self.note(outcome, of: identifier, listed)
    }
  }

  /// Copies or compares a file.
  private func copy(
    _ identifier: SegmentIdentifier, _ listed: CopyEntry, _ there: CopyEntry?, resends: Bool
  ) throws(CopyError) -> FileOutcome {
    guard listed.size <= segmentSize else { return .tooLarge }
    return try FileCopying(
      source: source, target: target, options: options, identifier: identifier, listed: listed,
      segmentSize: segmentSize, resends: resends, readsWritten: readsWritten
    ).run(there)
  }

  private func note(_ outcome: FileOutcome, of identifier: SegmentIdentifier, _ listed: CopyEntry) {
    var bytes: Int64 = 0
    if case .copied(let entry) = outcome { bytes = entry.size }
    jobs.note(done: listed.size, written: bytes)
    state.withLock { state in
      switch outcome {
      case .same: break
      case .copied(let entry):
        state.summary.copied += 1
        state.sentBytes += entry.size
        state.sent.insert(identifier)
        if target.keepsChecksums { state.written[identifier] = entry }
      case .gone: state.summary.gone += 1
      case .shortened: state.summary.shortened += 1
      case .tooLarge: state.summary.tooLarge += 1
      case .different: state.summary.different += 1
      case .missing: state.summary.missing += 1
      case .unknown: state.summary.unknown += 1
      }
    }
  }

  /// Lists a store again, and copies files that it does not have as they were written.
  func confirm(_ progress: (CopyProgress) -> Bool) throws(CopyError) {
    for _ in 0..<Self.rounds {
      let written = state.withLock { $0.written }
      if written.isEmpty { return }
      let there = try target.list()
      let kept = written.filter { identifier, entry in
        there[identifier].map { entry.comparison(with: $0) == .same } ?? false
      }
      let others = written.filter { kept[$0.key] == nil }
      let lost = Set(others.filter { there[$0.key]?.size != $0.value.size }.keys)
      let differing = others.keys.filter { !lost.contains($0) }
      // An engine that states other numbers than MD5 does so for all objects: the bytes of one show it.
      let suspects = Array(lost) + (kept.isEmpty ? Array(differing.prefix(1)) : differing)
      if suspects.isEmpty { return }
      state.withLock { state in for identifier in suspects { state.written[identifier] = nil } }
      try copy(suspects.shuffled(), there: there, progress)
      let rewritten = state.withLock { $0.written }
      if suspects.allSatisfy({ rewritten[$0] == nil }) { return }
    }
    throw .notKept(target.place)
  }
}
