package import Vault

/// A run of a file's bytes, and its position in the log.
///
/// It may be *unwritten*: it only promises room, and reads as zeros. Then position, record length and skip are 0.
package struct ExtentRecord: Hashable, Sendable {
  /// The offset of the run in the file.
  package var offset: FileOffset
  /// Bytes in the run.
  package var length: Int
  /// The extent record in the log.
  package var position: LogPosition
  /// Plaintext bytes in that record. The run is a part of them.
  package var recordLength: Int
  /// The offset of the run in the record's plaintext.
  package var skip: Int

  /// Sets all fields.
  package init(offset: FileOffset, length: Int, position: LogPosition, recordLength: Int, skip: Int = 0) {
    self.offset = offset
    self.length = length
    self.position = position
    self.recordLength = recordLength
    self.skip = skip
  }

  /// A run that is allocated but not written.
  package static func unwritten(_ range: Range<FileOffset>) -> ExtentRecord {
    ExtentRecord(
      offset: range.lowerBound, length: range.upperBound - range.lowerBound, position: .unwritten, recordLength: 0)
  }

  /// Whether the run is allocated but not written.
  @inlinable package var isUnwritten: Bool { position == .unwritten }

  /// The offset after the run's last byte.
  @inlinable package var end: FileOffset { offset + length }

  /// The part of the run in `range`; nil when there is none.
  package func clamped(to range: Range<FileOffset>) -> ExtentRecord? {
    let start = max(offset, range.lowerBound)
    let end = min(end, range.upperBound)
    guard start < end else { return nil }
    if isUnwritten { return .unwritten(start..<end) }
    return ExtentRecord(
      offset: start, length: end - start, position: position, recordLength: recordLength, skip: skip + (start - offset))
  }
}

extension LogPosition {
  /// The position of an extent without a record. The log's first segment has a higher number than 0.
  package static let unwritten = LogPosition(rawValue: 0)
}

extension SegmentNumber {
  /// The segment number under which unwritten extents are counted. The log never uses it.
  package static let unwritten = LogPosition.unwritten.segment
}

/// An extent and its inode.
package struct LocatedExtent: Hashable, Sendable {
  /// The inode.
  package var inode: InodeNumber
  /// The extent.
  package var extent: ExtentRecord
}

/// The live bytes of a segment: file data that is still part of a file.
package struct SegmentLife: Hashable, Sendable {
  /// The segment.
  package var segment: SegmentNumber
  /// Plaintext bytes to which rows of `extent` point.
  package var liveBytes: Int64
}
