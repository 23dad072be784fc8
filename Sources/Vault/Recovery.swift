// Finding the newest state of a space, without changing anything.
//
// Invariants
// 1. The newest head that is complete counts, the commits that follow it in its epoch, and those of later epochs whose heads cannot be read, as far
//    as one leads to the next.
// 2. What was durable is never given up silently: where it cannot be reached, the space opens read-only and says so.

internal import Crypto
internal import Storage
internal import SystemPackage

/// What recovery found.
struct RecoveredState {
  var epochs: [EpochNumber: EpochEntry] = [:]
  var pages: [UInt64] = []
  var heads: [KeptHead] = []
  var retired: [SegmentNumber: EpochNumber] = [:]
  var sequence: UInt64 = 0
  /// Writes that are in the log's commits and not in the database, encoded.
  var intents: [UInt8] = []
  var highestEpoch = EpochNumber(rawValue: 0)
  /// Where the log ends, and the chain value there.
  var end = LogPosition(rawValue: 0)
  var chain = [UInt8](repeating: 0, count: SpaceKeys.chainSize)
  /// Segment files of the newest epochs, which have to be made durable before anything new is written.
  var tail: [SegmentIdentifier] = []
  /// Heads that a crash tore, or that cannot be read.
  var torn: [SegmentIdentifier] = []
  /// Segments that a crash left beyond the end of the log, and heads that it tore: nothing names what is in them.
  var leftover: Set<SegmentNumber> = []
  /// Whether the newest head is not the file that it was written to.
  var isCopy = false
  /// Whether this is a copy that lacks segments, or ends of them, which came after the state that was found.
  var isUnfinishedCopy = false
  /// Whether the search by prefix misses the newest head, since one that leads there is lost.
  var isMissedBySearch = false
  /// Why the space must not be written; nil when it may.
  var warning: String?
}

struct Recovery {
  /// How many epochs below a torn head are tried before the whole folder is listed.
  private static let nearbyEpochs: UInt32 = 16

  let storage: any Storage
  let keys: SpaceKeys
  let segmentSize: Int

  /// Finds and replays the newest state. `newest` is what `newestExisting` gave.
  ///
  /// - Throws: `.damaged` when no head of the space can be read.
  func recover(newest: EpochNumber) throws(VaultError) -> RecoveredState {
    var highest = newest
    var chosen: Head?
    var candidate = newest.rawValue
    while candidate > 0, newest.rawValue - candidate < Self.nearbyEpochs, chosen == nil {
      chosen = try head(EpochNumber(rawValue: candidate))
      candidate -= 1
    }
    var isUnfinished = false
    if chosen == nil || chosen?.isCopy == true {
      // What was found may be all that the search can see of an incomplete copy: look at every file.
      var all = try allHeads()
      highest = max(highest, all.last ?? highest)
      chosen = nil
      while let epoch = all.popLast(), chosen == nil {
        guard let found = try head(epoch) else { continue }
        if try isComplete(found.state) {
          chosen = found
        } else {
          isUnfinished = true
        }
      }
    }
    guard let chosen else { throw .damaged("no head of the space can be read") }
    var state = try replay(chosen)
    state.highestEpoch = highest
    state.isCopy = chosen.isCopy
    if state.warning == nil, isUnfinished || state.isUnfinishedCopy {
      state.isUnfinishedCopy = true
      state.warning =
        "this copy of the vault lacks files, or parts of them, of its newest state; the newest whole state is shown, and it is read-only"
    }
    for epoch in chosen.state.epoch.rawValue + 1..<highest.rawValue + 1 {
      let number = EpochNumber(rawValue: epoch)
      if try exists(number) { try proceed(into: number, &state) }
    }
    return state
  }

  struct Head {
    var state: HeadState
    /// Stands after the head's last part.
    var reader: LogReader
    var isCopy: Bool
  }

  /// Reads the head of an epoch; nil when it is missing, torn or damaged. A segment's header says nothing that the head's state does not say, so
  /// that one that does not authenticate is no loss.
  func head(_ epoch: EpochNumber) throws(VaultError) -> Head? {
    let number = SegmentNumber(epoch: epoch, index: 0)
    do throws(Errno) {
      let file = try storage.open(keys.headIdentifier(epoch))
      let identity = try file.identity()
      if let (handle, header) = try SegmentHandle.open(file, keys: keys) {
        guard header.number == number else { return nil }
        return head(handle, header, identity)
      }
      guard let handle = try SegmentHandle(withoutHeader: file, keys: keys, number: number) else { return nil }
      var header = SegmentHeader(
        number: number, branch: [UInt8](repeating: 0, count: SpaceKeys.branchSize), previousEnd: 0,
        chain: [UInt8](repeating: 0, count: SpaceKeys.chainSize))
      guard let state = head(handle, header, identity)?.state, let branch = state.epochs[epoch]?.branch else {
        return nil
      }
      header.branch = branch
      header.chain = state.previousChain
      return head(handle, header, identity)
    } catch .noSuchFileOrDirectory, .ioError {
      return nil
    } catch {
      throw .system(error, "reading a head")
    }
  }

  private func head(_ handle: SegmentHandle, _ header: SegmentHeader, _ identity: SegmentIdentity) -> Head? {
    var reader = LogReader(storage: storage, keys: keys, segmentSize: segmentSize, handle: handle, header: header)
    guard let bytes = try? headBytes(&reader), let state = try? HeadState(decoding: bytes),
      state.epoch == header.number.epoch
    else { return nil }
    return Head(state: state, reader: reader, isCopy: state.identity != identity)
  }

  private func headBytes(_ reader: inout LogReader) throws(VaultError) -> [UInt8]? {
    var bytes: [UInt8] = []
    var total = 1
    var part: UInt64 = 0
    while bytes.count < total {
      guard let record = try reader.next(), record.header.kind == .head, record.header.first == part,
        let plaintext = record.headPart()
      else { return nil }
      bytes += plaintext
      total = Int(clamping: record.header.second)
      part += 1
    }
    return bytes
  }

  /// A file of the vault that is a segment of this space.
  struct ListedSegment {
    var number: SegmentNumber
    var branch: [UInt8]
  }

  /// All segments of this space that are in the vault under their own names, by opening the header of every file.
  func allSegments() throws(VaultError) -> [ListedSegment] {
    var segments: [ListedSegment] = []
    do throws(Errno) {
      try storage.list { listing in
        guard let file = try? storage.open(listing.identifier),
          let header = try? SegmentHandle.open(file, keys: keys)?.header,
          keys.identifier(header.number, branch: header.branch) == listing.identifier
        else { return true }
        segments.append(ListedSegment(number: header.number, branch: header.branch))
        return true
      }
    } catch {
      throw .system(error, "listing the vault")
    }
    return segments
  }

  /// The numbers of all heads of this space, in order, by opening the header of every file.
  func allHeads() throws(VaultError) -> [EpochNumber] {
    try allSegments().map(\.number).filter { $0.index == 0 }.map(\.epoch).sorted()
  }

  /// Whether every segment that a head needs is there in full; those of its own epoch may still be short.
  private func isComplete(_ state: HeadState) throws(VaultError) -> Bool {
    for (epoch, entry) in state.epochs where epoch != state.epoch {
      for number in entry.segments(of: epoch) {
        if state.retired[number] != nil { continue }
        // The last segment before the head is completed only after it, and a copy may have been made in between.
        let needed = number == state.previousEnd.segment ? state.previousEnd.offset : segmentSize
        guard let file = try? storage.open(keys.identifier(number, branch: entry.branch)), let size = try? file.size(),
          size >= needed, size <= segmentSize
        else { return false }
      }
    }
    return true
  }
}
