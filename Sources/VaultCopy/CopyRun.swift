// Copies a vault as it is stored, without a password.
//
// Invariants
// 1. The source is listed before the first file is copied, and its parameters are read again after the last. So a copy
//    of a vault in use has everything that was synced when the copy began, if it takes less than the copy window.
// 2. The parameters are written last, so an unfinished copy never opens as a vault.
// 3. Content decides which files are copied, not names, sizes and times: slots that were wiped and files that were
//    completed keep these.
// 4. Files are copied in random order, so that their times in the target do not show in which order they were made.
// 5. No file of the target is deleted, and none is replaced by a shorter one: if the target has a longer file or a key
//    derivation that the source lacks, the target is newer, and nothing is written.
// 6. Before the parameters are written, a store is listed again: a request whose reply was lost may have been carried
//    out late, and may have replaced newer bytes.
// 7. A store is probed before the first file is written. Files in a store that does not check them are read back.

internal import ObjectStore
internal import Storage
internal import Synchronization
internal import System
internal import Vault

/// One copy, or one comparison, of a vault.
package final class CopyRun: Sendable {
  /// How often files that a store did not keep are written again.
  private static let rounds = 3
  /// Nanoseconds between two calls of `progress`.
  private static let interval: UInt64 = 100_000_000

  private let source: any CopySource
  private let target: any CopyTarget
  private let options: CopyOptions
  private let lock = Lock()
  private let changed: Condition
  private let state = State()

  /// Guarded by the lock.
  private final class State: @unchecked Sendable {
    var progress = CopyProgress()
    var summary = CopySummary()
    /// The first error, which ends all jobs.
    var error: CopyError?
    /// Threads that have not ended.
    var running = 0
    /// Whether each file that is written is read back.
    var readsWritten = false
    /// The files that were written to a store, with the checksums that it should have.
    var written: [SegmentIdentifier: CopyEntry] = [:]
  }

  /// Files to copy, and what is known of them.
  private final class Batch: Sendable {
    let identifiers: [SegmentIdentifier]
    let files: [SegmentIdentifier: CopyEntry]
    let there: [SegmentIdentifier: CopyEntry]
    let segmentSize: Int
    let next = Atomic(0)

    init(
      _ identifiers: [SegmentIdentifier], _ files: [SegmentIdentifier: CopyEntry],
      _ there: [SegmentIdentifier: CopyEntry], segmentSize: Int
    ) {
      (self.identifiers, self.files, self.there, self.segmentSize) = (identifiers, files, there, segmentSize)
    }
  }

  /// A copy that has not begun. Run it once.
  package init(from source: any CopySource, to target: any CopyTarget, _ options: CopyOptions = CopyOptions()) {
    self.source = source
    self.target = target
    self.options = options
    changed = Condition(of: lock)
  }

  /// Copies, or compares.
  ///
  /// - Parameters:
  ///   - progress: called several times a second; false ends the copy.
  ///   - note: called with sentences about the target before the first file is copied.
  /// - Throws: the first error. Files that were copied until then stay, and another run goes on from there.
  @discardableResult
  package func run(
    progress: (CopyProgress) -> Bool = { _ in true }, note: (String) -> Void = { _ in }
  ) throws(CopyError) -> CopySummary {
    do throws(CopyError) {
      return try perform(progress, note)
    } catch {
      // An end that was stopped fails in its own way.
      throw lock.withLock { state.error == .cancelled } ? CopyError.cancelled : error
    }
  }

  /// Ends the copy from another thread, even while it waits for a store.
  package func cancel() { end(.cancelled) }

  private func perform(
    _ progress: (CopyProgress) -> Bool, _ note: (String) -> Void
  ) throws(CopyError) -> CopySummary {
    let (parameters, vault) = try readParameters()
    let isSame = { (json: [UInt8]) -> Bool in
      (try? VaultParameters(json: json))?.identifier == vault.identifier
    }
    let files = try source.list()
    guard !files.isEmpty else { throw .vault(.notAVault("it has no files in \(StorageNames.segments)"), source.place) }
    let parametersThere = try begin(parameters, of: vault)
    let there = try target.list()
    if !options.onlyCompares, there.contains(where: { $1.size > files[$0]?.size ?? .max }) {
      throw .newerThere(target.place)
    }
    lock.withLock {
      state.summary.files = files.count
      state.summary.extra = there.keys.count { files[$0] == nil }
      state.progress.total = files.values.reduce(0) { $0 &+ $1.size }
    }
    if !options.onlyCompares {
      let findings = try target.probe()
      for sentence in findings.sentences(for: target.place) { note(sentence) }
      lock.withLock { state.readsWritten = !findings.checksContent }
    }
    let size = vault.segmentSize
    try copyAll(Batch(files.keys.shuffled(), files, there, segmentSize: size), progress)
    try confirm(files, segmentSize: size, progress)
    guard let last = try source.readParameters(), isSame(last) else { throw .sourceReplaced(source.place) }
    if !options.onlyCompares {
      try target.complete(last)
    } else if last != parametersThere {
      lock.withLock { state.summary.different += 1 }
    }
    return lock.withLock { state.summary }
  }

  private func readParameters() throws(CopyError) -> ([UInt8], VaultParameters) {
    guard let json = try source.readParameters() else {
      throw source.isUnfinished ? CopyError.unfinished(source.place) : CopyError.noVault(source.place)
    }
    do throws(VaultError) {
      return (json, try VaultParameters(json: json))
    } catch {
      throw .vault(error, source.place)
    }
  }

  /// Prepares the target.
  ///
  /// - Returns: its parameters if it is only compared.
  private func begin(_ parameters: [UInt8], of vault: VaultParameters) throws(CopyError) -> [UInt8]? {
    var isNewer = false
    let accepts = { (json: [UInt8]) -> Bool in
      guard let there = try? VaultParameters(json: json), there.identifier == vault.identifier else { return false }
      isNewer = !there.derivations.allSatisfy { vault.derivations.contains($0) }
      return !isNewer
    }
    guard options.onlyCompares else {
      do throws(CopyError) {
        try target.begin(parameters, accepts: accepts)
      } catch {
        throw isNewer ? CopyError.newerThere(target.place) : error
      }
      return nil
    }
    guard let found = try target.readParameters() else {
      throw target.isUnfinished ? CopyError.unfinished(target.place) : CopyError.noVault(target.place)
    }
    guard accepts(found) || isNewer else { throw .otherVault(target.place) }
    return found
  }

  /// Runs the jobs, and shows their progress.
  private func copyAll(_ batch: Batch, _ progress: (CopyProgress) -> Bool) throws(CopyError) {
    let count = max(1, min(options.jobs, batch.identifiers.count))
    lock.withLock { state.running = count }
    let threads = (0..<count).compactMap { _ in try? Thread { self.work(batch) } }
    let missing = count - threads.count
    lock.withLock { state.running -= missing }
    if threads.isEmpty {
      lock.withLock { state.running = 1 }
      work(batch)
    }
    var isRunning = true
    while isRunning {
      let shown = lock.withLock { () -> CopyProgress in
        if state.running > 0 { changed.wait(until: monotonicTime() + Self.interval) }
        isRunning = state.running > 0
        return state.progress
      }
      if !progress(shown) { end(.cancelled) }
    }
    for thread in threads { thread.join() }
    if let error = lock.withLock({ state.error }) { throw error }
  }

  /// Ends all jobs; only the first error counts.
  private func end(_ error: CopyError) {
    let isFirst = lock.withLock { () -> Bool in
      guard state.error == nil else { return false }
      state.error = error
      return true
    }
    guard isFirst else { return }
    source.stop()
    target.stop()
  }

  /// The work of a thread.
  private func work(_ batch: Batch) {
    while lock.withLock({ state.error == nil }) {
      let index = batch.next.add(1, ordering: .relaxed).oldValue
      guard index < batch.identifiers.count else { break }
      let identifier = batch.identifiers[index]
      guard let listed = batch.files[identifier] else { continue }
      do throws(CopyError) {
        let outcome = try copy(identifier, listed, batch.there[identifier], segmentSize: batch.segmentSize)
        lock.withLock { note(outcome, of: identifier, listed) }
      } catch {
        end(error)
      }
    }
    lock.withLock { state.running -= 1 }
    changed.broadcast()
  }

  private func note(_ outcome: FileOutcome, of identifier: SegmentIdentifier, _ listed: CopyEntry) {
    state.progress.done = min(state.progress.total, state.progress.done &+ listed.size)
    switch outcome {
    case .same: break
    case .copied(let entry):
      state.summary.copied += 1
      state.progress.written += entry.size
      if target.keepsChecksums { state.written[identifier] = entry }
    case .gone: state.summary.gone += 1
    case .shortened: state.summary.shortened += 1
    case .tooLarge: state.summary.tooLarge += 1
    case .different: state.summary.different += 1
    case .missing: state.summary.missing += 1
    case .unknown: state.summary.unknown += 1
    }
  }

  /// Copies or compares a file.
  private func copy(
    _ identifier: SegmentIdentifier, _ listed: CopyEntry, _ there: CopyEntry?, segmentSize: Int
  ) throws(CopyError) -> FileOutcome {
    guard listed.size <= segmentSize else { return .tooLarge }
    let readsWritten = lock.withLock { state.readsWritten }
    return try FileCopying(
      source: source, target: target, options: options, identifier: identifier, listed: listed,
      segmentSize: segmentSize, readsWritten: readsWritten
    ).run(there)
  }

  /// Lists a store again, and copies files that it does not have as they were written.
  private func confirm(
    _ files: [SegmentIdentifier: CopyEntry], segmentSize: Int, _ progress: (CopyProgress) -> Bool
  ) throws(CopyError) {
    for _ in 0..<Self.rounds {
      let written = lock.withLock { state.written }
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
      lock.withLock { for identifier in suspects { state.written[identifier] = nil } }
      try copyAll(Batch(suspects.shuffled(), files, there, segmentSize: segmentSize), progress)
      let rewritten = lock.withLock { state.written }
      if suspects.allSatisfy({ rewritten[$0] == nil }) { return }
    }
    throw .notKept(target.place)
  }
}
