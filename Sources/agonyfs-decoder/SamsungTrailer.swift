/// The trailer that Samsung's cameras append to a JPEG: fields, a directory of the fields that begins with `SEFH`, the
/// length of the directory, and `SEFT`. Numbers are little-endian. The layout is documented by ExifTool, "Samsung
/// Trailer Tags".
struct SamsungTrailer {
  /// The video of a motion photo.
  let video: Range<Int64>

  private static let videoType: UInt64 = 0x0A30
  /// The maximum size of the directory in bytes. Cameras write a few hundred.
  private static let mostBytes: Int64 = 65_536
  private static let entrySize = 12

  /// Nil if the trailer is missing or contains no video.
  init?(_ file: any ByteSource) {
    let end = file.size
    guard let tail = file.exactly(8, at: end - 8), tail[4...].elementsEqual("SEFT".utf8) else { return nil }
    let length = Int64(tail.number(4, at: 0))
    let start = end - 8 - length
    guard (12...Self.mostBytes).contains(length), let directory = file.exactly(Int(length), at: start),
      directory[..<4].elementsEqual("SEFH".utf8)
    else { return nil }
    let count = Int(directory.number(4, at: 8))
    guard count <= (directory.count - 12) / Self.entrySize else { return nil }
    for entry in 0..<count {
      let place = 12 + Self.entrySize * entry
      guard directory.number(2, at: place + 2) == Self.videoType else { continue }
      let field = start - Int64(directory.number(4, at: place + 4))
      let size = Int64(directory.number(4, at: place + 8))
      // A field begins with two numbers and its name.
      guard size > 8, size <= start - field, let head = file.exactly(8, at: field) else { continue }
      let skipped = 8 + Int64(head.number(4, at: 4))
      guard skipped < size else { continue }
      video = (field + skipped)..<(field + size)
      return
    }
    return nil
  }
}
