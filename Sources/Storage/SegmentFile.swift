internal import CPlatform
internal import Glibc
internal import Synchronization
internal import System
internal import SystemPackage

/// An open segment file of a directory.
final class SegmentFile: SegmentWriter {
  private let file: Descriptor
  /// The place of the file; nil if it is only read.
  private let place: SegmentPlace?
  private let finished = Atomic(false)
  /// Where the last started write will end, and where the last successful one ended; 0 before the first.
  private let begun = Atomic(0)
  private let written = Atomic(0)

  init(_ file: Descriptor, at place: SegmentPlace? = nil) {
    self.file = file
    self.place = place
  }

  func size() throws(Errno) -> Int { Int(try file.status().st_size) }

  func modified() throws(Errno) -> Int64 { Int64(try file.status().st_mtim.tv_sec) }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    DiskAccess.assertAllowed()
    var done = 0
    while done < buffer.count {
      let count = try systemCall {
        unsafe pread(
          file.number, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done, off_t(offset + done))
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  func birth() throws(Errno) -> FileBirth {
    var birth = FileBirth(seconds: 0, nanoseconds: 0)
    try systemCall { unsafe agonyfs_file_birth(file.number, &birth.seconds, &birth.nanoseconds) }
    return birth
  }

  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(Errno) {
    DiskAccess.assertAllowed()
    if let place, begun.load(ordering: .relaxed) > 0 {
      let least = written.load(ordering: .acquiring)
      try place.checkHeld(file, sizes: least...begun.load(ordering: .acquiring))
    }
    begun.max(offset + buffer.count, ordering: .releasing)
    var done = 0
    while done < buffer.count {
      let count = try systemCall {
        unsafe pwrite(
          file.number, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done, off_t(offset + done))
      }
      if count == 0 { throw .ioError }
      done += count
    }
    written.max(offset + buffer.count, ordering: .releasing)
  }

  func hold(upTo size: Int) throws(Errno) {
    // XFS requires free room for the whole file, even if the file already has all of it.
    if try size <= Int(file.status().st_blocks) * 512 { return }
    try systemCall { agonyfs_allocate(file.number, off_t(size), true) }
  }

  func releaseHold() throws(Errno) {
    // Truncating a file to its own size frees the blocks beyond it.
    let size = try size()
    try systemCall { ftruncate(file.number, off_t(size)) }
  }

  func startFlush(from offset: Int, count: Int) {
    DiskAccess.assertAllowed()
    agonyfs_start_flush(file.number, off_t(offset), off_t(count))
  }

  func flush() throws(Errno) {
    DiskAccess.assertAllowed()
    // The modification time of a complete file must be durable too, and fdatasync may omit it.
    let isFinished = finished.load(ordering: .acquiring)
    let least = written.load(ordering: .acquiring)
    try systemCall { isFinished ? fsync(file.number) : fdatasync(file.number) }
    try place?.checkName(file, least: least) { self.begun.load(ordering: .acquiring) }
  }

  func finish() throws(Errno) {
    try releaseHold()
    try VaultFile.setTimes(of: file)
    finished.store(true, ordering: .releasing)
  }
}
