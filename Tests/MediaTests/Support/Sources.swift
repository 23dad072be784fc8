import Glibc
import Synchronization
import SystemPackage

@testable import Media

/// A file in memory. Counts what is read of it.
final class MemorySource: MediaSource {
  private let bytes: [UInt8]
  private let counter = Mutex((bytes: 0, reads: 0))
  let size: Int64

  /// - Parameter size: bytes in the file; behind those given, there are zeros.
  init(_ bytes: [UInt8], size: Int64? = nil) {
    self.bytes = bytes
    self.size = size ?? Int64(bytes.count)
  }

  /// Bytes that were read so far.
  var bytesRead: Int { counter.withLock { $0.bytes } }
  /// How often something was read so far.
  var reads: Int { counter.withLock { $0.reads } }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    let count = Int(min(Int64(buffer.count), max(0, size - offset)))
    let start = Int(min(offset, Int64(bytes.count)))
    let known = bytes[start..<min(bytes.count, start + count)]
    unsafe buffer.copyBytes(from: known)
    unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[known.count..<count]).initializeMemory(
      as: UInt8.self, repeating: 0)
    counter.withLock {
      $0.bytes += count
      $0.reads += 1
    }
    return count
  }
}

/// A file whose reading does something.
struct BehavingSource: MediaSource {
  var size: Int64
  /// Gives the bytes at an offset, at most so many.
  var behaviour: @Sendable (Int64, Int) throws(Errno) -> [UInt8]

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    let bytes = try behaviour(offset, buffer.count)
    unsafe buffer.copyBytes(from: bytes)
    return bytes.count
  }
}

extension Decoder {
  /// Both derivatives of some bytes.
  func derive(_ bytes: [UInt8]) throws(DecoderError) -> Derivatives {
    try derive([.small, .large], eagerly: false, from: MemorySource(bytes))
  }
}
