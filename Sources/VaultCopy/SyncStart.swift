internal import Storage
internal import System

/// What a vault and a bucket have when a sync begins.
struct SyncStart: Sendable {
  /// The parameters in the bucket; nil if the copy is new or was never completed.
  let parametersThere: [UInt8]?
  /// The files in the bucket.
  let there: [SegmentIdentifier: CopyEntry]
  /// The files of the vault in the first of two lists.
  let earlier: [SegmentIdentifier: CopyEntry]
  /// The files of the vault in the second list.
  let files: [SegmentIdentifier: CopyEntry]
  /// When the listing of the vault began, in seconds since 1970.
  let begun: Int64
  /// The tokens of both.
  let tokens: SyncTokenChange
  /// The files in the bucket that the vault lacks.
  let extra: Set<SegmentIdentifier>

  /// Looks at both. The parameters are asked for at any moment meanwhile; all other steps are in the order that
  /// invariants 2 and 10 of `SyncRun` need. If the bucket has parameters, but no token that the vault has, all is listed
  /// once more: otherwise a first copy that was completed after the list would look like a vault without files.
  ///
  /// - Parameter replacesNewer: whether the parameters in the bucket may be newer.
  /// - Throws: `.otherVault`, `.notEmpty`, `.newerThere`.
  init(
    _ vault: CopiedVault, _ source: any SyncSource, _ target: any SyncTarget, _ jobs: CopyJobs, replacesNewer: Bool
  ) throws(CopyError) {
    let (parameters, first) = try jobs.both { () throws(CopyError) -> [UInt8]? in
      try vault.ask(target, replacesNewer: replacesNewer) { (accepts) throws(CopyError) in
        try target.check(accepts: accepts)
      }
    } and: { () throws(CopyError) -> Lists in
      try Lists(vault, source, target, jobs)
    }
    let lists: Lists
    // With one job the parameters came first.
    if parameters != nil, !first.tokens.isKnown, jobs.areSeveral {
      lists = try Lists(vault, source, target, jobs)
    } else {
      lists = first
    }
    parametersThere = parameters
    (there, earlier, files) = (lists.there, lists.earlier, lists.files)
    (begun, tokens) = (lists.begun, lists.tokens)
    extra = Set(lists.there.keys.filter { lists.files[$0] == nil })
  }

  /// The lists, and then the tokens.
  private struct Lists {
    let there: [SegmentIdentifier: CopyEntry]
    let begun: Int64
    let earlier: [SegmentIdentifier: CopyEntry]
    let files: [SegmentIdentifier: CopyEntry]
    let tokens: SyncTokenChange

    /// A refusal ends it between its steps: a large vault takes long to list.
    init(
      _ vault: CopiedVault, _ source: any SyncSource, _ target: any SyncTarget, _ jobs: CopyJobs
    ) throws(CopyError) {
      there = try target.list()
      begun = timeOfDay().seconds
      try jobs.proceed()
      earlier = try vault.files(of: source)
      try jobs.proceed()
      files = try vault.files(of: source)
      try jobs.proceed()
      tokens = try SyncTokenChange(source, target)
    }
  }

  /// How many files of the bucket neither list of the vault has.
  var lacked: Int { extra.count { earlier[$0] == nil } }

  /// Refuses what the lists show.
  ///
  /// - Throws: `.olderSource`, `.incompleteSource`, `.newerThere`.
  func refuse(_ source: any SyncSource, _ target: any SyncTarget) throws(CopyError) {
    if !tokens.isKnown, lacked > 0 { throw .olderSource(source.place, lacked) }
    if !extra.isEmpty {
      let lost = try source.countWithoutFolder(extra)
      if lost > 0 { throw .incompleteSource(source.place, lost) }
    }
    // A file that the vault lacks was deleted in it.
    if there.contains(where: { $1.size > files[$0]?.size ?? .max }) { throw .newerThere(target.place) }
  }

  /// Whether the bucket has the parameters of the vault, and no file that the vault lacks.
  func isPart(of vault: CopiedVault) -> Bool { parametersThere == vault.json && extra.isEmpty }

  /// Whether the lists show that the bucket is not like the vault.
  func showsChange(of vault: CopiedVault) -> Bool {
    !isPart(of: vault)
      || files.contains { $0.value.size <= vault.segmentSize && there[$0.key]?.size != $0.value.size }
  }
}
