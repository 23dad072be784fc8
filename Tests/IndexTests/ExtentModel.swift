import Index
import Testing
import Vault

/// What extents mean, byte by byte: where in the log each byte of a file is.
struct ExtentModel: Equatable {
  /// Bytes that files of the model can have.
  static let length = 4096

  /// One byte of a record. All unwritten bytes are alike.
  struct Place: Hashable {
    static let unwritten = Place(position: .unwritten, byte: 0)
    let position: LogPosition
    let byte: Int

    private init(position: LogPosition, byte: Int) {
      self.position = position
      self.byte = byte
    }

    /// A byte of an extent.
    init(_ byte: Int, of extent: ExtentRecord) {
      self = extent.isUnwritten ? .unwritten : Place(position: extent.position, byte: extent.skip + byte)
    }
  }

  private(set) var files: [InodeNumber: [Place?]] = [:]

  /// The places of a file's bytes.
  func bytes(of inode: InodeNumber) -> [Place?] { files[inode] ?? [Place?](repeating: nil, count: Self.length) }

  /// Writes an extent over whatever is there.
  mutating func write(_ extent: ExtentRecord, of inode: InodeNumber) {
    var bytes = bytes(of: inode)
    for index in 0..<extent.length {
      bytes[Int(extent.offset.rawValue) + index] = Place(index, of: extent)
    }
    files[inode] = bytes
  }

  /// Allocates what is a hole; gives how many bytes.
  mutating func allocate(_ range: Range<FileOffset>, of inode: InodeNumber) -> Int64 {
    var bytes = bytes(of: inode)
    let holes = range.indices.filter { bytes[$0] == nil }
    for index in holes { bytes[index] = .unwritten }
    files[inode] = bytes
    return Int64(holes.count)
  }

  /// Makes a hole.
  mutating func remove(_ range: Range<FileOffset>, of inode: InodeNumber) {
    var bytes = bytes(of: inode)
    for index in range.clamped(to: .zero..<FileOffset(Self.length)).indices { bytes[index] = nil }
    files[inode] = bytes
  }

  /// Compares what the index says of a range with the model.
  func expectSame(
    _ index: Index, of inode: InodeNumber, in range: Range<FileOffset>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var model = ExtentModel()
    for extent in try index.extents.rows(of: inode, overlapping: range, limit: .max) {
      #expect(extent.end > range.lowerBound && extent.offset < range.upperBound, sourceLocation: sourceLocation)
      model.write(extent, of: inode)
    }
    let (found, expected) = (model.bytes(of: inode), bytes(of: inode))
    let isSame = range.indices.allSatisfy { found[$0] == expected[$0] }
    #expect(isSame, "inode \(inode.rawValue)", sourceLocation: sourceLocation)
  }

  /// Compares all that the index says with the model.
  func expectSame(_ index: Index, sourceLocation: SourceLocation = #_sourceLocation) throws {
    var live: [SegmentNumber: Int64] = [:]
    let rows = try index.extents.rows(after: nil, limit: .max)
    for inode in files.keys.sorted() {
      let extents = try index.extents.rows(of: inode, overlapping: .zero..<FileOffset(rawValue: .max), limit: .max)
      // The answer may come from a list in memory.
      #expect(extents == rows.filter { $0.inode == inode }.map(\.extent), sourceLocation: sourceLocation)
      var model = ExtentModel()
      var end = FileOffset.zero
      for extent in extents {
        #expect(extent.offset >= end && extent.length > 0, "overlap", sourceLocation: sourceLocation)
        end = extent.end
        model.write(extent, of: inode)
        live[extent.position.segment, default: 0] += Int64(extent.length)
      }
      let isSame = model.bytes(of: inode) == bytes(of: inode)
      #expect(isSame, "inode \(inode.rawValue)", sourceLocation: sourceLocation)
    }
    #expect(try storedLiveBytes(index) == live, sourceLocation: sourceLocation)
  }
}

extension Range<FileOffset> {
  /// The offsets as indices of an array.
  var indices: Range<Int> { Int(lowerBound.rawValue)..<Int(upperBound.rawValue) }
}
