// Invariants
// 1. All bytes come from the medium and were read after the file was opened. The last stretch is kept for the next
//    reads, which follow it; so a reader is for one purpose, and must not be kept.

internal import Glibc
internal import System
internal import SystemPackage

/// A segment file that is read with direct I/O: from the medium, not from the host's page cache.
@safe final class UncachedFile: SegmentReader, @unchecked Sendable {
  /// Offsets, counts and addresses are multiples of this: the largest block of usual media.
  private static let alignment = 4096
  /// Bytes of one read. With an eighth of this size, a current disk reads at a third of its speed.
  private static let stretch = 1 << 20

  private let file: Descriptor
  /// Guards the following properties.
  private let lock = Lock()
  /// The last stretch that was read: `count` bytes from `start`.
  private let memory: UnsafeMutableRawBufferPointer
  private var start = 0
  private var count = 0
  /// Where reading will end, as far as that is known.
  private var end = 0

  /// Takes a descriptor that was opened with O_DIRECT.
  init(_ file: Descriptor) {
    self.file = file
    unsafe memory = .allocate(byteCount: Self.stretch, alignment: Self.alignment)
  }

  deinit { unsafe memory.deallocate() }

  func size() throws(Errno) -> Int { try SegmentFile(file).size() }

  func modified() throws(Errno) -> Int64 { try SegmentFile(file).modified() }

  func birth() throws(Errno) -> FileBirth { try SegmentFile(file).birth() }

  func expect(upTo offset: Int) {
    lock.withLock { end = offset }
  }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    lock.lock()
    defer { lock.unlock() }
    var done = 0
    while done < buffer.count {
      let place = offset + done
      if place < start || place >= start + count { try readStretch(with: place) }
      let usable = min(start + count - place, buffer.count - done)
      if usable <= 0 { break }
      let skipped = place - start
      unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...]).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: memory[skipped..<skipped + usable]))
      done += usable
    }
    return done
  }

  private func readStretch(with place: Int) throws(Errno) {
    count = 0
    start = place / Self.alignment * Self.alignment
    let expected = (end - start + Self.alignment - 1) / Self.alignment * Self.alignment
    let wanted = unsafe end > place ? min(memory.count, expected) : memory.count
    count = try systemCall { unsafe pread(file.number, memory.baseAddress, wanted, off_t(start)) }
  }
}
