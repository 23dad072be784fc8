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

/// One space of a vault: an encrypted log that holds file data and the pages of one database.
package final class Space: Sendable {
  /// Longest plaintext of one `ExtentWrite`, in bytes.
  package static let maximumExtentLength = 1 << 20
  /// Size of a database page, in bytes.
  package static let databasePageSize = 4096

  /// Whether the space refuses writes.
  package var isReadOnly: Bool { fatalError() }
  /// Why it does, for messages.
  package var readOnlyReason: String? { fatalError() }
  /// Pages of the database as of the last commit.
  package var databasePageCount: UInt32 { fatalError() }
  /// Reads one committed database page (4096 bytes).
  package func readPage(_ number: PageNumber, into page: UnsafeMutableRawBufferPointer) throws(VaultError) {
    fatalError()
  }
  /// Appends changed pages and the commit that closes them, without flushing.
  package func commit(pages: [(PageNumber, UnsafeRawBufferPointer)], pageCount: UInt32) throws(VaultError) {
    fatalError()
  }
  /// Whether a commit waits in memory for room on the disk.
  package var hasUnwrittenCommit: Bool { fatalError() }
  /// Appends file data.
  package func append(_ writes: [ExtentWrite]) throws(VaultError) -> [ExtentPiece] { fatalError() }
  /// Reads plaintext bytes `range` of the extent record at `position`.
  package func read(
    _ position: LogPosition, recordLength: Int, range: Range<Int>, into buffer: UnsafeMutableRawBufferPointer
  ) throws(VaultError) { fatalError() }
  /// Makes durable all that was appended before.
  package func barrier() throws(VaultError) { fatalError() }
  /// Bytes appended and not flushed.
  package var unflushedBytes: Int { fatalError() }
  /// Room.
  package func capacity() -> SpaceCapacity { fatalError() }
  /// Whether the room that deleting needs at worst is held.
  package var reserveIsHeld: Bool { fatalError() }
  /// All segments of the space.
  package func segments() -> [SegmentState] { fatalError() }
  /// The current database pages that a segment holds.
  package func databasePages(in segment: SegmentNumber) -> [PageNumber] { fatalError() }
  /// Has pages copied forward by the next commit.
  package func rewritePagesAtNextCommit(_ pages: [PageNumber]) { fatalError() }
  /// Gives up segments that hold nothing any more.
  package func retire(_ segments: [SegmentNumber]) { fatalError() }
  /// Begins a new epoch and deletes what no kept head needs.
  package func advanceEpoch() throws(VaultError) { fatalError() }
  /// Flushes, pads the last segment, unlocks.
  package func close() throws(VaultError) { fatalError() }
}
