/// What a copy does.
package struct CopyOptions: Sendable {
  /// Files that are copied or compared at once, at least 1. Each takes the memory of two files.
  package var jobs = 4
  /// Whether the ends are only compared, and nothing is written.
  package var onlyCompares = false
  /// Whether every byte of the target is read, instead of the checksums that it keeps.
  package var readsBack = false

  /// The defaults.
  package init() {}
}

/// The progress of a copy.
package struct CopyProgress: Equatable, Sendable {
  /// Bytes of the files that were copied or found to be the same.
  package var done: Int64 = 0
  /// Bytes of all files of the source when it was listed.
  package var total: Int64 = 0
  /// Bytes that were written.
  package var written: Int64 = 0

  /// Nothing was done yet.
  package init() {}
}

/// The result of a copy.
package struct CopySummary: Equatable, Sendable {
  /// Segment files of the source when it was listed.
  package var files = 0
  /// Files that were written, because the target lacked them or had other bytes.
  package var copied = 0
  /// Files that the source deleted after it was listed.
  package var gone = 0
  /// Files that became shorter after the source was listed, and were left out.
  package var shortened = 0
  /// Files that are larger than a file of a vault can be, and were left out.
  package var tooLarge = 0
  /// With `onlyCompares`: files with other bytes in the target.
  package var different = 0
  /// With `onlyCompares`: files that the target lacks.
  package var missing = 0
  /// With `onlyCompares`: files that only their bytes can compare, because the store keeps no checksum of them.
  package var unknown = 0
  /// Files of the target that the source does not have. They stay.
  package var extra = 0
  /// Whether files were left out.
  var lacksFiles: Bool { gone + shortened + tooLarge > 0 }

  /// Nothing was found yet.
  package init() {}
}
