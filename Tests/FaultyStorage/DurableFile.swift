internal import Storage
internal import SystemPackage

/// What a file of a `FaultyStorage` had on the disk at a moment.
final class DurableFile: SegmentReader {
  private let content: [UInt8]
  private let time: Int64
  private let origin: FileBirth

  init(_ content: [UInt8], modified: Int64, birth: FileBirth) {
    self.content = content
    time = modified
    origin = birth
  }

  func size() throws(Errno) -> Int { content.count }

  func modified() throws(Errno) -> Int64 { time }

  func birth() throws(Errno) -> FileBirth { origin }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    let part = content.dropFirst(offset).prefix(buffer.count)
    unsafe buffer.copyBytes(from: part)
    return part.count
  }
}
