internal import CDecoder
internal import Glibc
internal import Media
internal import Synchronization

/// The file of a job. The daemon sends the beginning with the job, and other pieces on request. The last pieces are
/// cached, because libraries read headers repeatedly in small steps, and then the picture after the header.
final class FileInput: Sendable {
  private static let pieceBytes = Int64(WireMessage.stepBytes)
  /// The size of the cache in pieces: 16 MiB. Most photos fit, so they are read only once.
  private static let mostPieces = 64
  /// The maximum number of pieces in a request.
  private static let mostAtOnce = Int64(WireMessage.mostReadBytes) / pieceBytes

  private struct Piece {
    let offset: Int64
    let bytes: [UInt8]
  }

  let size: Int64
  private let readsAhead: Bool
  /// The cache, least recently used piece first. The lock is held during requests to the daemon as well, so that
  /// requests and replies of several threads do not mix.
  private let pieces = Mutex<[Piece]>([])

  /// A file without its first bytes, such as an archive. Nothing is read ahead, because the daemon counts the bytes
  /// that it sends for each entry.
  init(size: Int64) {
    self.size = size
    readsAhead = false
  }

  /// A file with its first bytes. They are fewer than usual if the daemon could not read all of them.
  init(size: Int64, beginning: [UInt8]) {
    self.size = size
    readsAhead = true
    let known = beginning.prefix(Int(min(size, Int64(beginning.count))))
    let pieces = Self.pieces(of: Array(known), at: 0).filter { piece in
      let count = Int64(piece.bytes.count)
      return count == Self.pieceBytes || count > 0 && piece.offset + count == size
    }
    self.pieces.withLock { $0 = pieces }
  }

  /// A part that a library extracted from a file.
  init(content: [UInt8]) {
    size = Int64(content.count)
    readsAhead = false
    let pieces = Self.pieces(of: content, at: 0)
    self.pieces.withLock { $0 = pieces }
  }

  /// Reads at most `count` bytes, fewer at the end of the file; nil if the file cannot be read.
  func bytes(at offset: Int64, count: Int) -> [UInt8]? {
    guard offset >= 0, count >= 0 else { return nil }
    var result = [UInt8](repeating: 0, count: Int(min(Int64(count), max(0, size - min(offset, size)))))
    let got = unsafe result.withUnsafeMutableBytes { unsafe read(at: offset, into: $0) }
    guard let got else { return nil }
    result.removeLast(result.count - got)
    return result
  }

  /// Fills a buffer up to the end of the file. Returns the number of bytes; nil if the file cannot be read.
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    guard offset >= 0 else { return nil }
    return pieces.withLock { pieces in
      var done = 0
      while done < buffer.count, offset < size - Int64(done) {
        let at = offset + Int64(done)
        guard let piece = piece(holding: at, in: &pieces) else { return nil }
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

  private func piece(holding at: Int64, in pieces: inout [Piece]) -> Piece? {
    let offset = at / Self.pieceBytes * Self.pieceBytes
    if let index = pieces.lastIndex(where: { $0.offset == offset }) {
      if index != pieces.count - 1 { pieces.append(pieces.remove(at: index)) }
      return pieces.last
    }
    let wanted = readsAhead ? Self.wantedBytes(at: offset, without: pieces) : Self.pieceBytes
    guard let bytes = Channel.piece(at: offset, count: Int(min(wanted, size - offset))) else { return nil }
    let new = Self.pieces(of: bytes, at: offset)
    pieces.removeFirst(min(pieces.count, max(0, pieces.count + new.count - Self.mostPieces)))
    // The requested piece comes last, as the most recently used.
    pieces += new.reversed()
    return pieces.last
  }

  /// The number of bytes to request at `offset`: one piece, and another for each cached piece right before it, so that
  /// sequential reads need few requests. The range ends before the next cached piece.
  private static func wantedBytes(at offset: Int64, without pieces: [Piece]) -> Int64 {
    func isThere(_ distance: Int64) -> Bool { pieces.contains { $0.offset == offset + distance * pieceBytes } }
    var most: Int64 = 1
    while most < mostAtOnce, isThere(-most) { most += 1 }
    var count: Int64 = 1
    while count < most, !isThere(count) { count += 1 }
    return count * pieceBytes
  }

  /// Cuts bytes into pieces. An empty piece marks the end of the file.
  private static func pieces(of bytes: [UInt8], at offset: Int64) -> [Piece] {
    if bytes.isEmpty { return [Piece(offset: offset, bytes: [])] }
    return stride(from: 0, to: bytes.count, by: Int(pieceBytes)).map { start in
      Piece(offset: offset + Int64(start), bytes: Array(bytes[start..<min(start + Int(pieceBytes), bytes.count)]))
    }
  }
}

/// A range of a file for the C functions.
struct InputRange {
  let input: FileInput
  let start: Int64
  let count: Int64

  /// The whole file or a part, limited to the size of the file.
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
