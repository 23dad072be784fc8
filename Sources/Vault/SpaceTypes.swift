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

/// Room in and around a space, in bytes.
package struct SpaceCapacity: Sendable {
  /// Size of the file system that holds the vault.
  package var totalBytes: Int64
  /// Free there, as the host reports it to this user.
  package var freeBytes: Int64
  /// Free for new data, after the reserve.
  package var availableBytes: Int64
  /// Held by this space's own segments.
  package var usedBytes: Int64
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

/// One page of the database that is to be committed.
@safe package struct PageWrite {
  /// Which page.
  package let number: PageNumber
  /// Its 4096 bytes; must stay valid during the call.
  package let bytes: UnsafeRawBufferPointer
  /// Names a page and its bytes.
  package init(number: PageNumber, bytes: UnsafeRawBufferPointer) {
    self.number = number
    unsafe self.bytes = bytes
  }
}
