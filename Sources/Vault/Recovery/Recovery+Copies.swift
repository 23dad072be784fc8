internal import Storage
internal import SystemPackage

/// Recovers copies that were made during writes. Until November 2026, a space that owns cover wrote over files. A file
/// that was being overwritten may have been copied in full length, with older bytes in the middle.
extension Recovery {
  /// Whether all segments that may have been written during the copy are whole. These are the segments from the oldest
  /// kept head on.
  func isWhole(_ state: HeadState) throws(VaultError) -> Bool {
    guard let oldest = state.heads.first?.epoch, state.owner?.fileCount ?? 0 > 0 else { return true }
    let epochs = state.epochs.keys.filter { $0 >= oldest }.sorted()
    for (epoch, next) in zip(epochs, epochs.dropFirst()) {
      guard let entry = state.epochs[epoch] else { continue }
      for number in entry.segments(of: epoch) where state.retired[number] == nil {
        if try !isWhole(number, entry, before: next, in: state) { return false }
      }
    }
    return true
  }

  /// Whether the records of a segment lead to its end. The end is stated by the record or segment that follows. If none
  /// states it, because the following segments are retired and were not copied completely, no record may stand after
  /// the place where the records stop. `next` is the epoch after the segment's epoch.
  private func isWhole(
    _ number: SegmentNumber, _ entry: EpochEntry, before next: EpochNumber, in state: HeadState
  ) throws(VaultError) -> Bool {
    var end: Int?
    if number == state.previousEnd.segment {
      end = state.previousEnd.offset
    } else if let following = try context.segment(after: number, branch: entry.branch) {
      end = following.header.previousEnd
    } else if let position = try head(next)?.state.previousEnd, position.segment == number {
      end = position.offset
    }
    let handle: SegmentHandle?
    do throws(Errno) {
      handle = try SegmentHandle.open(
        context.storage.open(context.keys.identifier(number, branch: entry.branch)), keys: context.keys)
    } catch {
      return false
    }
    guard let handle, handle.number == number else { return false }
    var reader = LogReader(context, handle)
    reader.staysInSegment = true
    while reader.position.offset < end ?? .max, try reader.next() != nil {}
    if let end { return reader.position.offset == end }
    return try reader.nextInSegment(behindGapFrom: reader.position) == nil
  }
}
