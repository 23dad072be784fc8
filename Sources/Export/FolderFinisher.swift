internal import Glibc
internal import HostFiles
internal import System
internal import SystemPackage

/// A file that is written to the destination and has no name yet.
struct WrittenFile: Sendable {
  let number: Int
  let file: ExportFile
  let partial: [UInt8]
  let target: Descriptor
  /// The hash of the written bytes.
  let digest: FileDigest
  let album: Album
}

/// Makes written files durable, verifies and names them, while another thread writes the next ones.
struct FolderFinisher: Sendable {
  let calls: FileCalls
  let verifies: Bool

  func finish(_ written: WrittenFile) -> ExportOutcome {
    do throws(ExportFailure) {
      try verify(written)
      let path = try name(written.partial, written.file, in: written.album)
      return .exported(path: path, bytes: written.file.content.size)
    } catch {
      try? calls.unlink(written.partial, in: written.album.descriptor)
      return .failed(error)
    }
  }

  private func verify(_ written: WrittenFile) throws(ExportFailure) {
    let status = try ExportFailure.ofDestination { () throws(Errno) in
      try calls.flush(written.target)
      return try calls.status(of: written.target)
    }
    try written.file.check(written.digest, verifies: verifies)
    guard verifies else { return }
    let digest = try calls.writtenDigest(of: written.partial, in: written.album.descriptor, status)
    guard digest == written.digest else { throw .writtenDiffers }
  }

  private func name(_ partial: [UInt8], _ file: ExportFile, in album: Album) throws(ExportFailure) -> [UInt8] {
    for number in 1...(file.isNameFixed ? 1 : FreeNames.most) {
      let name = FreeNames.name(file.name, number: number)
      do throws(Errno) {
        try calls.moveIfAbsent(partial, to: name, in: album.descriptor)
        return album.path(of: name)
      } catch .fileExists {
        continue
      } catch {
        throw .ofNames([name], error)
      }
    }
    throw file.isNameFixed ? .nameTaken : .noName
  }
}

extension FileCalls {
  /// The hash of a file at the destination, read past the kernel's cache.
  func writtenDigest(
    of name: [UInt8], in directory: Descriptor, _ status: FileStatus
  ) throws(ExportFailure) -> FileDigest {
    do throws(RereadFailure) {
      return try UncachedReader(self).digest(of: name, in: directory, status, pastMemory: true)
    } catch {
      switch error {
      case .changed: throw .writtenDiffers
      case .system(let number): throw .destination(number.rawValue)
      }
    }
  }
}

extension ExportFailure {
  /// Interprets an error that a name may have caused, since file systems of Windows reject names with different errors.
  static func ofNames(_ names: [[UInt8]], _ error: Errno) -> ExportFailure {
    let unknown = Set("\"*:<>?\\|".utf8)
    let isOdd = names.contains { name in
      name.contains { unknown.contains($0) || $0 < 0x20 } || name.last == 0x20 || name.last == 0x2E
        || String(validating: name, as: UTF8.self) == nil
    }
    let isRefusal = [EINVAL, EPERM, EACCES, ENOENT].contains(error.rawValue)
    return isOdd && isRefusal || [EILSEQ, ENAMETOOLONG].contains(error.rawValue)
      ? .nameImpossible : .destination(error.rawValue)
  }
}
