// The place of a vault: a directory, or in tests a storage that fails on purpose. Object stores can fit in here.
//
// Requirements on an implementation
// 1. A name is created exclusively. Only `wipe` changes its content.
// 2. Content survives a power cut once `SegmentWriter.flush` has returned, a name once `flushNames` has. Nothing else
//    needs to.
// 3. Bytes are written front to back. After a crash a file holds its flushed bytes. Of the bytes written after the
//    flush, any part may be missing or replaced by garbage.

package import SystemPackage

/// The place that holds a vault's public parameters and its segment files.
package protocol Storage: AnyObject, Sendable {
  /// Whether nothing can be written here. Then every call that would change a file throws.
  var isReadOnly: Bool { get }

  /// When the machine was started, in seconds since 1970, if no other machine writes here: a process that wrote to a
  /// file before that has ended. Nil if other machines may write, or if it is not known.
  var machineStarted: Int64? { get }

  /// Reads the vault's public parameters, at most `limit` bytes.
  ///
  /// - Throws: `.noSuchFileOrDirectory` when there are none.
  func readParameters(limit: Int) throws(Errno) -> [UInt8]

  /// Writes the vault's public parameters, or replaces them. A crash leaves the old ones or the new ones. Durable on
  /// return. The caller holds the lease on the vault exclusively, and must end it next, because later leases do not
  /// exclude it.
  func replaceParameters(with content: [UInt8]) throws(Errno)

  /// Repairs what a crash or a copy may have left and what nothing depends on: missing folders, and times of folders.
  /// Repairs as much as possible, and changes nothing if nothing is wrong. Called when writing begins.
  func prepareForWriting()

  /// Whether a killed refresh left something next to the segment files.
  var hasInterruptedRefresh: Bool { get }

  /// Removes the remains of a killed refresh, as far as possible. Files that exist only there become segment files. The
  /// caller has the lease on the vault exclusively.
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

  /// Opens a segment file to read its bytes on the medium, past the host's memory as far as the host supports that.
  /// Bytes that were not flushed may be missing.
  ///
  /// - Throws: as `open`.
  func openPastMemory(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentReader

  /// Whether a segment file of this name exists.
  func exists(_ identifier: SegmentIdentifier) throws(Errno) -> Bool

  /// Overwrites all of a segment file in place with random bytes, if it exists, and also the remains of it that a
  /// killed refresh left. Durable on return, as far as the medium overwrites data in place.
  func wipe(_ identifier: SegmentIdentifier) throws(Errno)

  /// Deletes a segment file, if it exists, and also the remains of it that a killed refresh left.
  func delete(_ identifier: SegmentIdentifier) throws(Errno)

  /// Calls `body` for every segment file, in no particular order, with its name, its bytes, and the seconds since 1970
  /// of its last write. Goes on after a file that is damaged on the medium.
  ///
  /// - Parameter unlisted: called with the path, below the folder of segment files, of each file that is there and
  ///   cannot be examined, and of each folder that cannot be read.
  /// - Throws: the first of these errors, because a list without that file would look whole. If it is
  ///   `Errno.isDamageOfMedium`, all other files were listed.
  func list(
    _ body: (_ identifier: SegmentIdentifier, _ size: Int, _ modified: Int64) -> Void,
    unlisted: (_ path: String, _ error: Errno) -> Void
  ) throws(Errno)

  /// Takes a lease without waiting. It ends with the returned object, and with the process.
  ///
  /// - Throws: `.wouldBlock` when another process holds it, unless both share it; `.noSuchFileOrDirectory` if there are
  ///   no parameters yet; `.readOnlyFileSystem`, `.permissionDenied` or `.notPermitted` for an exclusive lease in a
  ///   read-only storage.
  func lease(_ token: LeaseToken, exclusive: Bool) throws(Errno) -> any Lease

  /// Whether a holder of the lease has announced its end. False if that cannot be known.
  func leaseEndIsAnnounced(_ token: LeaseToken) -> Bool

  /// Opens a file that a crash left short, to fill it up. No other process may write it.
  ///
  /// - Throws: `.noSuchFileOrDirectory`.
  func openToFill(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentWriter

  /// Makes creations and deletions of these names durable.
  func flushNames(of identifiers: [SegmentIdentifier]) throws(Errno)

  /// Makes all earlier writes, creations and deletions durable.
  func flushAll() throws(Errno)

  /// Waits until these files are written out, and removes them from the host's memory, because they are not read soon.
  /// Errors show when the files are made durable.
  func evict(_ identifiers: [SegmentIdentifier])

  /// Begins to hold room on the medium; none at first.
  ///
  /// - Throws: `.notSupported` if the medium cannot hold room.
  func holdRoom() throws(Errno) -> any HeldRoom

  /// Room on the medium, in bytes.
  func capacity() -> StorageCapacity
}

extension Storage {
  /// False: only a directory is refreshed.
  package var hasInterruptedRefresh: Bool { false }

  /// Does nothing.
  package func removeInterruptedRefresh() {}

  /// Calls `body` for every segment file.
  ///
  /// - Throws: as `list(_:unlisted:)`.
  package func list(
    _ body: (_ identifier: SegmentIdentifier, _ size: Int, _ modified: Int64) -> Void
  ) throws(Errno) {
    try list(body, unlisted: { _, _ in })
  }

  /// Does nothing, because not every host can do that.
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
  /// The folder of segment files.
  package static let segments = "segments"
  /// The second tree of a refresh. If a refresh was killed between two renames, it is the folder of segment files.
  package static let refreshing = "refreshing"
  /// The marker of a creation that is not complete.
  package static let creationMarker = "creating"
  /// The marker of an incomplete copy.
  package static let copyMarker = "copying"
  /// The tokens of `agonyfs sync`, in a vault's directory and in a bucket.
  package static let synced = "synced"
}

/// Room on the medium, in bytes.
package struct StorageCapacity: Sendable {
  /// The total size.
  package var total: Int64
  /// Free for this user.
  package var free: Int64
  /// Also free, but kept for root.
  package var kept: Int64
  /// Sets all figures.
  package init(total: Int64, free: Int64, kept: Int64 = 0) {
    self.total = total
    self.free = free
    self.kept = kept
  }
}

/// Room on the medium that is held for its owner, without belonging to a file. It becomes free again when the object
/// ends, and when the process is killed.
package protocol HeldRoom: AnyObject, Sendable {
  /// Holds `size` bytes from now on, more or less than before.
  ///
  /// - Throws: `.noSpace`, `.diskQuotaExceeded`: then the held room stays as before; `.notSupported`.
  func resize(to size: Int) throws(Errno)
}

/// Facts of a segment file on a host that show whether it was changed.
package struct FileStamp: Hashable, Sendable {
  /// Bytes of the file.
  package var size: Int64
  /// Its number on the host.
  package var inode: UInt64
  /// When its bytes or facts were changed last, in nanoseconds since 1970.
  package var changed: Int64
  /// Sets all fields.
  package init(size: Int64, inode: UInt64, changed: Int64) {
    (self.size, self.inode, self.changed) = (size, inode, changed)
  }
}

/// The time at which a segment file was created: a copy of it has another birth.
package struct FileBirth: Hashable, Sendable {
  /// Seconds since 1970; 0 if the host stores no births.
  package var seconds: Int64
  /// Nanoseconds, in steps of the kernel's clock: 4 ms, for example.
  package var nanoseconds: UInt32
  /// Sets all fields.
  package init(seconds: Int64, nanoseconds: UInt32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }
  /// Whether the host stores no births.
  package var isUnknown: Bool { seconds == 0 && nanoseconds == 0 }
}

/// An open segment file.
package protocol SegmentReader: AnyObject, Sendable {
  /// Bytes in the file now.
  func size() throws(Errno) -> Int
  /// Reads from `offset` until `buffer` is full or the file ends; returns the number of bytes.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int
  /// States where reading will end, so that no more is read ahead.
  func expect(upTo offset: Int)
  /// Seconds since 1970 of its last write.
  func modified() throws(Errno) -> Int64
  /// The time at which this file was created.
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
