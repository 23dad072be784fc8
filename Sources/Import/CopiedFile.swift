// A file of an import, from its copy to its outcome.
//
// Invariants
// 1. Its state only goes forward: copied, verified, done. A file that fails is done.
// 2. Only a verified file is named. When a file is done, its partial file in `.agonyfs/incoming` has been renamed or
//    removed. The outcome of a file that waited for its name is reported at once, and none of its state is kept.
// 3. It keeps its file open until it is verified, and no longer: not while it waits for its name.

internal import HostFiles

/// A file that was copied into the space.
package struct CopiedFile: Sendable {
  var entry: SourceEntry
  let status: FileStatus
  var state: State
  /// The hash of its first bytes.
  let beginning: UInt64
  /// The extended attributes that the space could not store.
  let missing: [[UInt8]]
  let goal: Goal

  /// The progress of the file.
  enum State: Sendable {
    /// It was written, and is not yet compared.
    case copied(IncomingFile)
    /// It was compared with the stored bytes and with its source. It waits for its name, or is about to get it.
    case verified(VerifiedFile)
    /// It was named, or will not be.
    case done(Importer.Result)
  }

  /// The name of its partial file; nil when it is done.
  var partial: [UInt8]? {
    switch state {
    case .copied(let file): file.name
    case .verified(let file): file.name
    case .done: nil
    }
  }

  /// The hash of the written bytes; nil if none was computed.
  var digest: FileDigest? {
    switch state {
    case .copied(let file): file.digest
    case .verified(let file): file.digest
    case .done(let result): result.digest
    }
  }

  enum Goal: Sendable {
    case name(WantedName, Album)
    /// Next to the file with this number, whose path is not known yet.
    case beside(Int)
    /// With its group, whose place is not known yet.
    case withGroup(Int)
  }
}
