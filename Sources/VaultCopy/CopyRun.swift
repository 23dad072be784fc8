// Copies a vault as it is stored, without a password.
//
// Invariants
// 1. The source is listed before the first file is copied, and its parameters are read again after the last. So a copy
//    of a vault in use has everything that was synced when the copy began, if it takes less than the copy window.
// 2. A new copy gets its parameters last, and only with all files, so an incomplete copy never opens as a vault. A vault
//    gets them first if they have all key derivations of the old ones: old and new passwords open it at every moment.
// 3. Content decides which files are copied, not names, sizes and times: slots that were wiped and files that were
//    completed keep these.
// 4. Files are copied in random order, so that their times in the target do not show in which order they were made.
// 5. No file of the target is deleted, and none is replaced by a shorter one: if the target has a longer file or a key
//    derivation that the source lacks, the target is newer, and nothing is written.
// 6. Before the copy is complete, a store is listed again (`FileTransfer`).
// 7. A store is probed before the first file is written. Files in a store that does not check them are read back.

internal import ObjectStore
internal import Storage

/// One copy, or one comparison, of a vault.
package final class CopyRun: Sendable {
  private let source: any CopySource
  private let target: any CopyTarget
  private let options: CopyOptions
  private let jobs: CopyJobs

  /// A copy that has not begun. Run it once.
  package init(from source: any CopySource, to target: any CopyTarget, _ options: CopyOptions = CopyOptions()) {
    self.source = source
    self.target = target
    self.options = options
    jobs = CopyJobs(options.jobs, ends: [source, target])
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
    try jobs.whole { () throws(CopyError) in try perform(progress, note) }
  }

  /// Ends the copy from another thread, even while it waits for a store.
  package func cancel() { jobs.end(.cancelled) }

  private func perform(
    _ progress: (CopyProgress) -> Bool, _ note: (String) -> Void
  ) throws(CopyError) -> CopySummary {
    let vault = try CopiedVault(of: source)
    let files = try vault.files(of: source)
    let parametersThere = try begin(vault)
    let there = try target.list()
    var readsWritten = false
    if !options.onlyCompares {
      if there.contains(where: { $1.size > files[$0]?.size ?? .max }) { throw .newerThere(target.place) }
      do throws(CopyError) {
        readsWritten = try target.probe(note)
      } catch {
        let isEmpty = parametersThere == nil && there.isEmpty
        if isEmpty, case .store(let reason, _) = error, !reason.isTemporary { target.withdraw() }
        throw error
      }
      try vault.renew(parametersThere, in: target)
    }
    jobs.expect(files.values.reduce(0) { $0 &+ $1.size })
    let transfer = FileTransfer(
      from: source, to: target, options, jobs, files, segmentSize: vault.segmentSize,
      readsWritten: readsWritten)
    try transfer.copy(files.keys.shuffled(), there: there, progress)
    try transfer.confirm(progress)
    guard let last = try source.readParameters(), vault.isSame(last) else { throw .sourceReplaced(source.place) }
    var summary = transfer.summary
    summary.files = files.count
    summary.extra = there.keys.count { files[$0] == nil }
    if options.onlyCompares {
      if last != parametersThere { summary.different += 1 }
    } else if parametersThere != nil || !summary.lacksFiles {
      try target.complete(last)
    }
    return summary
  }

  /// Prepares the target.
  ///
  /// - Returns: the parameters of the vault that is there; nil if the copy is new or was never completed.
  private func begin(_ vault: CopiedVault) throws(CopyError) -> [UInt8]? {
    guard options.onlyCompares else {
      return try vault.ask(target) { (accepts) throws(CopyError) in
        try target.begin(vault.json, accepts: accepts)
      }
    }
    guard let found = try target.readParameters() else {
      throw target.isUnfinished ? CopyError.unfinished(target.place) : CopyError.noVault(target.place)
    }
    guard vault.isSame(found) else { throw .otherVault(target.place) }
    return found
  }
}
