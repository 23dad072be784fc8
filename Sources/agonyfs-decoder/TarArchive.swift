internal import CDecoder
internal import Glibc
internal import Media

/// Reads a tar archive with libarchive.
@safe final class TarArchive: ArchiveFormat {
  private let tar: OpaquePointer
  private(set) var verdict = ArchiveVerdict.whole

  /// Nil if the input is not a tar archive. The input must outlive the archive.
  init?(_ input: UnsafeMutablePointer<agonyfs_input>) {
    guard let tar = unsafe agonyfs_tar_open(input) else { return nil }
    unsafe self.tar = tar
  }

  deinit { unsafe agonyfs_tar_close(tar) }

  func next() throws(ArchiveFailure) -> ArchiveEntry? {
    var found = unsafe agonyfs_archive_entry()
    switch unsafe agonyfs_tar_next(tar, &found) {
    case AGONYFS_ARCHIVE_MORE: break
    case AGONYFS_ARCHIVE_END:
      let warning = unsafe String(cString: agonyfs_tar_warning(tar))
      if !warning.isEmpty { verdict = .damaged(warning) }
      return nil
    default: throw ArchiveFailure(reason)
    }
    var kind: ArchiveEntry.Kind =
      switch unsafe (found.is_hard_link, found.type & UInt32(S_IFMT)) {
      case (true, _): .hardLink
      case (_, UInt32(S_IFREG)): .file
      case (_, UInt32(S_IFDIR)): .directory
      case (_, UInt32(S_IFLNK)): .symbolicLink
      default: .other
      }
    var modified: ArchiveEntry.Time?
    if unsafe found.has_time, let nanoseconds = unsafe UInt32(exactly: found.nanoseconds), nanoseconds < 1_000_000_000 {
      modified = unsafe ArchiveEntry.Time(seconds: found.seconds, nanoseconds: nanoseconds)
    }
    let size = unsafe found.has_size && found.size >= 0 ? found.size : nil
    // GNU tar stores file names as the data of directories in incremental backups. As `other`, such data is not lost
    // without a word.
    if kind == .directory, size ?? 0 > 0 { kind = .other }
    return unsafe ArchiveEntry(
      kind: kind, name: Self.bytes(found.path), target: Self.bytes(found.target), size: size, modified: modified)
  }

  func read(most: Int) -> (bytes: [UInt8], end: ArchiveVerdict?) {
    var count = 0
    var state = AGONYFS_ARCHIVE_MORE
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: most + 1) { (buffer, made) in
      state = unsafe agonyfs_tar_read(tar, buffer.baseAddress, most, &count)
      made = count
    }
    switch state {
    case AGONYFS_ARCHIVE_MORE: return (bytes, nil)
    case AGONYFS_ARCHIVE_END: return (bytes, .whole)
    default: return (bytes, .damaged(reason))
    }
  }

  func skip(most: Int) -> Int? {
    // In an uncompressed archive, libarchive seeks to the next entry.
    guard unsafe agonyfs_tar_is_packed(tar) else { return nil }
    var left = 0
    while left < most {
      let (bytes, end) = read(most: min(most - left, 1 << 20))
      if end != nil { return nil }
      left += bytes.count
    }
    return left
  }

  private var reason: String { unsafe String(cString: agonyfs_tar_reason(tar)) }

  private static func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] {
    unsafe Array(UnsafeRawBufferPointer(start: text, count: strnlen(text, ArchiveEntry.mostNameBytes)))
  }
}
