internal import HostFiles
internal import System
internal import SystemPackage

/// Copies one source into a partial file of the space, on any thread.
struct CopyJob: Sendable {
  let finisher: CopyFinisher
  let incoming: Descriptor
  let entry: SourceEntry
  let goal: CopiedFile.Goal
  /// The name of the partial file.
  let partial: [UInt8]
  /// Whether the copy is verified or compared later, and so needs a hash.
  let isHashed: Bool

  var calls: FileCalls { finisher.calls }

  /// Copies the source.
  ///
  /// - Throws: `.source`, `.space`; `.changed` if the source changed. The partial file is removed then.
  func run(_ reading: SourceReading) throws(ImportFailure) -> CopiedFile {
    let source = try ImportFailure.ofSource { () throws(Errno) in
      try calls.openFile(entry.name, in: entry.directory.descriptor)
    }
    let status = try ImportFailure.ofSource { () throws(Errno) in try calls.status(of: source) }
    guard status.isUnchanged(since: entry.status) else { throw .changed }
    let permissions = status.permissions & 0o666 | 0o600
    let file = try ImportFailure.ofSpace { () throws(Errno) in
      try calls.create(partial, in: incoming, permissions: permissions)
    }
    do throws(ImportFailure) {
      // Undoes the umask of this process. The file is empty here, so asking costs nothing.
      try ImportFailure.ofSpace { () throws(Errno) in
        if try calls.status(of: file).permissions != permissions { try calls.set(permissions: permissions, of: file) }
      }
      let (digest, beginning) = try reading.copy(source, status, to: file, hashes: isHashed)
      let missing = try ImportFailure.ofSpace { () throws(Errno) in
        let missing = try calls.copyAttributes(from: source, to: file)
        try calls.setTimes(of: status, file)
        return missing
      }
      let after = try ImportFailure.ofSource { () throws(Errno) in try calls.status(of: source) }
      guard after.isUnchanged(since: status) else { throw .changed }
      return CopiedFile(
        entry: entry, status: status, state: .copied(IncomingFile(partial, file, digest: digest)),
        beginning: beginning, missing: missing, goal: goal)
    } catch {
      finisher.remove(partial)
      throw error
    }
  }

  /// Copies the source, and returns the copy or the failure.
  func outcome(_ reading: SourceReading) -> Result<CopiedFile, ImportFailure> {
    do throws(ImportFailure) { return .success(try run(reading)) } catch { return .failure(error) }
  }
}

/// A copy that runs on another thread.
struct CopyUnderway {
  let job: CopyJob
  private let work: SideWork<Result<CopiedFile, ImportFailure>>

  init(_ job: CopyJob) {
    self.job = job
    work = SideWork<Result<CopiedFile, ImportFailure>> { job.outcome(SourceReading(job.calls)) }
  }

  /// Waits for the end. Call it once.
  func wait() -> Result<CopiedFile, ImportFailure> { work.wait() ?? .failure(.interrupted) }
}
