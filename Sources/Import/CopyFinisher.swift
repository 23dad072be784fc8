internal import HostFiles
internal import System
internal import SystemPackage

/// A file that is in the space, but has no name yet.
package struct CopiedFile: Sendable {
  var entry: SourceEntry
  let status: FileStatus
  let partial: [UInt8]
  /// Nil for one that was verified and waits for its name.
  var file: Descriptor?
  /// The hash of what was written; nil if nothing is verified.
  let digest: FileDigest?
  /// What its bytes begin with.
  let beginning: UInt64
  /// Extended attributes that the space could not take.
  let missing: [[UInt8]]
  let goal: Goal

  enum Goal: Sendable {
    case name(WantedName, Album)
    /// Where that file goes to which it belongs, which is not known yet.
    case beside(Int)
    /// Where its group goes, which is not known yet.
    case withGroup(Int)
  }
}

/// Verifies what was copied, and gives it its name. Beside it, on another thread, the next files are copied.
struct CopyFinisher: Sendable {
  let calls: FileCalls
  let incoming: Descriptor

  /// Names a file that was verified, if its name is known, or deletes what failed; nil if it has to wait for its name.
  func finish(_ copied: CopiedFile, _ failure: ImportFailure?) -> Importer.Result? {
    do throws(ImportFailure) {
      if let failure { throw failure }
      guard case .name(let name, let album) = copied.goal else { return nil }
      return try self.name(copied, name, in: album)
    } catch {
      return failed(copied, error)
    }
  }

  /// The outcome of a file that cannot get a name.
  func failed(_ copied: CopiedFile, _ failure: ImportFailure) -> Importer.Result {
    try? calls.unlink(copied.partial, in: incoming)
    return (.failed(failure), nil, false)
  }

  /// Why what is stored is not what was written; nil if it is, or nothing is verified.
  func failureOfStorage(_ copied: CopiedFile) -> ImportFailure? {
    guard let digest = copied.digest else { return nil }
    do throws(Errno) {
      let file: Descriptor
      if let open = copied.file { file = open } else { file = try calls.openFile(copied.partial, in: incoming) }
      return try calls.digest(of: file) == digest ? nil : .storedDiffers
    } catch {
      return .space(.init(number: error.rawValue))
    }
  }

  /// Why the source does not give again what was written; nil if it does, or nothing is verified.
  func failureOfSource(_ copied: CopiedFile, _ reading: SourceReading) -> ImportFailure? {
    // Each byte of an archive was compared before it was unpacked.
    guard let digest = copied.digest, !copied.entry.isInArchive else { return nil }
    do throws(ImportFailure) {
      let again = try reading.digest(
        of: copied.entry.name, in: copied.entry.directory.descriptor, copied.status, pastMemory: true)
      return again == digest ? nil : .readsDiffer
    } catch {
      return error
    }
  }

  /// Gives a file that was verified the first free name.
  func name(_ copied: CopiedFile, _ wanted: WantedName, in album: Album) throws(ImportFailure) -> Importer.Result {
    for name in wanted.candidates {
      do throws(Errno) {
        try calls.rename(copied.partial, in: incoming, to: name, in: album.descriptor)
        // An original that has more than the space goes nowhere.
        let isVerified = copied.digest != nil && copied.missing.isEmpty
        return (.imported(path: album.path(of: name)), copied.digest, isVerified)
      } catch .fileExists {
        continue
      } catch {
        throw .space(.init(number: error.rawValue))
      }
    }
    throw .noName
  }
}

/// Files that are verified together, so that what they wrote is made durable once.
final class FinishBatch: Sendable {
  let files: [CopiedFile]
  private let work: SideWork<[Importer.Result?]>

  /// Begins; on other threads if `overlaps`.
  init(_ files: [CopiedFile], _ finisher: CopyFinisher, overlaps: Bool) {
    self.files = files
    work = SideWork<[Importer.Result?]>(isAside: overlaps) { Self.finish(files, finisher, overlaps) }
  }

  private static func finish(_ files: [CopiedFile], _ finisher: CopyFinisher, _ overlaps: Bool) -> [Importer.Result?] {
    guard overlaps else {
      let reading = SourceReading(finisher.calls)
      return files.map { finisher.finish($0, finisher.failureOfStorage($0) ?? finisher.failureOfSource($0, reading)) }
    }
    // The medium of the source and that of the vault are often two. The mount decrypts for one while it reads for another.
    let middle = files.count / 2
    let sources = SideWork<[ImportFailure?]> {
      let reading = SourceReading(finisher.calls)
      return files.map { finisher.failureOfSource($0, reading) }
    }
    let rest = SideWork<[ImportFailure?]> { files[middle...].map { finisher.failureOfStorage($0) } }
    let ofStorage = files[..<middle].map { finisher.failureOfStorage($0) } + (rest.wait() ?? [])
    let failures = sources.wait() ?? []
    return files.indices.map { finisher.finish(files[$0], ofStorage[$0] ?? failures[$0]) }
  }

  /// Waits for the end; gives the results in the order of the files, nil for those that wait for a name. To be called
  /// once.
  func wait() -> [Importer.Result?] { work.wait() ?? [] }
}
