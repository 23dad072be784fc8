internal import Index
internal import Vault

/// Copying what can be read out of damaged segments.
extension Repair {
  /// How many extents are copied between two queries of the index.
  private static let step = 32

  /// Copies what files and the index need of a segment to the end of the log, and points them at the copy. What cannot
  /// be read was given up before.
  func evacuate(_ segment: SegmentNumber, _ index: Index) throws(VaultError) {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Space.maximumExtentLength, alignment: 4096)
    defer { unsafe block.deallocate() }
    /// What was copied already, so that shared data stays shared.
    var copies: [ExtentRecord: [ExtentRecord]] = [:]
    while true {
      let batch = try VaultError.ofIndex { () throws(IndexError) in try index.extents(in: segment, limit: Self.step) }
      if batch.isEmpty { return }
      for located in batch {
        let extent = located.extent
        var source = extent
        source.offset = .zero
        let pieces: [ExtentRecord]
        if let known = copies[source] {
          pieces = known
        } else {
          let memory = unsafe UnsafeMutableRawBufferPointer(rebasing: block[..<extent.length])
          try unsafe space.read(
            extent.position, recordLength: extent.recordLength, range: extent.skip..<extent.skip + extent.length,
            into: memory)
          let write = unsafe ExtentWrite(
            inode: located.inode, offset: extent.offset, plaintext: UnsafeRawBufferPointer(memory))
          pieces = try space.append([write]).map {
            ExtentRecord(
              offset: FileOffset($0.offset - extent.offset), length: $0.length, position: $0.position,
              recordLength: $0.length)
          }
          copies[source] = pieces
        }
        _ = try VaultError.ofIndex { () throws(IndexError) in
          try index.replaceExtent(
            extent, of: located.inode,
            with: pieces.map { piece in
              var moved = piece
              moved.offset = FileOffset(rawValue: piece.offset.rawValue + extent.offset.rawValue)
              return moved
            })
        }
      }
    }
  }
}
