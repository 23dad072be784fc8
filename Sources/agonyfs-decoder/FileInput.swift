internal import CDecoder
internal import Glibc
internal import Media
internal import Synchronization

/// The file of a job. Only the pieces that a library asks for come over the socket. The last few are kept, because
/// libraries read headers more than once and in small steps.
final class FileInput: Sendable {
  private static let pieceBytes: Int64 = 256 << 10
  private static let mostPieces = 16

  private struct Piece {
    let offset: Int64
    let bytes: [UInt8]
  }

  let size: Int64
  /// Least recently used first. The lock is also held while the daemon is asked, so that requests and replies do not
  /// mix.
  private let pieces = Mutex<[Piece]>([])

  init(size: Int64) { self.size = size }

  /// A part of a file that a library took out.
  init(content: [UInt8]) {
    size = Int64(content.count)
    let pieces = stride(from: 0, to: content.count, by: Int(Self.pieceBytes)).map { start in
      Piece(
        offset: Int64(start), bytes: Array(content[start..<min(start + Int(Self.pieceBytes), content.count)]))
    }
    self.pieces.withLock { $0 = pieces }
  }

  /// At most `count` bytes, fewer at the end of the file; nil if it cannot be read.
  func bytes(at offset: Int64, count: Int) -> [UInt8]? {
    guard offset >= 0, count >= 0 else { return nil }
    var result = [UInt8](repeating: 0, count: Int(min(Int64(count), max(0, size - min(offset, size)))))
    let got = unsafe result.withUnsafeMutableBytes { unsafe read(at: offset, into: $0) }
    guard let got else { return nil }
    result.removeLast(result.count - got)
    return result
  }

  /// Fills a buffer as far as the file goes. Returns the number of bytes; nil if the file cannot be read.
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    guard offset >= 0 else { return nil }
    return pieces.withLock { pieces in
      var done = 0
      while done < buffer.count, offset < size - Int64(done) {
        let at = offset + Int64(done)
        guard let piece = Self.piece(holding: at, in: &pieces, size) else { return nil }
        let start = Int(at - piece.offset)
        let count = min(piece.bytes.count - start, buffer.count - done)
        if count <= 0 { break }
        unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done..<(done + count)])
          .copyBytes(from: piece.bytes[start..<(start + count)])
        done += count
      }
      return done
    }
  }

  private static func piece(holding at: Int64, in pieces: inout [Piece], _ size: Int64) -> Piece? {
    let offset = at / pieceBytes * pieceBytes
    if let index = pieces.lastIndex(where: { $0.offset == offset }) {
      if index != pieces.count - 1 { pieces.append(pieces.remove(at: index)) }
      return pieces.last
    }
    guard let bytes = Channel.piece(at: offset, count: Int(min(pieceBytes, size - offset))) else { return nil }
    if pieces.count == mostPieces { pieces.removeFirst() }
    pieces.append(Piece(offset: offset, bytes: bytes))
    return pieces.last
  }
}

/// A range of a file, as the C functions read it.
struct InputRange {
  let input: FileInput
  let start: Int64
  let count: Int64

  /// The whole file or a part of it, limited to the bytes that the file has.
  init(_ input: FileInput, start: Int64 = 0, count: Int64 = .max) {
    self.input = input
    self.start = min(max(0, start), input.size)
    self.count = min(max(0, count), input.size - self.start)
  }

  /// Calls a C function with an input that is valid only during the call.
  func withInput<T>(_ body: (UnsafeMutablePointer<agonyfs_input>) -> T) -> T {
    withExtendedLifetime(input) {
      unsafe withUnsafePointer(to: self) { range in
        var description = unsafe agonyfs_input(
          context: UnsafeMutableRawPointer(mutating: range), size: count,
          read: { context, offset, buffer, count in
            guard let range = unsafe context?.assumingMemoryBound(to: InputRange.self).pointee else { return -1 }
            guard offset >= 0, offset < range.count, count > 0 else { return 0 }
            let wanted = Int(min(count, range.count - offset))
            let buffer = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: wanted)
            return unsafe range.input.read(at: range.start + offset, into: buffer).map(Int64.init) ?? -1
          }, position: 0)
        return unsafe body(&description)
      }
    }
  }
}
