// Where segment files live. A directory today; the seam for object stores and for tests that fail on purpose.
//
// What an implementation promises
// 1. A name is created exclusively and never gets a second content.
// 2. What `SegmentWriter.flush` and `flushNames` returned for survives a loss of power, content and name; nothing else needs to.
// 3. Bytes are written front to back: a file that was cut short by a crash holds a prefix of what was written, or garbage after it.

package import SystemPackage

/// The place that holds a vault's segment files.
package protocol Storage: AnyObject, Sendable {
  /// Whether nothing can be written here.
  var isReadOnly: Bool { get }

  /// Creates an empty segment file and takes its lease.
  ///
  /// - Throws: `.fileExists` when the name is taken; `.noSpace`.
  func create(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentWriter

  /// Writes a whole file so that after a crash it is there whole or not at all; durable on return.
  ///
  /// - Throws: `.fileExists` when the name is taken.
  func putIfAbsent(_ identifier: SegmentIdentifier, content: UnsafeRawBufferPointer) throws(Errno)

  /// Opens a segment file for reading.
  ///
  /// - Throws: `.noSuchFileOrDirectory`.
  func open(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentReader

  /// Whether a segment file of this name exists.
  func exists(_ identifier: SegmentIdentifier) throws(Errno) -> Bool

  /// Deletes a segment file; nothing happens when there is none.
  func delete(_ identifier: SegmentIdentifier) throws(Errno)

  /// Calls `body` for every segment file, in no particular order, until it returns false.
  func list(_ body: (SegmentListing) -> Bool) throws(Errno)

  /// Takes a lease on a segment file without waiting; it ends when the returned object does.
  ///
  /// - Throws: `.wouldBlock` when somebody else holds it.
  func lease(_ identifier: SegmentIdentifier, exclusive: Bool) throws(Errno) -> any SegmentLease

  /// Whether somebody who holds a lease on a segment file has announced its end. False when that cannot be known.
  func leaseEndIsAnnounced(_ identifier: SegmentIdentifier) -> Bool

  /// Opens a file that a crash left short, to be filled up; takes its lease, unless the caller is known to be its only owner.
  ///
  /// - Throws: `.wouldBlock` when somebody still writes it.
  func openToFill(_ identifier: SegmentIdentifier, takingLease: Bool) throws(Errno) -> any SegmentWriter

  /// Makes creations and deletions of these names durable.
  func flushNames(of identifiers: [SegmentIdentifier]) throws(Errno)

  /// Room on the medium, in bytes.
  func capacity() -> StorageCapacity
}

/// Room on the medium, in bytes.
package struct StorageCapacity: Sendable {
  /// The size of the whole.
  package var total: Int64
  /// Free for this user.
  package var free: Int64
  /// Free inodes, or `Int64.max` where the medium has no such bound.
  package var freeFiles: Int64
  /// Sets all figures.
  package init(total: Int64, free: Int64, freeFiles: Int64) {
    self.total = total
    self.free = free
    self.freeFiles = freeFiles
  }
}

/// One file of a listing.
package struct SegmentListing: Sendable {
  /// The name.
  package let identifier: SegmentIdentifier
  /// Bytes in the file.
  package let size: Int64
  /// Seconds since 1970 of the last write.
  package let modified: Int64
  /// Sets all fields.
  package init(identifier: SegmentIdentifier, size: Int64, modified: Int64) {
    self.identifier = identifier
    self.size = size
    self.modified = modified
  }
}

/// What tells a segment file from a copy of it.
package struct SegmentIdentity: Hashable, Sendable {
  /// Inode number on the host.
  package var inode: UInt64
  /// Birth time, seconds since 1970; 0 where the host keeps none.
  package var bornSeconds: Int64
  /// Nanoseconds of the birth time.
  package var bornNanoseconds: UInt32
  /// Sets all fields.
  package init(inode: UInt64, bornSeconds: Int64, bornNanoseconds: UInt32) {
    self.inode = inode
    self.bornSeconds = bornSeconds
    self.bornNanoseconds = bornNanoseconds
  }
}

/// Proof that nobody else writes a segment; ends with the object.
package protocol SegmentLease: AnyObject, Sendable {
  /// Tells those who would like to have the lease that it is worth waiting for: what is left to do is done soon.
  func announceEnd()
}

/// An open segment file.
package protocol SegmentReader: AnyObject, Sendable {
  /// Bytes in the file now.
  func size() throws(Errno) -> Int
  /// Reads from `offset` until `buffer` is full or the file ends; gives the number of bytes.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int
  /// What tells this file from a copy of it.
  func identity() throws(Errno) -> SegmentIdentity
}

/// A segment file that is being written by its one owner.
package protocol SegmentWriter: SegmentReader, SegmentLease {
  /// Writes all of `buffer` at `offset`, which is where the last write ended; after an error the same bytes may be written there again.
  ///
  /// - Throws: `.changedByOthers` when another program deleted the file or changed its size; nothing is written then.
  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(Errno)
  /// Holds room for the file to grow to `size` bytes, without changing what it holds.
  ///
  /// - Throws: `.noSpace`, when a part may be held all the same; `.notSupported` where the medium cannot hold room.
  func hold(upTo size: Int) throws(Errno)
  /// Gives back all room that is held beyond the end of the file.
  func releaseHold() throws(Errno)
  /// Starts writing out what was written, without waiting.
  func startFlush(from offset: Int, count: Int)
  /// Makes the content durable.
  ///
  /// - Throws: `.changedByOthers` when the name does not lead to this file any more, or another program changed its size.
  func flush() throws(Errno)
  /// Marks the file complete: gives it the constant modification time that all complete segments have, gives back held room.
  func finish() throws(Errno)
}
