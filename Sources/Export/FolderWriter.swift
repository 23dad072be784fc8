// A folder as a destination.
//
// Invariants
// 1. A file gets its visible name last, and the name replaces nothing. The file is then complete and, unless
//    verification was switched off, read back past the kernel's cache and compared with the written bytes.
// 2. A file that failed leaves nothing behind.

internal import CPlatform
internal import Glibc
package import HostFiles
package import System
internal import SystemPackage

/// Writes files into a folder.
package final class FolderWriter: ExportWriter {
  private let calls: FileCalls
  private let root: Descriptor
  private let verifies: Bool
  private let copy: ContentCopy
  private var albums: AlbumOpener
  private var number = 0
  /// The prefix of this run's partial files.
  private let prefix: [UInt8]
  private let finisher: FolderFinisher
  /// Written files that wait to be finished.
  private var written: [WrittenFile] = []
  /// The files being finished, and the outcomes of finished ones.
  private var batch: SideWork<Outcomes>?
  private var results: Outcomes = []
  private typealias Outcomes = [(number: Int, outcome: ExportOutcome)]
  package private(set) var withoutAttributes = 0

  /// The limits of a batch that is finished together, in files and bytes. A single file may be larger.
  private static let most = (files: 32, bytes: Int64(32 << 20))
  /// Errors after which nothing can be written any more.
  private static let lasting: Set<CInt> = [ENOSPC, EDQUOT, EROFS, ENODEV, ENXIO, EIO, ESTALE, ENOTCONN]

  /// A writer into an open directory.
  package init(_ calls: FileCalls, root: Descriptor, verifies: Bool) {
    self.calls = calls
    self.root = root
    self.verifies = verifies
    copy = ContentCopy(step: calls.step)
    finisher = FolderFinisher(calls: calls, verifies: verifies)
    albums = AlbumOpener(calls, in: root, makes: true)
    let name = (0..<8).map { _ in UInt8.random(in: .min ... .max) }
    prefix = Array(".agonyfs-export-".utf8) + Hexadecimal.digits(of: name) + [0x2D]
  }

  package func isBroken(by failure: ExportFailure) -> Bool {
    if case .destination(let error) = failure { Self.lasting.contains(error) } else { false }
  }

  package func abandon() {
    // Named files are complete and stay, so they are made durable.
    try? finish()
  }

  package func finish() throws(ExportFailure) {
    _ = try ExportFailure.ofDestination { () throws(Errno) in
      try systemCall { agonyfs_flush_file_system(root.number) }
    }
  }

  package func add(folder: [[UInt8]]) throws(ExportFailure) {
    _ = try album(folder)
  }

  private func album(_ folder: [[UInt8]]) throws(ExportFailure) -> Album {
    do throws(Errno) {
      guard let album = try albums.open(folder) else { throw Errno.noSuchFileOrDirectory }
      return album
    } catch {
      throw .ofNames(folder, error)
    }
  }

  package func add(_ file: ExportFile) throws(ExportFailure) -> ExportStep {
    let album = try album(file.folder)
    if let known = try known(file, in: album) { return .ended(known) }
    number += 1
    let partial = prefix + Array(String(number).utf8)
    let target = try ExportFailure.ofDestination { () throws(Errno) in
      try calls.create(partial, in: album.descriptor)
    }
    do throws(ExportFailure) {
      let digest = try write(file, to: target)
      written.append(
        WrittenFile(number: number, file: file, partial: partial, target: target, digest: digest, album: album))
    } catch {
      try? calls.unlink(partial, in: album.descriptor)
      throw error
    }
    let bytes = written.reduce(0) { $0 + $1.file.content.size }
    if written.count >= Self.most.files || bytes >= Self.most.bytes { finishWritten() }
    return .underway(number)
  }

  /// Starts to finish the written files, after the previous batch is done.
  private func finishWritten() {
    results += batch?.wait() ?? []
    let (files, finisher) = (written, finisher)
    batch =
      files.isEmpty ? nil : SideWork<Outcomes> { files.map { (number: $0.number, outcome: finisher.finish($0)) } }
    written = []
  }

  package func outcomes(waits: Bool) -> [(number: Int, outcome: ExportOutcome)] {
    if waits {
      finishWritten()
      finishWritten()
    }
    defer { results = [] }
    return results
  }

  private func write(_ file: ExportFile, to target: Descriptor) throws(ExportFailure) -> FileDigest {
    var end: Int64 = 0
    let result = try unsafe copy.run(file.content) { (bytes, offset, isHole) throws(ExportFailure) in
      if isHole { return }
      try ExportFailure.ofDestination { () throws(Errno) in try unsafe calls.write(bytes, to: target, at: offset) }
      end = offset + Int64(bytes.count)
    }
    let isLess = try ExportFailure.ofDestination { () throws(Errno) in
      if end < file.content.size { try calls.truncate(target, to: file.content.size) }
      let missing = try calls.set(attributes: file.attributes, of: target)
      let hasTimes = try calls.set(
        permissions: file.permissions, accessed: file.accessed, modified: file.modified, of: target)
      return !missing.isEmpty || !hasTimes
    }
    if isLess { withoutAttributes += 1 }
    return result.digest
  }

  /// The outcome if the destination has the content already, under the name or under it with a number; nil otherwise.
  private func known(_ file: ExportFile, in album: Album) throws(ExportFailure) -> ExportOutcome? {
    var own: FileDigest?
    for number in 1...FreeNames.most {
      let name = FreeNames.name(file.name, number: number)
      let taken = try ExportFailure.ofDestination { () throws(Errno) in
        try calls.statusIfTaken(name, in: album.descriptor)
      }
      guard let status = taken else { return nil }
      guard status.kind == .file, status.size == file.content.size else { continue }
      let digest: FileDigest
      if let own {
        digest = own
      } else {
        digest = try unsafe copy.run(file.content) { (_, _, _) throws(ExportFailure) in }.digest
        try file.check(digest, verifies: verifies)
        own = digest
      }
      if try calls.writtenDigest(of: name, in: album.descriptor, status) == digest {
        return .known(path: album.path(of: name))
      }
    }
    return nil
  }
}
