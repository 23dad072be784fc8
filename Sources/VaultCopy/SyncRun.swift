// Makes a bucket like a vault, without a password.
//
// Invariants
// 1. At every moment the bucket is a vault that opens, in the state that it had or in a newer one: files come before
//    others are deleted, and the parameters come first or last as in `CopyRun`.
// 2. A file is deleted only if the vault lacked it in a list that ended before another list began, all of which the bucket
//    has. So the bucket has the head that made the file needless.
// 3. Files are sent, and deleted, in random order.
// 4. If a file was gone, became shorter or was too large, or if a file waits for the next run, nothing is deleted, and a
//    new copy gets no parameters.
// 5. From before the first change until after the last deletion, a bucket with files that the vault lacks has the mark
//    `deleting`: the SHA-256 of the names that it will have in common with the vault, sorted, 32 digits each. It tells
//    the next run that the vault is not an older copy.

internal import Storage
internal import System

/// One sync of a vault to a bucket.
package final class SyncRun: Sendable {
  private let source: any CopySource
  private let target: any SyncTarget
  private let options: SyncOptions
  private let jobs: CopyJobs

  /// A sync that has not begun. Run it once.
  package init(from source: any CopySource, to target: any SyncTarget, _ options: SyncOptions = SyncOptions()) {
    self.source = source
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
    var summary = SyncSummary()
    let vault = try CopiedVault(of: source)
    summary.begun = timeOfDay().seconds
    let earlier = try vault.files(of: source)
    let files = try vault.files(of: source)
    summary.files = files.count
    let parametersThere = try begin(vault)
    let there = try target.list()
    jobs.expect(files.values.reduce(0) { $0 &+ $1.size })
    let plan = try compare(vault, files, there, progress)
    if options.onlyPlans {
      summary.wait(for: plan.sending, files)
      summary.add(plan.lacking)
      summary.deleted = plan.lacking.lacksFiles ? 0 : plan.extra.count { earlier[$0] == nil }
      return summary
    }
    let isKnownNewer =
      plan.extra.isEmpty || options.deletesNewer || !plan.sending.isEmpty
      || plan.isAccountedFor(files, there)
    let readsWritten = try target.probe(note)
    var mark = plan.mark
    if !plan.extra.isEmpty, isKnownNewer { try write(SyncPlan.mark(of: files.keys), over: &mark) }
    try vault.renew(parametersThere, in: target)

    let transfer = FileTransfer(
      from: source, to: target, copyOptions, jobs, files, segmentSize: vault.segmentSize, readsWritten: readsWritten)
    try send(plan, transfer, files, there, &summary, progress)
    guard let last = try source.readParameters(), vault.isSame(last) else { throw .sourceReplaced(source.place) }
    if summary.waiting > 0 { return summary }
    if !summary.lacksFiles { try target.complete(last) }

    // A vault without files would be a fault; then nothing is deleted.
    let later = try vault.files(of: source)
    let stored = Set(there.keys).union(transfer.sent)
    let needless = stored.filter { files[$0] == nil && earlier[$0] == nil && later[$0] == nil }
    let left = stored.filter { later[$0] == nil }
    if !left.isEmpty, isKnownNewer {
      try write(SyncPlan.mark(of: stored.filter { later[$0] != nil }), over: &mark)
    }
    if summary.lacksFiles { return summary }
    try delete(needless, progress)
    summary.deleted = needless.count
    // What the vault deleted during this run is left to the next one.
    if mark != nil, left.count == needless.count { try target.removeDeletionMark() }
    return summary
  }

  private var copyOptions: CopyOptions {
    var copying = CopyOptions()
    copying.jobs = options.jobs
    return copying
  }

  /// Prepares the target.
  ///
  /// - Returns: the parameters of the vault that is there; nil if the copy is new or was never completed.
  private func begin(_ vault: CopiedVault) throws(CopyError) -> [UInt8]? {
    try vault.ask(target, replacesNewer: options.deletesNewer) { (accepts) throws(CopyError) in
      try options.onlyPlans ? target.check(accepts: accepts) : target.begin(vault.json, accepts: accepts)
    }
  }

  /// Finds what differs.
  ///
  /// - Throws: `.newerThere`, `.divergent` and `.olderSource`, unless newer files are to be deleted.
  private func compare(
    _ vault: CopiedVault, _ files: [SegmentIdentifier: CopyEntry], _ there: [SegmentIdentifier: CopyEntry],
    _ progress: (CopyProgress) -> Bool
  ) throws(CopyError) -> SyncPlan {
    if !options.deletesNewer, there.contains(where: { $1.size > files[$0]?.size ?? .max }) {
      throw .newerThere(target.place)
    }
    let comparison = SyncComparison(source, target, jobs, segmentSize: vault.segmentSize)
    let plan = try comparison.run(files, there, progress)
    if options.deletesNewer { return plan }
    if plan.divergent > 0 { throw .divergent(target.place, plan.divergent) }
    let isAtRest = plan.lacking.gone == 0
    if !plan.extra.isEmpty, plan.sending.isEmpty, isAtRest, !plan.isAccountedFor(files, there) {
      throw .olderSource(source.place, plan.extra.count)
    }
    return plan
  }

  /// Sends what differs, as far as the rate goes, and then other files until it is reached.
  private func send(
    _ plan: SyncPlan, _ transfer: FileTransfer, _ files: [SegmentIdentifier: CopyEntry],
    _ there: [SegmentIdentifier: CopyEntry], _ summary: inout SyncSummary, _ progress: (CopyProgress) -> Bool
  ) throws(CopyError) {
    var left = options.mostBytes ?? .max
    let sending = plan.sending.shuffled()
    let count = Self.count(of: sending, files, &left)
    // Those that the bucket has are not compared again.
    try transfer.copy(Array(sending[..<count]), there: [:], progress)
    summary.wait(for: sending[count...], files)
    if options.mostBytes != nil {
      let again = plan.same.shuffled()
      let count = Self.count(of: again, files, &left)
      try transfer.copy(Array(again[..<count]), there: there, resends: true, progress)
    }
    try transfer.confirm(progress)
    summary.add(plan.lacking)
    summary.add(transfer.summary)
    let sent = transfer.sent
    summary.copied = sending.count { sent.contains($0) }
    summary.resent = sent.count - summary.copied
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

  /// Writes a mark, if the bucket has another one.
  private func write(_ value: [UInt8], over mark: inout [UInt8]?) throws(CopyError) {
    if mark != value { try target.writeDeletionMark(value) }
    mark = value
  }

  private func delete(_ needless: Set<SegmentIdentifier>, _ progress: (CopyProgress) -> Bool) throws(CopyError) {
    let target = target
    try jobs.run(needless.shuffled(), progress) { (identifier) throws(CopyError) in try target.delete(identifier) }
  }
}

extension SyncSummary {
  /// Whether files were left out.
  fileprivate var lacksFiles: Bool { gone + shortened + tooLarge > 0 }

  /// Adds files that were left out.
  fileprivate mutating func add(_ lacking: CopySummary) {
    gone += lacking.gone
    shortened += lacking.shortened
    tooLarge += lacking.tooLarge
  }

  /// Adds files that wait for the next run.
  fileprivate mutating func wait(
    for identifiers: some Sequence<SegmentIdentifier>, _ files: [SegmentIdentifier: CopyEntry]
  ) {
    for identifier in identifiers {
      waiting += 1
      waitingBytes += files[identifier]?.size ?? 0
    }
  }
}
