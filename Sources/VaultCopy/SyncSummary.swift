internal import Storage

/// What a sync does.
package struct SyncOptions: Sendable {
  /// Files that are read, sent or deleted at once, at least 1. Each takes the memory of two files.
  package var jobs = 4
  /// Whether a bucket that seems to have a newer state, or another one, is made like the vault all the same.
  package var deletesNewer = false
  /// About how many bytes are sent, from 1 on; nil for all that is new and nothing else.
  package var mostBytes: Int64?
  /// Whether nothing is changed, and the summary says what would be.
  package var onlyPlans = false
  /// What earlier runs of this process read of the same vault; nil to read all files. For hosts that keep change times.
  package var memory: SyncMemory?

  /// The defaults.
  package init() {}
}

/// The result of a sync.
package struct SyncSummary: Equatable, Sendable {
  /// Files of the vault when it was listed.
  package var files = 0
  /// Files that were sent, because the bucket lacked them or had other bytes.
  package var copied = 0
  /// All bytes that were sent.
  package var sentBytes: Int64 = 0
  /// Files that were sent again to reach `mostBytes`.
  package var resent = 0
  /// Files that were deleted; with `onlyPlans`, that would be.
  package var deleted = 0
  /// Files that are still to be sent, because of `mostBytes` or `onlyPlans`.
  package var waiting = 0
  /// Their bytes.
  package var waitingBytes: Int64 = 0
  /// Files that the vault deleted after it was listed.
  package var gone = 0
  /// Files that became shorter after the vault was listed, and were left out.
  package var shortened = 0
  /// Files that are larger than a file of a vault can be, and were left out.
  package var tooLarge = 0
  /// When the listing of the vault began, in seconds since 1970. The bucket has everything that was synced before if no
  /// file waits, is gone, became shorter or is too large.
  package var begun: Int64 = 0

  /// Nothing was found yet.
  package init() {}
}

extension SyncSummary {
  /// Whether files were left out.
  var lacksFiles: Bool { gone + shortened + tooLarge > 0 }

  /// Adds files that were left out.
  mutating func add(_ lacking: CopySummary) {
    gone += lacking.gone
    shortened += lacking.shortened
    tooLarge += lacking.tooLarge
  }

  /// Adds files that wait for the next run.
  mutating func wait(
    for identifiers: some Sequence<SegmentIdentifier>, _ files: [SegmentIdentifier: CopyEntry]
  ) {
    for identifier in identifiers {
      waiting += 1
      waitingBytes += files[identifier]?.size ?? 0
    }
  }
}
