internal import HostFiles
internal import System
internal import SystemPackage

/// Verifies copied files and names them, while another thread copies the next ones.
struct CopyFinisher: Sendable {
  let calls: FileCalls
  let placement: VerifiedPlacement

  /// Names a verified file, or removes it if something failed; its state is then done. A file whose name is not known
  /// yet stays verified.
  func finish(
    _ copied: CopiedFile, _ stored: Result<VerifiedFile, ImportFailure>, _ ofSource: ImportFailure?
  ) -> CopiedFile {
    var file = copied
    do throws(ImportFailure) {
      switch stored {
      case .failure(let failure): throw failure
      case .success(let verified):
        if let ofSource { throw ofSource }
        file.state = .verified(verified)
      }
      guard case .name(let name, let album) = file.goal else { return file }
      let result = try self.name(file, name, in: album)
      file.state = .done(result)
    } catch {
      file.state = .done(failed(file, error))
    }
    return file
  }

  /// Removes a file that cannot be named, and returns its outcome.
  func failed(_ copied: CopiedFile, _ failure: ImportFailure) -> Importer.Result {
    remove(copied)
    return (.failed(failure), nil, false)
  }

  /// Removes a partial file. One that cannot be removed, or that a crash leaves, is deleted after a week.
  func remove(_ partial: [UInt8]) { try? placement.remove(partial) }

  /// Removes a copied file that is not done.
  func remove(_ copied: CopiedFile) {
    if let partial = copied.partial { remove(partial) }
  }

  /// Compares the stored bytes of a file with the hash of the written ones.
  func stored(_ copied: CopiedFile) -> Result<VerifiedFile, ImportFailure> {
    switch copied.state {
    case .verified(let file): return .success(file)
    case .done: preconditionFailure("a file is verified once")
    case .copied(let file):
      do throws(VerificationFailure) {
        return .success(try placement.verify(file))
      } catch {
        switch error {
        case .differs: return .failure(.storedDiffers)
        case .system(let number): return .failure(.space(.init(number: number.rawValue)))
        }
      }
    }
  }

  /// Reads the source again; returns why it differs from the written bytes, or nil if it does not or nothing is
  /// verified.
  func failureOfSource(_ copied: CopiedFile, _ reading: SourceReading) -> ImportFailure? {
    // `ArchiveFile` compared each byte before it was unpacked.
    guard let digest = copied.digest, !copied.entry.isInArchive else { return nil }
    do throws(ImportFailure) {
      let again = try reading.digest(
        of: copied.entry.name, in: copied.entry.directory.descriptor, copied.status, pastMemory: true)
      return again == digest ? nil : .readsDiffer
    } catch {
      return error
    }
  }

  /// Gives a verified file the first free name.
  func name(_ copied: CopiedFile, _ wanted: WantedName, in album: Album) throws(ImportFailure) -> Importer.Result {
    guard case .verified(let file) = copied.state else { preconditionFailure("only a verified file gets a name") }
    for name in wanted.candidates {
      let hasName = try ImportFailure.ofSpace { () throws(Errno) in
        try placement.place(file, as: name, in: album.descriptor)
      }
      guard hasName else { continue }
      // If the space could not store all attributes, the original is kept.
      let isVerified = file.digest != nil && copied.missing.isEmpty
      return (.imported(path: album.path(of: name)), file.digest, isVerified)
    }
    throw .noName
  }
}

/// Files that are verified together, so that their data is flushed once.
final class FinishBatch: Sendable {
  let files: [CopiedFile]
  private let work: SideWork<[CopiedFile]>

  /// Starts the verification, on other threads if `overlaps`.
  init(_ files: [CopiedFile], _ finisher: CopyFinisher, overlaps: Bool) {
    self.files = files
    work = SideWork<[CopiedFile]>(isAside: overlaps) { Self.finish(files, finisher, overlaps) }
  }

  private static func finish(_ files: [CopiedFile], _ finisher: CopyFinisher, _ overlaps: Bool) -> [CopiedFile] {
    guard overlaps else {
      let reading = SourceReading(finisher.calls)
      return files.map { file in
        let stored = finisher.stored(file)
        guard case .success = stored else { return finisher.finish(file, stored, nil) }
        return finisher.finish(file, stored, finisher.failureOfSource(file, reading))
      }
    }
    // Source and vault are often on two media, so both are read at once. The mount decrypts one half of the stored
    // files while it reads the other.
    let middle = files.count / 2
    let sources = SideWork<[ImportFailure?]> {
      let reading = SourceReading(finisher.calls)
      return files.map { finisher.failureOfSource($0, reading) }
    }
    let rest = SideWork<[Result<VerifiedFile, ImportFailure>]> { files[middle...].map { finisher.stored($0) } }
    let stored = files[..<middle].map { finisher.stored($0) } + (rest.wait() ?? [])
    let failures = sources.wait() ?? []
    return files.indices.map { finisher.finish(files[$0], stored[$0], failures[$0]) }
  }

  /// Waits for the end; returns the files in their order, verified or done. Call it once.
  func wait() -> [CopiedFile] { work.wait() ?? [] }
}
