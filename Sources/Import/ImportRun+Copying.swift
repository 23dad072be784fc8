// Copying several files at once.
//
// Invariants
// 1. Files are copied in any order, and looked at in that of the source: all that is decided, told and reserved is as if
//    they had been copied one after the other.
// 2. What comes is never copied while a file is under way that may have the same content.

internal import HostFiles
internal import System

extension ImportRun {
  /// One thread reads, hashes and writes a file; more than four wait for the mount.
  private static let mostAtOnce = 4
  /// Bytes of a file that is copied beside others at most. A larger one shows its progress while it is copied.
  private static let largestAside: Int64 = 64 << 20

  /// Copies a file, beside others where that is of use.
  func copy(_ job: CopyJob) {
    let most = copiesAtOnce(job)
    // The oldest first, as they came.
    while copying.count >= most { collectCopy() }
    // The space may take nothing more since the decision to copy this one.
    guard goesOn else { return ended(job, .failure(.interrupted)) }
    if most == 1 { return ended(job, importer.copy(job)) }
    copying.append(CopyUnderway(job))
  }

  /// How many files may be under way with one that comes, at least 1.
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

  /// Waits for the file that is copied longest.
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

  /// Whether a file that is being copied may have the content of one that comes, by its length and what it begins with.
  func isCopying(size: Int64, beginning: () -> UInt64?) -> Bool {
    let alike = copying.filter { $0.job.entry.status.size == size }
    if alike.isEmpty { return false }
    let own = beginning()
    return alike.contains { (try? importer.beginning(of: $0.job.entry)) == own }
  }
}
