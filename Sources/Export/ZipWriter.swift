// A zip archive as a destination: one stream without compression, with ZIP64 where needed.
//
// Invariants
// 1. A content is read twice: first for its CRC and hash, then to be written. So the header before the data is
//    complete, and a file that cannot be read, or that differs from the stored one, is not in the archive at all.
// 2. Memory grows only by the data for the central directory (ZipDirectory.swift).
// 3. No two files have names that a file system may treat as the same: names that differ only in case or normalization.

internal import Glibc
internal import HostFiles
internal import System
internal import SystemPackage

/// Writes files into an archive.
package final class ZipWriter: ExportWriter {
  private let output: any ZipOutput
  private let verifies: Bool
  private let copy: ContentCopy
  private var position: UInt64 = 0
  private var directory = ZipDirectory()
  private var names = ZipNames()
  private var folders: Set<[UInt8]> = []
  private var isBroken = false
  package let withoutAttributes = 0

  /// A writer to an output. `step` is the number of bytes in each read.
  package init(to output: any ZipOutput, verifies: Bool, step: Int = 1 << 20) {
    self.output = output
    self.verifies = verifies
    copy = ContentCopy(step: step)
  }

  package func isBroken(by failure: ExportFailure) -> Bool { isBroken }
  package func abandon() { output.abandon() }

  package func add(folder: [[UInt8]]) throws(ExportFailure) {
    let path = Array(folder.joined(separator: [0x2F])) + [0x2F]
    guard path.count <= UInt16.max else { throw .destination(ENAMETOOLONG) }
    guard folders.insert(path).inserted else { return }
    var record = ZipRecord(path: path, mode: S_IFDIR | 0o755, modified: Int64(time(nil)))
    try begin(&record)
    directory.append(record)
  }

  package func outcomes(waits: Bool) -> [(number: Int, outcome: ExportOutcome)] { [] }

  package func add(_ file: ExportFile) throws(ExportFailure) -> ExportStep {
    let path = try freePath(of: file)
    guard path.count <= UInt16.max else { throw .destination(ENAMETOOLONG) }
    let first = try unsafe copy.run(file.content, checks: true) { (_, _, _) throws(ExportFailure) in }
    try file.check(first.digest, verifies: verifies)
    _ = names.insert(path)
    var record = ZipRecord(
      path: path, mode: S_IFREG | file.permissions, modified: file.modified?.seconds ?? Int64(time(nil)))
    record.size = UInt64(first.digest.size)
    record.checksum = first.checksum
    try begin(&record)
    do throws(ExportFailure) {
      let second = try unsafe copy.run(file.content) { (bytes, _, isHole) throws(ExportFailure) in
        try unsafe output.write(bytes, isHole: isHole)
      }
      guard second.digest == first.digest else { throw .changed }
    } catch {
      isBroken = true
      throw error
    }
    position += record.size
    directory.append(record)
    return .ended(.exported(path: path, bytes: first.digest.size))
  }

  private func freePath(of file: ExportFile) throws(ExportFailure) -> [UInt8] {
    let folder = file.folder.reduce(into: [UInt8]()) { $0 += $1 + [0x2F] }
    let path = folder + file.name
    if file.isNameFixed {
      if names.contains(path) { throw .nameTaken }
      return path
    }
    return names.free(path) { folder + FreeNames.name(file.name, number: $0) }
  }

  private func begin(_ record: inout ZipRecord) throws(ExportFailure) {
    record.offset = position
    try write(record.localHeader)
  }

  private func write(_ bytes: [UInt8]) throws(ExportFailure) {
    do throws(ExportFailure) {
      try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(ExportFailure) in
        try unsafe output.write(bytes, isHole: false)
      }
    } catch {
      isBroken = true
      throw error
    }
    position += UInt64(bytes.count)
  }

  package func finish() throws(ExportFailure) {
    let start = position
    try directory.drain { (headers) throws(ExportFailure) in try write(headers) }
    try write(ZipRecord.end(count: directory.count, start: start, size: position - start))
    try output.finish()
  }
}
