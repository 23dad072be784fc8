internal import CZlib
internal import Crypto
internal import Glibc
internal import HostFiles
internal import System
internal import SystemPackage

/// Reads a content from its start to its end.
struct ContentCopy {
  struct Result {
    var digest: FileDigest
    /// The CRC-32 of the content.
    var checksum: UInt32
  }

  /// The number of bytes in each read.
  let step: Int

  /// Passes all bytes to `take`, in order; `isHole` marks those that the source knows to be zeros.
  ///
  /// - Throws: `.source`; `.changed` if the content is shorter than its size; errors of `take`.
  func run(
    _ content: any ContentReader, checks: Bool = false,
    _ take: (_ bytes: UnsafeRawBufferPointer, _ offset: Int64, _ isHole: Bool) throws(ExportFailure) -> Void
  ) throws(ExportFailure) -> Result {
    var hasher = ContentHasher()
    var checksum: UInt = 0
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: step, alignment: FileCalls.alignment)
    defer { unsafe block.deallocate() }
    var offset: Int64 = 0
    var dataStart: Int64? = 0
    while offset < content.size {
      let count = Int(min(Int64(step), content.size - offset))
      let part = unsafe UnsafeMutableRawBufferPointer(rebasing: block[..<count])
      if let known = dataStart, known <= offset {
        dataStart = try ExportFailure.ofSource { () throws(Errno) in try content.nextData(from: offset) }
      }
      let isHole = dataStart.map { $0 >= offset + Int64(count) } ?? true
      if isHole {
        unsafe part.initializeMemory(as: UInt8.self, repeating: 0)
      } else {
        let found = try ExportFailure.ofSource { () throws(Errno) in try unsafe content.read(at: offset, into: part) }
        guard found == count else { throw .changed }
      }
      unsafe hasher.update(UnsafeRawBufferPointer(part))
      if checks { checksum = unsafe crc32_z(checksum, part.bindMemory(to: UInt8.self).baseAddress, part.count) }
      try unsafe take(UnsafeRawBufferPointer(part), offset, isHole)
      offset += Int64(count)
    }
    return Result(
      digest: FileDigest(size: content.size, hash: hasher.finish()), checksum: UInt32(truncatingIfNeeded: checksum))
  }
}

extension ExportFailure {
  static func ofSource<Result>(_ body: () throws(Errno) -> Result) throws(ExportFailure) -> Result {
    do throws(Errno) { return try body() } catch { throw .source(error.rawValue) }
  }

  static func ofDestination<Result>(_ body: () throws(Errno) -> Result) throws(ExportFailure) -> Result {
    do throws(Errno) { return try body() } catch { throw .destination(error.rawValue) }
  }
}
