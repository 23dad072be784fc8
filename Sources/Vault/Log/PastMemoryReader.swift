internal import Storage
internal import SystemPackage

/// Reads extents from the storage, past every cache. The extents must be durable (`Space.isDurable`).
package struct PastMemoryReader {
  private let space: Space
  /// The segment that was read last.
  private var handle: SegmentHandle?

  /// Reads extents of a space.
  package init(of space: Space) { self.space = space }

  /// Reads plaintext bytes `range` of the extent record at `position`, which has `recordLength` bytes of plaintext. The
  /// caller is expected to read up to `ahead` bytes of the segment, counted from the start of the record.
  ///
  /// - Throws: `.damaged` when the record is missing or does not authenticate; `.system`.
  package mutating func read(
    _ position: LogPosition, recordLength: Int, range: Range<Int>, ahead: Int,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(VaultError) {
    if range.isEmpty { return }
    let handle = if let handle, handle.number == position.segment { handle } else { try open(position.segment) }
    self.handle = handle
    handle.reader.expect(upTo: Int(position.offset) + ahead)
    do throws(VaultError) {
      try unsafe space.read(from: handle, position, recordLength, range, into: buffer)
    } catch {
      self.handle = nil
      throw error
    }
  }

  private func open(_ segment: SegmentNumber) throws(VaultError) -> SegmentHandle {
    let known = try space.handle(segment)
    let identifier = space.keys.identifier(segment, branch: known.header.branch)
    do throws(Errno) {
      let reader = try space.storage.openPastMemory(identifier)
      return SegmentHandle(known.header, key: known.key, reader: reader)
    } catch .noSuchFileOrDirectory {
      throw .damaged("a segment is missing")
    } catch {
      throw .system(error, "reading a segment")
    }
  }
}

extension Space {
  /// Whether the record at a position is durable.
  package func isDurable(_ position: LogPosition) -> Bool {
    log.locked { $0.durability.flushedThrough > position }
  }
}
