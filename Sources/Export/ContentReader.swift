// The sources of exported bytes.

internal import Glibc
package import HostFiles
internal import System
package import SystemPackage

/// Content with random access.
package protocol ContentReader: Sendable {
  /// The size in bytes.
  var size: Int64 { get }

  /// Reads at an offset until the buffer is full or the content ends; returns the number of bytes.
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int

  /// The start of the next data at or after an offset; nil if only a hole follows.
  func nextData(from offset: Int64) throws(Errno) -> Int64?
}

extension ContentReader {
  /// If holes are unknown, everything counts as data.
  package func nextData(from offset: Int64) throws(Errno) -> Int64? { offset }
}

/// A file of a space that is open for reading.
package protocol ExportedFile: ContentReader {
  /// The status when it was opened.
  var status: FileStatus { get }

  /// The current status.
  func currentStatus() throws(Errno) -> FileStatus

  /// The extended attributes that any user may set.
  func attributes() throws(Errno) -> [(name: [UInt8], value: [UInt8])]

  /// The hash of the bytes that the vault's storage has for it.
  func storedDigest() throws(Errno) -> FileDigest
}

extension ExportedFile {
  package var size: Int64 { status.size }
}

/// The files of a space. Paths are relative to its root, without a slash at either end; empty for the root.
package protocol ExportSpace: AnyObject {
  /// The status of a path, without following symbolic links.
  func status(of path: [UInt8]) throws(Errno) -> FileStatus
  /// The names in a directory, in any order.
  func names(in path: [UInt8]) throws(Errno) -> [[UInt8]]
  /// Opens a regular file.
  func open(_ path: [UInt8]) throws(Errno) -> any ExportedFile
}

/// Content in memory.
package struct MemoryContent: ContentReader {
  package let bytes: [UInt8]

  /// The content of these bytes.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package var size: Int64 { Int64(bytes.count) }

  package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    guard offset < size else { return 0 }
    let part = bytes[Int(offset)..<min(bytes.count, Int(offset) + buffer.count)]
    unsafe buffer.copyBytes(from: part)
    return part.count
  }
}

/// Content composed of parts of another content, bytes and zeros.
package struct ComposedContent: ContentReader {
  /// A part.
  package enum Piece: Hashable, Sendable {
    case range(Range<Int64>)
    case bytes([UInt8])
    case zeros(Int64)

    var count: Int64 {
      switch self {
      case .range(let range): Int64(range.count)
      case .bytes(let bytes): Int64(bytes.count)
      case .zeros(let count): count
      }
    }
  }

  private let base: any ContentReader
  private let pieces: [Piece]
  /// The offset of each part.
  private let starts: [Int64]
  package let size: Int64

  /// Composes parts in this order. Ranges must lie within the base.
  package init(_ base: any ContentReader, _ pieces: [Piece]) {
    self.base = base
    self.pieces = pieces.filter { $0.count > 0 }
    var end: Int64 = 0
    starts = self.pieces.map { piece in
      defer { end += piece.count }
      return end
    }
    size = end
  }

  package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    guard offset >= 0, offset < size else { return 0 }
    var index = (starts.prefixCount { $0 <= offset }) - 1
    var done = 0
    while done < buffer.count, index < pieces.count {
      let inside = offset + Int64(done) - starts[index]
      let count = Int(min(pieces[index].count - inside, Int64(buffer.count - done)))
      let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done..<(done + count)])
      switch pieces[index] {
      case .zeros: unsafe part.initializeMemory(as: UInt8.self, repeating: 0)
      case .bytes(let bytes): unsafe part.copyBytes(from: bytes[Int(inside)..<(Int(inside) + count)])
      case .range(let range):
        // The base became shorter.
        guard try unsafe base.read(at: range.lowerBound + inside, into: part) == count else { throw .ioError }
      }
      done += count
      index += 1
    }
    return done
  }
}
