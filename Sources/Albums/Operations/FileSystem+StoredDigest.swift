// A hash of the content that the vault's storage has of a file, which another program can compare with its own.
//
// Invariants
// 1. Every byte was read back from the storage, past all memory, after it was made durable there. Nothing in memory
//    takes part.
// 2. A file that changes during the calculation gets no hash.

package import Crypto
internal import Index
internal import System
package import SystemPackage
package import Vault

/// The hash of a file's stored content.
package struct StoredDigest: Hashable, Sendable {
  /// Bytes of the file.
  package var size: Int64
  /// The hash of the content under the given key.
  package var hash: [UInt8]
}

extension FileSystem {
  /// Bytes of one read.
  private static let digestStep = 1 << 20
  /// How often a stretch is read. The cleaner may move it.
  private static let digestAttempts = 3

  /// Writes a file out, makes that durable, reads it back from the storage, and returns the hash of the stored bytes.
  ///
  /// - Throws: `EACCES` unless the user may read the file; `EIO` when stored data is missing or differs from the
  ///   written data; `EAGAIN` when the file changes during the call; `ENOSPC`; `EISDIR`, `EINVAL` for other types.
  package func storedDigest(
    of number: InodeNumber, _ key: ContentKey = .ofThisRun, for opener: Opener
  ) throws(Errno) -> StoredDigest {
    let begin = try writeOut(number, for: opener)
    var hasher = ContentHasher(key)
    var reader = PastMemoryReader(of: space)
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.digestStep, alignment: 4096)
    defer { unsafe block.deallocate() }
    var offset: Int64 = 0
    while offset < begin.size {
      let count = Int(min(Int64(Self.digestStep), begin.size - offset))
      let part = unsafe UnsafeMutableRawBufferPointer(rebasing: block[..<count])
      try unsafe readPastMemory(number, at: offset, into: part, begin, &reader)
      unsafe hasher.update(UnsafeRawBufferPointer(part))
      offset += Int64(count)
    }
    try locked { files throws(Errno) in _ = try files.data.requireUnchanged(number, since: begin) }
    return StoredDigest(size: begin.size, hash: hasher.finish())
  }

  /// Writes out a file that the user may read. If the log is full, waits for the cleaner, like an fsync.
  private func writeOut(_ number: InodeNumber, for opener: Opener) throws(Errno) -> WrittenFile {
    while true {
      do throws(Errno) {
        return try locked { files throws(Errno) in
          guard let record = try files.rights.presentRecord(number), try files.rights.may(opener, .read, record) else {
            throw .permissionDenied
          }
          return try files.data.writeOutFile(number)
        }
      } catch {
        guard error == .noSpace, locked({ $0.waitForRoom() }) else { throw error }
      }
    }
  }

  private func readPastMemory(
    _ number: InodeNumber, at offset: Int64, into part: UnsafeMutableRawBufferPointer, _ begin: WrittenFile,
    _ reader: inout PastMemoryReader
  ) throws(Errno) {
    for _ in 0..<Self.digestAttempts {
      let plan = try locked { files throws(Errno) in
        let inode = try files.data.requireUnchanged(number, since: begin)
        var plan: [StoredStretch] = []
        unsafe try files.data.planStored(inode, offset..<offset + Int64(part.count), part) {
          plan.append(StoredStretch(place: $0, extent: $1))
        }
        return plan
      }
      if let last = plan.map(\.extent.position).max(), !space.isDurable(last) { try syncLog() }
      do throws(VaultError) {
        for stretch in plan {
          let left = Int(min(begin.size - offset - Int64(stretch.place), Int64(Self.digestStep)))
          // Includes the bytes of records in addition to their plaintext.
          try unsafe reader.read(stretch, of: part, ahead: left + left / 64 + 4096)
        }
        return
      } catch {
        continue
      }
    }
    logDamage(number, FileOffset(rawValue: offset))
    throw .ioError
  }
}

/// A file whose data was completely in the log.
struct WrittenFile {
  var size: Int64
  /// The time of the last change of the content.
  var modified: Timestamp
}

extension FileData {
  /// Waits until all data of a file is in the log.
  fileprivate mutating func writeOutFile(_ number: InodeNumber) throws(Errno) -> WrittenFile {
    while true {
      files.waitForCriticalPart()
      let inode = try files.regularFile(number)
      if inode.buffer.isEmpty {
        return WrittenFile(size: inode.record.size, modified: inode.record.modified)
      }
      if let refusal = files.refusal { throw refusal }
      if files.writeBack.logIsFull { throw .noSpace }
      for chunk in inode.buffer.waiting.values where files.writeBack.queue(chunk) { files.signals[.flushWork].signal() }
      let batch = files.flusher.takeBatch(oldToo: false)
      if batch.isEmpty { files.wait(for: .progress) } else { files.flusher.writeOut(batch) }
    }
  }

  /// The file, if it was not written since.
  ///
  /// - Throws: `EAGAIN`.
  fileprivate func requireUnchanged(_ number: InodeNumber, since begin: WrittenFile) throws(Errno) -> Inode {
    let inode = try files.regularFile(number)
    guard inode.buffer.isEmpty, inode.record.size == begin.size, inode.record.modified == begin.modified else {
      throw .resourceTemporarilyUnavailable
    }
    return inode
  }
}

extension PastMemoryReader {
  fileprivate mutating func read(
    _ stretch: StoredStretch, of buffer: UnsafeMutableRawBufferPointer, ahead: Int
  ) throws(VaultError) {
    let extent = stretch.extent
    try unsafe read(
      extent.position, recordLength: extent.recordLength, range: extent.skip..<extent.skip + extent.length,
      ahead: extent.skip + ahead,
      into: UnsafeMutableRawBufferPointer(rebasing: buffer[stretch.place..<stretch.place + extent.length]))
  }
}
