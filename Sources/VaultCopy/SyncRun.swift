// Makes a bucket like a vault, without a password.
//
// Invariants
// 1. At every moment the bucket is a vault that opens, in the state that it had or in a newer one: files come before
//    others are deleted, and the parameters come first or last as in `CopyRun`.
// 2. A file is deleted only if the vault lacked it in a list that ended before another list began, all of which the bucket
//    has. The bucket is listed before both, so the vault had the file earlier. So the bucket has the head that made the
//    file needless.
// 3. Files are sent, and deleted, in random order.
// 4. If a file was gone, became shorter or was too large, or if a file waits for the next run, nothing is deleted, and a
//    new copy gets no parameters.
// 5. The object `synced` of the bucket is a token: a random number for its state. The vault's file `synced` has the tokens
//    of the states that the vault includes. A new token is in the vault, durably, before it is in the bucket, and it is
//    in the bucket before the first change of a run and, another one, after the last file was sent. The last one counts
//    even if the parameters could not be completed: they may lag, as the bucket had all files by then.
// 6. So a copy of the vault that has the bucket's token was made after the vault was listed, or after all files were sent
//    if that run ended. It has all that the bucket has, except the ends of files that grew during a run that was
//    interrupted; these are longer in the bucket. What it lacks was deleted in it since. Only a program that copies the
//    vault's files before a run and its file `synced` during it or later gives an older copy the token.
// 7. Without the token the vault may be older than the bucket. Then nothing is written if the bucket has files that the
//    vault lacks, or bytes that are not the beginning of the vault's file. Heads have names that follow from their
//    numbers, so two continuations of one state have other bytes under the same names.
// 8. A folder that the vault lacks was lost, or is not restored yet: whoever writes to a vault makes all of them. So
//    nothing is written if the bucket has files in it that the vault lacks.
// 9. An interruption at any moment leaves the bucket's token in the vault: it is dropped only after the bucket has
//    another one.
// 10. The tokens are read after both were listed, that of the bucket first. So a sync of another copy that comes between
//     gives the bucket a token that this vault lacks, and one of this vault a token that it has.
// 11. What is refused changes nothing. So the probe comes after the comparison. If the comparison can find nothing to
//     refuse, and the vault took a new token, both begin at the same time; after the probe, without a rate, the other
//     files are compared and sent in one pass. A run that changes nothing probes nothing.
// 12. With one job everything is done in sequence.

internal import ObjectStore
internal import Storage
internal import System

/// One sync of a vault to a bucket.
package final class SyncRun: Sendable {
  private let source: any SyncSource
  private let target: any SyncTarget
  private let options: SyncOptions
  private let jobs: CopyJobs

  /// A sync that has not begun. Run it once.
  package init(from source: any SyncSource, to target: any SyncTarget, _ options: SyncOptions = SyncOptions()) {
    let remembered: any SyncSource
    if let memory = options.memory { remembered = RememberedSource(source, memory) } else { remembered = source }
    self.source = remembered
    self.target = target
    self.options = options
    jobs = CopyJobs(options.jobs, ends: [source, target])
  }

  /// Sends what differs, then deletes what the vault does not have any more.
  ///
  /// - Parameters:
  ///   - progress: called several times a second; false ends the run.
  ///   - note: called with sentences about the bucket before the first file is sent.
  /// - Throws: the first error. Another run goes on from there.
  @discardableResult
  package func run(
    progress: (CopyProgress) -> Bool = { _ in true }, note: (String) -> Void = { _ in }
  ) throws(CopyError) -> SyncSummary {
    try jobs.whole { () throws(CopyError) in try perform(progress, note) }
  }

  /// Ends the run from another thread, even while it waits for the bucket.
  package func cancel() { jobs.end(.cancelled) }

  private func perform(
    _ progress: (CopyProgress) -> Bool, _ note: (String) -> Void
  ) throws(CopyError) -> SyncSummary {
    let vault = try CopiedVault(of: source)
    let start = try SyncStart(vault, source, target, jobs, replacesNewer: options.deletesNewer)
    if !options.deletesNewer { try start.refuse(source, target) }
    let files = start.files
    var summary = SyncSummary()
    (summary.begun, summary.files) = (start.begun, files.count)
    jobs.expect(files.values.reduce(0) { $0 &+ $1.size })
    var tokens = start.tokens
    let (plan, findings) = try compareAndProbe(vault, start, &tokens, progress)
    if options.onlyPlans {
      summary.wait(for: plan.sending, files)
      summary.add(plan.lacking)
      summary.deleted = plan.lacking.lacksFiles ? 0 : start.lacked
      return summary
    }
    let readsWritten = target.tell(findings ?? target.stated, note)
    try tokens.store()
    // After a failure, too: otherwise failures would take the places of other buckets' tokens.
    defer { tokens.drop() }
    try vault.renew(start.parametersThere, in: target)

    let transfer = FileTransfer(
      from: source, to: target, copyOptions, jobs, files, segmentSize: vault.segmentSize, readsWritten: readsWritten)
    try send(plan, transfer, files, start.there, &summary, progress)
    guard let last = try source.readParameters(), vault.isSame(last) else { throw .sourceReplaced(source.place) }
    let isWhole = summary.waiting == 0 && !summary.lacksFiles
    if isWhole, !tokens.isRenewed, last != start.parametersThere { try tokens.renew() }
    let isRenewed = tokens.isRenewed
    try concurrently(isRenewed && jobs.areSeveral) { () throws(CopyError) -> Void in
      if isWhole { try self.target.complete(last) }
    } and: { () throws(CopyError) -> Void in
      if isRenewed { try tokens.renew() }
    }
    if isWhole, !start.extra.isEmpty {
      // A vault without files would be a fault; then nothing is deleted.
      let later = try vault.files(of: source)
      let needless = start.extra.filter { start.earlier[$0] == nil && later[$0] == nil }
      try delete(needless, progress)
      summary.deleted = needless.count
    }
    return summary
  }

  private var copyOptions: CopyOptions {
    var copying = CopyOptions()
    copying.jobs = options.jobs
    return copying
  }

  /// Finds what differs. If something is to be changed, it also begins a first copy and probes the bucket: afterwards,
  /// or meanwhile (invariant 11); then the plan may leave files open. An error of the comparison does not interrupt the
  /// probe, which deletes its object.
  ///
  /// - Parameter tokens: has a token for the changes on return.
  /// - Returns: what the probe found; nil if nothing is to be changed.
  /// - Throws: `.divergent`, unless newer files are to be deleted.
  private func compareAndProbe(
    _ vault: CopiedVault, _ start: SyncStart, _ tokens: inout SyncTokenChange, _ progress: (CopyProgress) -> Bool
  ) throws(CopyError) -> (plan: SyncPlan, findings: StoreFindings?) {
    let findsOlder = !tokens.isKnown && !options.deletesNewer
    let isAccepted = !findsOlder || start.there.isEmpty
    let changes = options.mostBytes != nil || start.showsChange(of: vault)
    let comparison = SyncComparison(
      source, target, jobs, segmentSize: vault.segmentSize, findsDivergent: findsOlder)
    var plan: SyncPlan?
    if options.onlyPlans || !isAccepted || !changes || !jobs.areSeveral {
      let found = try comparison.run(start.files, start.there, progress)
      if findsOlder, found.divergent > 0 { throw .divergent(target.place, found.divergent) }
      let isSame = tokens.isKnown && found.sending.isEmpty && start.isPart(of: vault)
      if options.onlyPlans || isSame && options.mostBytes == nil { return (found, nil) }
      plan = found
    }
    try tokens.prepare()
    do throws(CopyError) {
      if let plan { return (plan, try beginAndProbe(vault, start)) }
      let (findings, found) = try jobs.both(finishesFirst: true) { () throws(CopyError) -> StoreFindings in
        let findings = try self.beginAndProbe(vault, start)
        // With a rate all files are compared first, because it is divided among those that differ.
        if self.options.mostBytes == nil { comparison.end() }
        return findings
      } and: { () throws(CopyError) -> SyncPlan in
        try comparison.run(start.files, start.there, progress)
      }
      return (found, findings)
    } catch {
      tokens.withdraw()
      throw error
    }
  }

  /// Begins a first copy if there is none, and probes the bucket. If it is refused for good, an empty one stays as it
  /// was.
  private func beginAndProbe(_ vault: CopiedVault, _ start: SyncStart) throws(CopyError) -> StoreFindings {
    do throws(CopyError) {
      if start.parametersThere == nil {
        let found = try vault.ask(target, replacesNewer: options.deletesNewer) { (accepts) throws(CopyError) in
          try target.begin(vault.json, accepts: accepts)
        }
        if found != nil { throw CopyError.inUse(target.place) }
      }
      return try target.probe()
    } catch {
      let isEmpty = start.parametersThere == nil && start.there.isEmpty
      if isEmpty, case .store(let reason, _) = error, !reason.isTemporary { target.withdraw() }
      throw error
    }
  }

  /// Sends what differs, as far as the rate goes, and then other files until it is reached.
  private func send(
    _ plan: SyncPlan, _ transfer: FileTransfer, _ files: [SegmentIdentifier: CopyEntry],
    _ there: [SegmentIdentifier: CopyEntry], _ summary: inout SyncSummary, _ progress: (CopyProgress) -> Bool
  ) throws(CopyError) {
    var left = options.mostBytes ?? .max
    let sending = (plan.sending + plan.open).shuffled()
    let count = Self.count(of: sending, files, &left)
    // Those that are known to differ are not compared again.
    var compared = plan.open.isEmpty ? [:] : there
    for identifier in plan.sending { compared[identifier] = nil }
    try transfer.copy(Array(sending[..<count]), there: compared, progress)
    let copied = transfer.sent.count
    summary.wait(for: sending[count...], files)
    if options.mostBytes != nil {
      let again = plan.same.shuffled()
      let count = Self.count(of: again, files, &left)
      try transfer.copy(Array(again[..<count]), there: there, resends: true, progress)
    }
    try transfer.confirm(progress)
    summary.add(plan.lacking)
    summary.add(transfer.summary)
    summary.copied = copied
    summary.resent = transfer.sent.count - copied
    summary.sentBytes = transfer.sentBytes
  }

  /// How many of the first files are sent, and what is left of the bytes that may be sent. The last one may exceed them,
  /// so that every run sends something.
  private static func count(
    of identifiers: [SegmentIdentifier], _ files: [SegmentIdentifier: CopyEntry], _ left: inout Int64
  ) -> Int {
    var count = 0
    while count < identifiers.count, left > 0 {
      left -= files[identifiers[count]]?.size ?? 0
      count += 1
    }
    return count
  }

  private func delete(_ needless: Set<SegmentIdentifier>, _ progress: (CopyProgress) -> Bool) throws(CopyError) {
    let target = target
    try jobs.run(needless.shuffled(), progress) { (identifier) throws(CopyError) in try target.delete(identifier) }
  }
}
