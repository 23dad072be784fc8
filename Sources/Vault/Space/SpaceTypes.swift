/// File data to append to the log.
@safe package struct ExtentWrite {
  /// The inode of the file.
  package let inode: InodeNumber
  /// The offset of the data in the file.
  package let offset: FileOffset
  /// The data, 1 to `Space.maximumExtentLength` bytes. It must stay valid during the call.
  package let plaintext: UnsafeRawBufferPointer
  /// Sets all fields.
  package init(inode: InodeNumber, offset: FileOffset, plaintext: UnsafeRawBufferPointer) {
    self.inode = inode
    self.offset = offset
    unsafe self.plaintext = plaintext
  }
}

/// One extent record that `Space.append(_:)` wrote.
package struct ExtentPiece: Sendable {
  /// The index of the write in the caller's array.
  package let write: Int
  /// The offset of the piece in the file.
  package let offset: FileOffset
  /// Plaintext bytes in the record.
  package let length: Int
  /// The position of the record.
  package let position: LogPosition
}

/// One segment of a space's log.
package struct SegmentState: Sendable {
  /// Its number.
  package let number: SegmentNumber
  /// Whether it is being written or not flushed yet.
  package let isOpen: Bool
  /// The number of current pages of the database in it.
  package let databasePages: Int
}
