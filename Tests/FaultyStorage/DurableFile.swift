internal import Storage
internal import SystemPackage

/// What a file of a `FaultyStorage` had on the disk at a moment.
final class DurableFile: SegmentReader {
  private let content: [UInt8]
  private let time: Int64
  private let origin: SegmentIdentity

  init(_ content: [UInt8], modified: Int64, identity: SegmentIdentity) {
    self.content = content
    time = modified
    origin = identity
  }

  func size() throws(Errno) -> Int { content.count }

  func modified() throws(Errno) -> Int64 { time }

  func identity() throws(Errno) -> SegmentIdentity { origin }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    let part = content.dropFirst(offset).prefix(buffer.count)
    unsafe buffer.copyBytes(from: part)
    return part.count
  }
}
