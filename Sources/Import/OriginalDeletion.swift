// Deleting originals whose content the space has.
//
// Invariants
// 1. Only a regular file that is unchanged since it was verified is deleted, by its name in its open directory, right
//    after it was compared. Where inode numbers and times say too little, its content is read again first.
// 2. What somebody has open for writing stays, where the file system can tell: what is written later would be lost.

internal import CPlatform
package import HostFiles
internal import System
package import SystemPackage

/// Deletes originals.
package struct OriginalDeletion {
  /// How it ended for one original.
  package enum Outcome: Hashable, Sendable {
    case deleted
    /// It is gone already.
    case gone
    /// It was changed since it was verified, so it stays.
    case changed
    /// Somebody has it open for writing.
    case inUse
    /// The space does not have its content any more.
    case notInSpace
    case failed(CInt)
  }

  private let calls: FileCalls
  private let reading: SourceReading
  private let identifies: Bool

  /// Deletes with some system calls. `identifies` is whether inode numbers and times may be trusted where the file system
  /// has such.
  package init(_ calls: FileCalls, identifies: Bool = true) {
    self.calls = calls
    self.identifies = identifies
    reading = SourceReading(calls)
  }

  /// Deletes the originals of a list, which is durable, until it is cancelled; then removes the list. `verify` reads the
  /// content of an original again, for a list of another run, and returns its status then if the space has it.
  package func deleteAll(
    of list: DeletionList, isCancelled: () -> Bool, verify: ((Original) -> FileStatus?)? = nil,
    _ note: (Original, Outcome) -> Void
  ) throws(Errno) {
    try list.begin()
    var isWhole = true
    try list.forEach { original in
      isWhole = !isCancelled()
      guard isWhole else { return false }
      if let verify {
        let isThere = (try? calls.status(of: original.path, in: nil)) != nil
        if isThere, let status = verify(original) {
          note(original, delete(original.verified(as: status), comparesContent: false))
        } else {
          note(original, isThere ? .notInSpace : .gone)
        }
      } else {
        note(original, delete(original))
      }
      return isWhole
    }
    if isWhole { try list.remove() }
  }

  /// The status of an original whose content a space has, when both were read again; nil if the space has it not.
  package func statusIfStored(_ original: Original, _ target: ImportTarget) -> FileStatus? {
    guard let directory = try? calls.openDirectory(original.directory),
      let status = try? calls.status(of: original.name, in: directory), status.kind == .file,
      status.size == original.size,
      let digest = try? reading.digest(of: original.name, in: directory, status, pastMemory: true)
    else { return nil }
    let paths = (try? target.files.paths(ofSizes: [status.size]))?[status.size] ?? []
    let isStored = paths.contains { path in
      guard let file = target.open(path, calls)?.file else { return false }
      return (try? calls.digest(of: file)) == digest
    }
    return isStored ? status : nil
  }

  /// Deletes an original, if it is what was verified. `comparesContent`: where its status says too little.
  func delete(_ original: Original, comparesContent: Bool = true) -> Outcome {
    do throws(Errno) {
      let directory = try calls.openDirectory(original.directory)
      // FAT and file systems of programs may give another file the number of one that went.
      let isStable =
        identifies && agonyfs_is_on_local_file_system(directory.number) && !agonyfs_is_fat(directory.number)
      // Open until the name is gone, so that nobody begins to write meanwhile.
      let file: Descriptor
      do throws(Errno) {
        file = try calls.openFile(original.name, in: directory)
      } catch .tooManySymbolicLinkLevels {
        return .changed
      }
      let status = try calls.status(of: file)
      guard original.isUnchanged(status, inodeCounts: isStable) else { return .changed }
      guard try calls.holdAgainstWriters(file) else { return .inUse }
      if !isStable, comparesContent {
        let digest: FileDigest
        do throws(ImportFailure) {
          digest = try reading.digest(of: original.name, in: directory, status, pastMemory: true)
        } catch {
          if case .source(let number) = error { return .failed(number.number) }
          return .changed
        }
        guard digest.hash == original.seen.content else { return .changed }
      }
      // The last comparison: nothing of this program comes between it and the deletion.
      guard original.isUnchanged(try calls.status(of: original.name, in: directory), inodeCounts: isStable) else {
        return .changed
      }
      try withExtendedLifetime(file) { () throws(Errno) in try calls.unlink(original.name, in: directory) }
      return .deleted
    } catch .noSuchFileOrDirectory {
      return .gone
    } catch {
      return .failed(error.rawValue)
    }
  }
}
