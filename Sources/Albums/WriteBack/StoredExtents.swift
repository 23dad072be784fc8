// Extents in the log: read as rows name them, and copied to its end.

internal import Index
internal import Vault

extension Space {
  /// Reads the bytes of an extent into the beginning of a buffer.
  func read(_ extent: ExtentRecord, into buffer: UnsafeMutableRawBufferPointer) throws(VaultError) {
    try unsafe read(
      extent.position, recordLength: extent.recordLength, range: extent.skip..<extent.skip + extent.length,
      into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<extent.length]))
  }

  /// Copies extents to the end of the log, and gives with each what is to take its place. What `copies` has is not
  /// copied again, so that shared bytes stay shared; its keys and extents count from offset 0. An extent that cannot be
  /// read is left out, if `unreadable` does not throw.
  func copy(
    _ batch: [LocatedExtent], _ copies: inout [ExtentRecord: [ExtentRecord]], for use: RoomUse = .data,
    unreadable: (LocatedExtent, VaultError) throws(VaultError) -> Void
  ) throws(VaultError) -> [(old: LocatedExtent, new: [ExtentRecord])] {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.maximumExtentLength, alignment: 4096)
    defer { unsafe block.deallocate() }
    var moved: [(old: LocatedExtent, new: [ExtentRecord])] = []
    for located in batch {
      let extent = located.extent
      let source = extent.moved(to: .zero)
      if copies[source] == nil {
        do throws(VaultError) {
          try unsafe read(extent, into: block)
        } catch {
          try unreadable(located, error)
          continue
        }
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: block[..<extent.length])
        let write = unsafe ExtentWrite(inode: located.inode, offset: extent.offset, plaintext: bytes)
        copies[source] = try append([write], for: use).map {
          ExtentRecord($0).moved(to: FileOffset($0.offset - extent.offset))
        }
      }
      let pieces = copies[source] ?? []
      moved.append((located, pieces.map { $0.moved(to: extent.offset + ($0.offset - .zero)) }))
    }
    return moved
  }
}

extension ExtentRecord {
  /// The whole of a piece that was appended.
  init(_ piece: ExtentPiece) {
    self.init(offset: piece.offset, length: piece.length, position: piece.position, recordLength: piece.length)
  }

  fileprivate func moved(to offset: FileOffset) -> ExtentRecord {
    var extent = self
    extent.offset = offset
    return extent
  }
}
