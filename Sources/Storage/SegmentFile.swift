internal import CPlatform
internal import Glibc
internal import Synchronization
internal import System
internal import SystemPackage

/// An open segment file of a directory.
final class SegmentFile: SegmentWriter {
  private static let pageSize = 4096

  private let file: Descriptor
  /// The place of the file; nil if it is only read.
  private let place: SegmentPlace?
  private let finished = Atomic(false)
  /// Where the last started write will end, and where the last successful one ended; 0 before the first.
  private let begun = Atomic(0)
  private let written = Atomic(0)
  /// Bytes of a file that is overwritten: it has no less until it is longer.
  private let keptSize: Int
  /// The end of the pages of such a file that were overwritten.
  private let overwritten = Atomic(0)

  init(_ file: Descriptor, at place: SegmentPlace? = nil, keeping keptSize: Int = 0) {
    self.file = file
    self.place = place
    self.keptSize = keptSize
  }

  func size() throws(Errno) -> Int { Int(try information().st_size) }

  func modified() throws(Errno) -> Int64 { Int64(try information().st_mtim.tv_sec) }

  private func information() throws(Errno) -> stat {
    var information = stat()
    try systemCall { unsafe fstat(file.number, &information) }
    return information
  }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
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
    if let place, begun.load(ordering: .relaxed) > 0 {
      let least = max(keptSize, written.load(ordering: .acquiring))
      try place.checkHeld(file, sizes: least...max(keptSize, begun.load(ordering: .acquiring)))
    }
    begun.max(offset + buffer.count, ordering: .releasing)
    let whole = try unsafe overwritePageAtEnd(of: buffer, at: offset)
    try unsafe put(UnsafeRawBufferPointer(rebasing: buffer[..<whole]), at: offset)
    written.max(offset + buffer.count, ordering: .releasing)
  }

  /// Overwrites the last page of a write as a whole, with random bytes behind those of `buffer`: the kernel would read
  /// the page first if a part of it stayed.
  ///
  /// - Returns: how many bytes of `buffer` are before that page.
  private func overwritePageAtEnd(of buffer: UnsafeRawBufferPointer, at offset: Int) throws(Errno) -> Int {
    let end = offset + buffer.count
    let start = end / Self.pageSize * Self.pageSize
    guard start < end, start >= offset, start + Self.pageSize <= keptSize,
      overwritten.load(ordering: .relaxed) <= start
    else { return buffer.count }
    try unsafe withUnsafeTemporaryAllocation(byteCount: Self.pageSize, alignment: Self.pageSize) {
      (page) throws(Errno) in
      try systemCall { unsafe getrandom(page.baseAddress, page.count, 0) }
      unsafe page.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[(start - offset)...]))
      try unsafe put(UnsafeRawBufferPointer(page), at: start)
    }
    overwritten.store(start + Self.pageSize, ordering: .relaxed)
    return start - offset
  }

  private func put(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(Errno) {
    var done = 0
    while done < buffer.count {
      let count = try systemCall {
        unsafe pwrite(
          file.number, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done, off_t(offset + done))
      }
      if count == 0 { throw .ioError }
      done += count
    }
  }

  func rename(to identifier: SegmentIdentifier) throws(Errno) {
    guard let place else { throw .notSupported }
    try place.rename(to: identifier)
  }

  func hold(upTo size: Int) throws(Errno) {
    // ext4 keeps the part that it could allocate, even if the whole does not fit.
    var information = stat()
    var host = statvfs()
    try systemCall { unsafe fstat(file.number, &information) }
    try systemCall { unsafe fstatvfs(file.number, &host) }
    // What is shared with a copy takes room of its own when it is overwritten.
    let isShared = keptSize > 0 && agonyfs_shares_blocks(file.number)
    let missing = size - Int(information.st_blocks) * 512 + (isShared ? keptSize : 0)
    // XFS wants as much free as the whole file takes, even if it has all of it.
    if missing <= 0 { return }
    if missing > Int(host.f_bavail) * Int(host.f_frsize) { throw .noSpace }
    if isShared { try systemCall { agonyfs_unshare_blocks(file.number, off_t(keptSize)) } }
    try systemCall { agonyfs_allocate(file.number, off_t(size), true) }
  }

  func releaseHold() throws(Errno) {
    // Truncating a file to its own size frees the blocks beyond it.
    let size = try size()
    try systemCall { ftruncate(file.number, off_t(size)) }
  }

  func startFlush(from offset: Int, count: Int) {
    agonyfs_start_flush(file.number, off_t(offset), off_t(count))
  }

  func flush() throws(Errno) {
    // The modification time of a complete file must be durable too, and fdatasync may omit it.
    let isFinished = finished.load(ordering: .acquiring)
    let least = max(keptSize, written.load(ordering: .acquiring))
    try systemCall { isFinished ? fsync(file.number) : fdatasync(file.number) }
    try place?.checkName(file, least: least) { max(self.keptSize, self.begun.load(ordering: .acquiring)) }
  }

  func finish() throws(Errno) {
    try releaseHold()
    try VaultFile.setTimes(of: file)
    finished.store(true, ordering: .releasing)
  }
}
