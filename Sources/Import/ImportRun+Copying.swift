// Copying several files at once.
//
// Invariants
// 1. Copies run in any order, but their results are handled in the order of the source. All decisions, reports and
//    reservations are the same as if the files had been copied one after the other.
// 2. A file is not copied while a file that may have the same content is being copied or verified.

internal import HostFiles
internal import System

extension ImportRun {
  /// Each thread reads, hashes and writes one file. With more than four, threads wait for the mount.
  private static let mostAtOnce = 4
  /// The largest file in bytes that is copied in parallel. A larger one is copied alone, so that it can report
  /// progress.
  private static let largestAside: Int64 = 64 << 20

  /// Copies a file, in parallel with others if that is faster.
  func copy(_ job: CopyJob) {
    let most = copiesAtOnce(job)
    // Results are handled in the order in which the copies were started.
    while copying.count >= most { collectCopy() }
    // Since the decision to copy this file, writing may have failed for good.
    guard goesOn else { return ended(job, .failure(.interrupted)) }
    if most == 1 { return ended(job, importer.copy(job)) }
    copying.append(CopyUnderway(job))
  }

  /// How many copies may run at once, this file included: at least 1.
  private func copiesAtOnce(_ job: CopyJob) -> Int {
    guard importer.options.overlaps, job.entry.status.size <= Self.largestAside else { return 1 }
    let most = min(Self.mostAtOnce, Parallel.usual.threads)
    return most > 1 && isOnTurningDisk(job.entry.status.device) ? 1 : most
  }

  private func isOnTurningDisk(_ device: UInt64) -> Bool {
    if let known = turningDisks[device] { return known }
    let turns = SourceMedium.turns(device)
    turningDisks[device] = turns
    return turns
  }

  /// Waits for the copy that was started first.
  func collectCopy() {
    if copying.isEmpty { return }
    let oldest = copying.removeFirst()
    let outcome = oldest.wait()
    if case .success(let file) = outcome { importer.noteRead(file.status.size) }
    ended(oldest.job, outcome)
  }

  private func ended(_ job: CopyJob, _ outcome: Result<CopiedFile, ImportFailure>) {
    switch outcome {
    case .success(let file): add(file)
    case .failure(let error):
      release(job.goal)
      note(job.entry, (.failed(error), nil, false))
    }
  }

  /// Whether a file that is being copied may have the same content as a new one: same length and same beginning.
  func isCopying(size: Int64, beginning: () -> UInt64?) -> Bool {
    let alike = copying.filter { $0.job.entry.status.size == size }
    if alike.isEmpty { return false }
    let own = beginning()
    return alike.contains { (try? importer.beginning(of: $0.job.entry)) == own }
  }
}
