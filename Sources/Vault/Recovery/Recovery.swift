// Finds the newest state of a space. Recovery changes nothing.
//
// Invariants
// 1. The newest state is that of the newest complete head, plus the commits that follow it in its epoch, plus those of
//    later epochs whose heads cannot be read, as long as each continues the one before.
// 2. Durable data is never given up silently. If it cannot be reached, the space opens read-only with a warning.

internal import Crypto
internal import Storage
internal import SystemPackage

/// The result of recovery.
struct RecoveredState {
  var epochs: [EpochNumber: EpochEntry] = [:]
  var pages: [UInt64] = []
  var heads: [KeptHead] = []
  var retired: [SegmentNumber: EpochNumber] = [:]
  var sequence: UInt64 = 0
  /// The owner table; nil if the space has none.
  var owner: OwnerTable?
  /// Encoded writes that commits state but the database does not contain.
  var intents: [UInt8] = []
  var highestEpoch = EpochNumber(rawValue: 0)
  /// The end of the log, and the chain value there.
  var end = LogPosition(rawValue: 0)
  var chain = [UInt8](repeating: 0, count: SpaceKeys.chainSize)
  /// Segment files of the newest epochs. They are flushed before anything new is written.
  var tail: [SegmentIdentifier] = []
  /// Heads that a crash tore, or that cannot be read.
  var torn: [SegmentIdentifier] = []
  /// Segments that a crash left after the end of the log, and torn heads. Nothing refers to their content.
  var leftover: Set<SegmentNumber> = []
  /// Where the state comes from. With a warning, the space is opened read-only.
  var origin = SpaceOrigin()
}

extension SpaceOrigin {
  /// Notes that a copy lacks a part of its newest state, because it was made while the space was written. That does not
  /// count as damage.
  mutating func noteUnfinishedCopy() {
    isUnfinishedCopy = true
    warning =
      "this copy of the vault is incomplete: files of its newest state are missing or short; "
      + "the newest complete state is opened read-only"
  }
}

struct Recovery {
  /// How many epochs before a torn head are tried before all files are listed.
  private static let nearbyEpochs: UInt32 = 16
  /// How many numbers of heads are tried one by one. Only a writer with the key can leave out more numbers.
  private static let mostEpochsTried: UInt32 = 1 << 16

  let context: LogContext
  /// Whether to accept a state of a copy whose files an earlier version may have overwritten during the copy. A check
  /// accepts it, because it reports the damage.
  var acceptsHoles = false
  private var storage: any Storage { context.storage }
  private var keys: SpaceKeys { context.keys }

  /// Finds and replays the newest state. `newest` is the result of `newestExisting`.
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
      // In an incomplete copy the search may not find the newest head, so read all headers.
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
    if let unfilled = unfilledSegment(before: chosen.state) { state.tail.append(unfilled) }
    state.highestEpoch = highest
    state.origin.isCopy = chosen.isCopy
    state.origin.isBirthUnknown = chosen.isBirthUnknown
    if state.origin.warning == nil, isUnfinished || state.origin.isUnfinishedCopy { state.origin.noteUnfinishedCopy() }
    for epoch in try heads(after: chosen.state.epoch, through: highest) { try proceed(into: epoch, &state) }
    return state
  }

  /// The last segment before a head, if a crash kept it from being filled up.
  private func unfilledSegment(before state: HeadState) -> SegmentIdentifier? {
    let number = state.previousEnd.segment
    guard let entry = state.epochs[number.epoch], entry.contains(number.index) else { return nil }
    let identifier = keys.identifier(number, branch: entry.branch)
    guard let size = try? storage.open(identifier).size(), size < context.segmentSize, size >= state.previousEnd.offset
    else { return nil }
    return identifier
  }

  /// The heads after one, in order. If there are too many numbers to try each, only the heads that open, and the last.
  private func heads(after first: EpochNumber, through last: EpochNumber) throws(VaultError) -> [EpochNumber] {
    var found: [EpochNumber] = []
    if last.rawValue - first.rawValue > Self.mostEpochsTried {
      found = try allHeads().filter { $0 > first && $0 < last }
      if try exists(last) { found.append(last) }
    } else {
      for number in first.rawValue + 1..<last.rawValue + 1 where try exists(EpochNumber(rawValue: number)) {
        found.append(EpochNumber(rawValue: number))
      }
    }
    return found
  }

  struct Head {
    var state: HeadState
    var handle: SegmentHandle
    /// A reader after the head's last part.
    var reader: LogReader
    var isCopy: Bool
    var isBirthUnknown: Bool
  }

  /// Reads the head of an epoch; nil when it is missing, torn or damaged. A damaged segment header loses nothing,
  /// because the head's state contains the same information.
  func head(_ epoch: EpochNumber) throws(VaultError) -> Head? {
    let number = SegmentNumber(epoch: epoch, index: 0)
    do throws(Errno) {
      let file = try storage.open(keys.headIdentifier(epoch))
      if let handle = try SegmentHandle.open(file, keys: keys) {
        return handle.number == number ? try head(handle) : nil
      }
      var header = SegmentHeader(
        number: number, branch: SpaceKeys.unknownBranch, previousEnd: 0,
        chain: [UInt8](repeating: 0, count: SpaceKeys.chainSize))
      guard let handle = try SegmentHandle(assuming: header, of: file, keys: keys),
        let state = try head(handle)?.state, let branch = state.epochs[epoch]?.branch
      else { return nil }
      header.branch = branch
      header.chain = state.previousChain
      return try head(SegmentHandle(header, key: handle.key, reader: file))
    } catch {
      if [.noSuchFileOrDirectory, .notRegularFile].contains(error) || error.isDamageOfMedium { return nil }
      throw .system(error, "reading a head")
    }
  }

  private func head(_ handle: SegmentHandle) throws(Errno) -> Head? {
    var reader = LogReader(context, handle)
    guard let bytes = try? headBytes(&reader), let state = try? HeadState(decoding: bytes),
      state.epoch == handle.number.epoch
    else { return nil }
    // Without birth times nothing shows whether this is a copy. Treating it as one loses nothing.
    let birth = try handle.reader.birth()
    let isCopy = birth.isUnknown || state.birth != birth
    return Head(state: state, handle: handle, reader: reader, isCopy: isCopy, isBirthUnknown: birth.isUnknown)
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

  /// The headers of all segments of this space that are stored under their own names. Opens every file in the vault.
  /// Leaves out files that are damaged on the medium.
  ///
  /// - Throws: `.system` when a file cannot be read for another reason: it could be the newest head.
  func allSegments() throws(VaultError) -> [SegmentHeader] {
    var segments: [SegmentHeader] = []
    try attempt("listing the files") { () throws(Errno) in
      var failure: Errno?
      do throws(Errno) {
        try storage.list { identifier, _, _ in
          if failure != nil { return }
          do throws(Errno) {
            guard let header = try header(of: identifier),
              keys.identifier(header.number, branch: header.branch) == identifier
            else { return }
            segments.append(header)
          } catch {
            failure = error
          }
        }
      } catch {
        // Without any segment, the whole medium may be gone.
        guard error.isDamageOfMedium, !segments.isEmpty else { throw error }
      }
      if let failure { throw failure }
    }
    return segments
  }

  /// The header of a file; nil if it is no segment of this space, is gone, or is damaged on the medium.
  private func header(of identifier: SegmentIdentifier) throws(Errno) -> SegmentHeader? {
    do throws(Errno) {
      return try SegmentHandle.open(storage.open(identifier), keys: keys)?.header
    } catch {
      if [.noSuchFileOrDirectory, .notRegularFile].contains(error) || error.isDamageOfMedium { return nil }
      throw error
    }
  }

  /// The numbers of all heads of this space, in order. Opens the header of every file in the vault.
  func allHeads() throws(VaultError) -> [EpochNumber] {
    try allSegments().map(\.number).filter { $0.index == 0 }.map(\.epoch).sorted()
  }

  /// Whether every segment that a head needs exists in full length and is whole. Segments of its own epoch may be
  /// short.
  private func isComplete(_ state: HeadState) throws(VaultError) -> Bool {
    for (epoch, entry) in state.epochs where epoch != state.epoch {
      for number in entry.segments(of: epoch) {
        if state.retired[number] != nil { continue }
        // The last segment before the head is padded after the head is written. The copy may have been made between the
        // two.
        let needed = number == state.previousEnd.segment ? state.previousEnd.offset : context.segmentSize
        guard let file = try? storage.open(keys.identifier(number, branch: entry.branch)), let size = try? file.size(),
          size >= needed, size <= context.segmentSize
        else { return false }
      }
    }
    if acceptsHoles { return true }
    return try isWhole(state)
  }
}
