// Deleting originals whose content the space has.
//
// Invariants
// 1. Only a regular file that is unchanged since it was verified is deleted, by its name in its open directory, right
//    after the comparison. Where inode numbers and times are not reliable, its content is read again first.
// 2. A file that a process has open for writing stays, where the file system can report that: later writes would be
//    lost.

internal import CPlatform
package import HostFiles
internal import System
package import SystemPackage

/// Deletes originals.
package struct OriginalDeletion {
  /// The outcome for one original.
  package enum Outcome: Hashable, Sendable {
    case deleted
    /// It does not exist any more.
    case gone
    /// It changed after it was verified, so it stays.
    case changed
    /// A process has it open for writing.
    case inUse
    /// The space does not have its content any more.
    case notInSpace
    case failed(CInt)
  }

  private let calls: FileCalls
  private let reading: SourceReading
  private let identifies: Bool

  /// Deletes through `calls`. `identifies` says whether inode numbers and times are trusted on file systems that keep
  /// them.
  package init(_ calls: FileCalls, identifies: Bool = true) {
    self.calls = calls
    self.identifies = identifies
    reading = SourceReading(calls)
  }

  /// Makes the decision to delete durable, and deletes the originals of a durable list, until `isCancelled` returns
  /// true; after the last one it removes the list. `verify` is for the list of another run: it reads the content of an
  /// original again, and returns its status if the space has that content.
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

  /// The status of an original if the space has its content, after both were read again; nil if not.
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

  /// Deletes an original if it is unchanged. `comparesContent`: whether to read it again where its status is not
  /// reliable.
  func delete(_ original: Original, comparesContent: Bool = true) -> Outcome {
    do throws(Errno) {
      let directory = try calls.openDirectory(original.directory)
      // FAT and FUSE file systems may reuse the inode number of a deleted file.
      let isStable =
        identifies && agonyfs_is_on_local_file_system(directory.number) && !agonyfs_is_fat(directory.number)
      // Kept open until the name is removed, so that no process opens the file for writing in between.
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
      // Checked last, so that this program does nothing between the comparison and the deletion.
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
