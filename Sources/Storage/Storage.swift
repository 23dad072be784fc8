// Where a vault lives: a directory, or in tests a storage that fails on purpose. Object stores can fit in here.
//
// Requirements on an implementation
// 1. A name is created exclusively. Its content is changed by `wipe` only.
// 2. Content survives a power cut once `SegmentWriter.flush` has returned, a name once `flushNames` has. Nothing else
//    needs to.
// 3. Bytes are written front to back. After a crash a file holds what was flushed; of what was written after that any
//    part may be missing, and garbage may be in its place.

package import SystemPackage

/// The place that holds a vault's public parameters and its segment files.
package protocol Storage: AnyObject, Sendable {
  /// Whether nothing can be written here. Then whatever would change a file throws.
  var isReadOnly: Bool { get }

  /// When the machine was started, in seconds since 1970, if no other machine writes here: who wrote to a file before
  /// does not go on with it. Nil if others may, or if it is not known.
  var machineStarted: Int64? { get }

  /// Reads the vault's public parameters, but `limit` bytes at most.
  ///
  /// - Throws: `.noSuchFileOrDirectory` when there are none.
  func readParameters(limit: Int) throws(Errno) -> [UInt8]

  /// Writes the vault's public parameters, or replaces them. A crash leaves the old ones or the new ones. Durable on
  /// return. Whoever replaces them has the lease on the vault exclusively, and ends it next: leases that are taken from
  /// then on know nothing of it.
  func replaceParameters(with content: [UInt8]) throws(Errno)

  /// Puts right what a crash or a copy may have left and what nothing depends on: missing folders, and times of
  /// folders. As far as possible, and without a change where nothing is wrong; whoever begins to write calls it.
  func prepareForWriting()

  /// Whether a refresh that was killed left something beside the segment files.
  var hasInterruptedRefresh: Bool { get }

  /// Removes what a refresh that was killed left, as far as possible. Files that are nowhere else become segment files.
  /// The caller has the lease on the vault exclusively.
  func removeInterruptedRefresh()

  /// Creates an empty segment file.
  ///
  /// - Throws: `.fileExists` when the name is taken; `.noSpace`.
  func create(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentWriter

  /// Writes a whole file atomically: after a crash it is complete or absent. Durable on return.
  ///
  /// - Throws: `.fileExists` when the name is taken.
  func putIfAbsent(_ identifier: SegmentIdentifier, content: UnsafeRawBufferPointer) throws(Errno)

  /// Opens a segment file for reading.
  ///
  /// - Throws: `.noSuchFileOrDirectory`.
  func open(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentReader

  /// Opens a segment file to read what the medium has of it, past the host's memory as far as the host can do that. What
  /// was not flushed may be missing.
  ///
  /// - Throws: as `open`.
  func openPastMemory(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentReader

  /// Whether a segment file of this name exists.
  func exists(_ identifier: SegmentIdentifier) throws(Errno) -> Bool

  /// Overwrites all of a segment file in place with random bytes, if it exists, and what a killed refresh left of it.
  /// Durable on return, as far as the medium overwrites what it has.
  func wipe(_ identifier: SegmentIdentifier) throws(Errno)

  /// Deletes a segment file, if it exists, and what a killed refresh left of it.
  func delete(_ identifier: SegmentIdentifier) throws(Errno)

  /// Calls `body` for every segment file, in no particular order, with its name, its bytes, and the seconds since 1970
  /// of its last write.
  func list(_ body: (_ identifier: SegmentIdentifier, _ size: Int, _ modified: Int64) -> Void) throws(Errno)

  /// Takes a lease without waiting. It ends with the returned object, and with the process.
  ///
  /// - Throws: `.wouldBlock` when somebody else holds it, unless both share it; `.noSuchFileOrDirectory` where there are
  ///   no parameters yet; `.readOnlyFileSystem`, `.permissionDenied` or `.notPermitted` when it is to be exclusive and
  ///   the storage is read-only.
  func lease(_ token: LeaseToken, exclusive: Bool) throws(Errno) -> any Lease

  /// Whether a holder of the lease has announced its end. False if that cannot be known.
  func leaseEndIsAnnounced(_ token: LeaseToken) -> Bool

  /// Opens a file that a crash left short, to fill it up. Nobody else may write it.
  ///
  /// - Throws: `.noSuchFileOrDirectory`.
  func openToFill(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentWriter

  /// Makes creations and deletions of these names durable.
  func flushNames(of identifiers: [SegmentIdentifier]) throws(Errno)

  /// Makes everything durable that was written, created and deleted before.
  func flushAll() throws(Errno)

  /// Waits until these files are written out, and has the host keep nothing of them in memory: nobody reads them soon.
  /// Errors show when they are made durable.
  func evict(_ identifiers: [SegmentIdentifier])

  /// Begins to hold room on the medium; none at first.
  ///
  /// - Throws: `.notSupported` where the medium cannot hold room.
  func holdRoom() throws(Errno) -> any HeldRoom

  /// Room on the medium, in bytes.
  func capacity() -> StorageCapacity
}

extension Storage {
  /// False: only a directory is refreshed.
  package var hasInterruptedRefresh: Bool { false }

  /// Does nothing.
  package func removeInterruptedRefresh() {}

  /// Does nothing: not every host can be told.
  package func evict(_ identifiers: [SegmentIdentifier]) {}

  /// Takes the file out of the host's memory first.
  package func openPastMemory(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentReader {
    evict([identifier])
    return try open(identifier)
  }
}

/// Names in a vault, wherever it is stored.
package enum StorageNames {
  /// The public parameters.
  package static let parameters = "agonyfs.json"
  /// What the paths of segment files are below.
  package static let segments = "segments"
  /// The marker of a creation that is not complete.
  package static let creationMarker = "creating"
}

/// Room on the medium, in bytes.
package struct StorageCapacity: Sendable {
  /// The total size.
  package var total: Int64
  /// Free for this user.
  package var free: Int64
  /// Free as well, but kept for root.
  package var kept: Int64
  /// Sets all figures.
  package init(total: Int64, free: Int64, kept: Int64 = 0) {
    self.total = total
    self.free = free
    self.kept = kept
  }
}

/// Room on the medium that is held for its owner, and for no file. It is free again when the object goes, also when the
/// process is killed.
package protocol HeldRoom: AnyObject, Sendable {
  /// Holds `size` bytes from now on, more or less than before.
  ///
  /// - Throws: `.noSpace`, `.diskQuotaExceeded`: then as much is held as before; `.notSupported`.
  func resize(to size: Int) throws(Errno)
}

/// When a segment file was made: a copy of it has another birth.
package struct FileBirth: Hashable, Sendable {
  /// Seconds since 1970; 0 if the host keeps no births.
  package var seconds: Int64
  /// Nanoseconds, which go on in steps of the kernel's clock: 4 ms, for example.
  package var nanoseconds: UInt32
  /// Sets all fields.
  package init(seconds: Int64, nanoseconds: UInt32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }
  /// Whether the host keeps none.
  package var isUnknown: Bool { seconds == 0 && nanoseconds == 0 }
}

/// An open segment file.
package protocol SegmentReader: AnyObject, Sendable {
  /// Bytes in the file now.
  func size() throws(Errno) -> Int
  /// Reads from `offset` until `buffer` is full or the file ends; returns the number of bytes.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int
  /// Says where reading will end, so that no more is read ahead.
  func expect(upTo offset: Int)
  /// Seconds since 1970 of its last write.
  func modified() throws(Errno) -> Int64
  /// When this file was made.
  func birth() throws(Errno) -> FileBirth
}

extension SegmentReader {
  package func expect(upTo offset: Int) {}

  /// Reads `count` bytes from `offset`, or those up to the end of the file.
  package func bytes(at offset: Int, count: Int) throws(Errno) -> [UInt8] {
    try unsafe Array(unsafeUninitializedCapacity: count) { (buffer, found) throws(Errno) in
      found = try unsafe read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
    }
  }
}

/// A segment file and its only writer.
package protocol SegmentWriter: SegmentReader {
  /// Writes all of `buffer` at `offset`, where the last write ended. After an error the same bytes may be written there
  /// again.
  ///
  /// - Throws: `.changedByOthers`, before writing anything, when another program deleted the file or changed its size.
  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(Errno)
  /// Allocates room for the file to grow to `size` bytes, without changing its content or size.
  ///
  /// - Throws: `.noSpace`, perhaps with a part of the room allocated; `.notSupported` if the medium cannot allocate
  ///   room.
  func hold(upTo size: Int) throws(Errno)
  /// Frees all room allocated beyond the end of the file.
  func releaseHold() throws(Errno)
  /// Starts writing the range to the medium, without waiting.
  func startFlush(from offset: Int, count: Int)
  /// Makes the content durable.
  ///
  /// - Throws: `.changedByOthers` when the name no longer leads to this file, or another program changed its size.
  func flush() throws(Errno)
  /// Marks the file complete: sets the modification time that all complete segments have, and frees allocated room.
  func finish() throws(Errno)
}
