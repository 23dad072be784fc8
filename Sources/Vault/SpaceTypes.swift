/// File data that is to be appended to the log.
@safe package struct ExtentWrite {
  /// The inode that the data belongs to.
  package let inode: InodeNumber
  /// Where in the file the data begins.
  package let offset: FileOffset
  /// The data, 1 to `Space.maximumExtentLength` bytes; must stay valid during the call.
  package let plaintext: UnsafeRawBufferPointer
  /// Names the data and its place.
  package init(inode: InodeNumber, offset: FileOffset, plaintext: UnsafeRawBufferPointer) {
    self.inode = inode
    self.offset = offset
    unsafe self.plaintext = plaintext
  }
}

/// One extent record that `Space.append(_:)` wrote.
package struct ExtentPiece: Sendable {
  /// Index of the write, in the array that was given, which this piece is of.
  package let write: Int
  /// Where in the file the piece begins.
  package let offset: FileOffset
  /// Plaintext bytes in the record.
  package let length: Int
  /// Where the record is.
  package let position: LogPosition
}

/// One segment of a space's log.
package struct SegmentState: Sendable {
  /// Which one.
  package let number: SegmentNumber
  /// Whether it is being written, or not flushed yet.
  package let isOpen: Bool
  /// How many pages of the database's current state are in it.
  package let databasePages: Int
}
