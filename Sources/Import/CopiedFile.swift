// A file of an import, from its copy to its outcome.
//
// Invariants
// 1. Its state only goes forward: copied, verified, done. What fails is done.
// 2. Only what is verified gets a name. When it is done, its file in `.agonyfs/incoming` has got its name or was removed.
//    The outcome of a file that waited for its name is told at once, and nothing of it is kept.
// 3. Until it is verified it keeps its file open. One that waits for its name does not.

internal import HostFiles

/// A file that was copied into the space.
package struct CopiedFile: Sendable {
  var entry: SourceEntry
  let status: FileStatus
  var state: State
  /// What its bytes begin with.
  let beginning: UInt64
  /// Extended attributes that the space could not take.
  let missing: [[UInt8]]
  let goal: Goal

  /// How far it is.
  enum State: Sendable {
    /// It was written, and is not compared yet.
    case copied(IncomingFile)
    /// It was compared with what is stored and with its source. It gets its name, or waits for it.
    case verified(VerifiedFile)
    /// It has its name, or will not get one.
    case done(Importer.Result)
  }

  /// What it is called until it has its name; nil when it is done.
  var partial: [UInt8]? {
    switch state {
    case .copied(let file): file.name
    case .verified(let file): file.name
    case .done: nil
    }
  }

  /// The hash of what was written; nil if nothing is verified.
  var digest: FileDigest? {
    switch state {
    case .copied(let file): file.digest
    case .verified(let file): file.digest
    case .done(let result): result.digest
    }
  }

  enum Goal: Sendable {
    case name(WantedName, Album)
    /// Where that file goes to which it belongs, which is not known yet.
    case beside(Int)
    /// Where its group goes, which is not known yet.
    case withGroup(Int)
  }
}
