// Copying a source into the space, and reading it again.
//
// Invariants
// 1. No more is read than the length that the source had when it was opened, so the copy of a growing file ends.
// 2. The hash is of the bytes that were written. The second reading bypasses the kernel's cache where the file system
//    allows it.

internal import Crypto
internal import Glibc
internal import HostFiles
internal import System
internal import SystemPackage

/// Reads sources. Use each instance on one thread.
struct SourceReading {
  /// The number of bytes whose hash distinguishes most files of the same length without reading all of them.
  private static let beginning = 64 << 10

  let calls: FileCalls
  private let memory: AlignedMemory
  /// Called with the number of bytes of each read.
  var progress: ((Int) -> Void)?

  init(_ calls: FileCalls) {
    self.calls = calls
    memory = AlignedMemory(calls.step)
  }

  /// Copies a file; holes stay holes. Returns the hash of the written bytes, if `hashes`, and that of the first ones.
  ///
  /// - Throws: `.source`, `.space`; `.changed` if it became shorter.
  func copy(
    _ source: Descriptor, _ status: FileStatus, to target: Descriptor, hashes: Bool
  ) throws(ImportFailure) -> (digest: FileDigest?, beginning: UInt64) {
    var hasher = ContentHasher()
    var beginning = ContentHasher()
    var end: Int64 = 0
    let block = unsafe memory.block
    var offset: Int64 = 0
    var dataStart: Int64? = 0
    while offset < status.size {
      let count = Int(min(Int64(calls.step), status.size - offset))
      let part = unsafe UnsafeMutableRawBufferPointer(rebasing: block[..<count])
      if let known = dataStart, known <= offset {
        dataStart = try ImportFailure.ofSource { () throws(Errno) in try calls.nextData(of: source, from: offset) }
      }
      if dataStart.map({ $0 >= offset + Int64(count) }) ?? true {
        if hashes || offset < Self.beginning { unsafe part.initializeMemory(as: UInt8.self, repeating: 0) }
      } else {
        let found = try ImportFailure.ofSource { () throws(Errno) in
          try unsafe calls.read(source, at: offset, into: part)
        }
        guard found == count else { throw .changed }
        try ImportFailure.ofSpace { () throws(Errno) in
          try unsafe calls.write(UnsafeRawBufferPointer(part), to: target, at: offset)
        }
        end = offset + Int64(count)
      }
      if hashes { unsafe hasher.update(UnsafeRawBufferPointer(part)) }
      if offset < Self.beginning {
        unsafe beginning.update(UnsafeRawBufferPointer(rebasing: part[..<min(count, Self.beginning - Int(offset))]))
      }
      offset += Int64(count)
      progress?(count)
    }
    if end < status.size {
      try ImportFailure.ofSpace { () throws(Errno) in try calls.truncate(target, to: status.size) }
    }
    let hash = hasher.finish()
    return (hashes ? FileDigest(size: status.size, hash: hash) : nil, Self.number(beginning.finish()))
  }

  /// The hash of a file; `pastMemory` bypasses the kernel's cache.
  ///
  /// - Throws: `.source`; `.changed` if its length changed.
  func digest(
    of name: [UInt8], in directory: Descriptor?, _ status: FileStatus, pastMemory: Bool
  ) throws(ImportFailure) -> FileDigest {
    do throws(RereadFailure) {
      return try UncachedReader(calls, memory: memory)
        .digest(of: name, in: directory, status, pastMemory: pastMemory, progress: progress)
    } catch {
      switch error {
      case .changed: throw .changed
      case .system(let number): throw .source(ImportFailure.ErrorNumber(number: number.rawValue))
      }
    }
  }

  /// A number that is the same for files that begin alike, and almost always differs otherwise.
  func beginning(of file: Descriptor) throws(Errno) -> UInt64 {
    Self.beginning(of: try calls.bytes(of: file, at: 0, count: Self.beginning))
  }

  /// That number for the first bytes of a file: at least `Self.beginning` of them, or the whole file.
  static func beginning(of bytes: [UInt8]) -> UInt64 {
    var hasher = ContentHasher()
    unsafe bytes.withUnsafeBytes { unsafe hasher.update(UnsafeRawBufferPointer(rebasing: $0.prefix(Self.beginning))) }
    return number(hasher.finish())
  }

  private static func number(_ hash: [UInt8]) -> UInt64 { hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
}

extension ImportFailure {
  static func ofSource<Result>(_ body: () throws(Errno) -> Result) throws(ImportFailure) -> Result {
    do throws(Errno) { return try body() } catch { throw .source(ErrorNumber(number: error.rawValue)) }
  }

  static func ofSpace<Result>(_ body: () throws(Errno) -> Result) throws(ImportFailure) -> Result {
    do throws(Errno) { return try body() } catch { throw .space(ErrorNumber(number: error.rawValue)) }
  }
}
