/// What Samsung's cameras append to a JPEG: fields, a directory of them that begins with `SEFH`, its length, and `SEFT`.
/// Numbers have their lowest byte first. The layout is that of ExifTool's tag documentation, "Samsung Trailer Tags".
struct SamsungTrailer {
  /// The video of a motion photo.
  let video: Range<Int64>

  private static let videoType: UInt64 = 0x0A30
  /// The longest directory that is read, in bytes; cameras write some hundred.
  private static let mostBytes: Int64 = 65_536
  private static let entrySize = 12

  /// Nil if there is none, or no video in it.
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
      // Two numbers and the name come before the video.
      guard size > 8, size <= start - field, let head = file.exactly(8, at: field) else { continue }
      let skipped = 8 + Int64(head.number(4, at: 4))
      guard skipped < size else { continue }
      video = (field + skipped)..<(field + size)
      return
    }
    return nil
  }
}
