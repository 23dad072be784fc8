// Finding the newest state of a space, without changing anything.
//
// Invariants
// 1. The newest head that is complete counts, and the commits that follow it in its epoch.
// 2. Everything after the last point that a commit calls durable is authenticated in full; replay stops at the first thing that is missing
//    or wrong, and goes back to the commit before it.
// 3. What a commit calls durable is never given up silently: where it cannot be replayed, the space opens read-only and says so.

internal import Crypto
internal import Storage
internal import SystemPackage

/// What recovery found.
struct RecoveredState {
  var epochs: [EpochNumber: EpochEntry] = [:]
  var pages: [UInt64] = []
  var patches: [PageNumber: PagePatch] = [:]
  var heads: [KeptHead] = []
  var retired: [SegmentNumber: EpochNumber] = [:]
  var sequence: UInt64 = 0
  var highestEpoch = EpochNumber(rawValue: 0)
  /// Where the log ends, and the chain value there.
  var end = LogPosition(rawValue: 0)
  var chain = [UInt8](repeating: 0, count: SpaceKeys.chainSize)
  var tail: RecoveredTail?
  /// Segments that a crash left beyond the end of the log, and heads that it tore: nothing names what is in them.
  var leftover: Set<SegmentNumber> = []
  /// Whether the search by prefix misses the newest head, since one that leads there is lost.
  var isMissedBySearch = false
  /// Why the space must not be written; nil when it may.
  var warning: String?
}

/// Segment files that have to be made complete and durable before anything new is written.
struct RecoveredTail {
  var segments: [SegmentIdentifier]
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
    var warning: String?
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
          warning =
            "this copy of the vault lacks files of its newest state; an older state is shown, and it is read-only"
        }
      }
    }
    guard let chosen else { throw .damaged("no head of the space can be read") }
    var state = try replay(chosen)
    state.highestEpoch = highest
    if state.warning == nil { state.warning = warning }
    for epoch in chosen.state.epoch.rawValue + 1..<highest.rawValue + 1 {
      let number = EpochNumber(rawValue: epoch)
      guard try exists(number) else { continue }
      if state.warning == nil, try holdsDurableCommits(number) {
        state.warning = "the newest head is damaged; an older state is shown, and it is read-only"
      }
      state.epochs[number] = EpochEntry(branch: [UInt8](repeating: 0, count: SpaceKeys.branchSize), present: 1)
      state.tail?.segments.append(keys.headIdentifier(number))
      state.leftover.insert(SegmentNumber(epoch: number, index: 0))
    }
    return state
  }

  struct Head {
    var state: HeadState
    /// Stands after the head's last part.
    var reader: LogReader
    var isCopy: Bool
  }

  /// Reads the head of an epoch; nil when it is missing, torn or damaged.
  func head(_ epoch: EpochNumber) throws(VaultError) -> Head? {
    let identifier = keys.headIdentifier(epoch)
    do throws(Errno) {
      let file = try storage.open(identifier)
      guard let (handle, header) = try SegmentHandle.open(file, keys: keys),
        header.number == SegmentNumber(epoch: epoch, index: 0)
      else { return nil }
      let identity = try file.identity()
      var reader = LogReader(storage: storage, keys: keys, segmentSize: segmentSize, handle: handle, header: header)
      guard let bytes = try? headBytes(&reader), let state = try? HeadState(decoding: bytes), state.epoch == epoch
      else {
        return nil
      }
      return Head(state: state, reader: reader, isCopy: state.identity != identity)
    } catch .noSuchFileOrDirectory {
      return nil
    } catch {
      throw .system(error, "reading head \(identifier)")
    }
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

  /// The numbers of all heads of this space, by opening the header of every file, in order.
  func allHeads() throws(VaultError) -> [EpochNumber] {
    var epochs: [EpochNumber] = []
    do throws(Errno) {
      try storage.list { listing in
        guard let file = try? storage.open(listing.identifier),
          let opened = try? SegmentHandle.open(file, keys: keys), opened.header.number.index == 0,
          keys.headIdentifier(opened.header.number.epoch) == listing.identifier
        else { return true }
        epochs.append(opened.header.number.epoch)
        return true
      }
    } catch {
      throw .system(error, "listing the vault")
    }
    return epochs.sorted()
  }

  /// Whether every segment that a head needs is there in full; those of its own epoch may still be short.
  private func isComplete(_ state: HeadState) throws(VaultError) -> Bool {
    for (epoch, entry) in state.epochs where epoch != state.epoch {
      for index in 0..<SegmentNumber.perEpoch where entry.present >> UInt64(index) & 1 == 1 {
        let number = SegmentNumber(epoch: epoch, index: index)
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

  /// Whether the segment of a head that cannot be read holds commits that something was built on, or is another segment in its place, which no
  /// crash leaves.
  private func holdsDurableCommits(_ epoch: EpochNumber) throws(VaultError) -> Bool {
    do throws(Errno) {
      guard let (handle, header) = try SegmentHandle.open(storage.open(keys.headIdentifier(epoch)), keys: keys) else {
        return false
      }
      guard header.number == SegmentNumber(epoch: epoch, index: 0) else { return true }
      var reader = LogReader(storage: storage, keys: keys, segmentSize: segmentSize, handle: handle, header: header)
      guard let durable = try? reader.durableAfterEnd() else { return false }
      return durable.segment.epoch == epoch
    } catch {
      return false
    }
  }

  /// Replays the commits that follow a head.
  private func replay(_ head: Head) throws(VaultError) -> RecoveredState {
    struct Commit {
      var body: CommitBody
      var pages: [(PageNumber, LogPosition)]
      var end: LogPosition
      var chainAfter: [UInt8]
      var closed: Bool
      var recordIndex: Int
    }
    var reader = head.reader
    let start = reader.position
    let startChain = reader.chain
    var records: [LogReader.Record] = []
    var commits: [Commit] = []
    /// The pages of each pages record since the last commit; nil for a list that does not authenticate.
    var pending: [[(PageNumber, LogPosition)]?] = []
    var durable = start
    var isClosed = false
    var isBroken = false
    while !isClosed, let record = try reader.next() {
      records.append(record)
      switch record.header.kind {
      case .pages: pending.append(record.pages())
      case .commit:
        defer { pending = [] }
        let body = record.commit()
        // Also of commits that cannot be replayed, since what they call durable was.
        if let body { durable = max(durable, body.flushedThrough) }
        // Records before these are of a commit that a full disk cut off.
        guard !isBroken, let body, body.chain == record.chainBefore, body.recordCount <= UInt32(pending.count) else {
          isBroken = true
          continue
        }
        let lists = pending.suffix(Int(body.recordCount)).compactMap(\.self)
        guard lists.count == Int(body.recordCount) else {
          isBroken = true
          continue
        }
        isClosed = record.header.flags & RecordHeader.closedFlag != 0
        commits.append(
          Commit(
            body: body, pages: lists.flatMap(\.self), end: reader.position, chainAfter: reader.chain, closed: isClosed,
            recordIndex: records.count - 1))
      case .extent, .head: break
      }
    }

    if !isClosed, let later = try reader.durableAfterEnd() { durable = max(durable, later) }
    // Goes back commit by commit until everything after its last durable point authenticates.
    while let last = commits.last {
      let unproven = records[...last.recordIndex].reversed().prefix { $0.position >= last.body.flushedThrough }
      guard let wrong = last.closed ? nil : unproven.reversed().first(where: { !$0.authenticates() }) else { break }
      commits.removeAll { $0.end > wrong.position }
    }

    var state = RecoveredState()
    state.epochs = head.state.epochs
    state.heads = head.state.heads
    state.retired = head.state.retired
    state.sequence = head.state.sequence
    var map = PageMap(positions: head.state.pages)
    var patched = PatchedPages(patches: head.state.patches)
    for commit in commits {
      map.resize(to: commit.body.pageCount)
      for (page, position) in commit.pages { map.set(page, to: position) }
      patched.replay(
        whole: commit.pages.map(\.0), patches: commit.body.patches, pageCount: commit.body.pageCount)
      state.sequence = commit.body.sequence
    }
    state.pages = map.positions
    state.patches = patched.patches
    state.end = commits.last?.end ?? start
    state.chain = commits.last?.chainAfter ?? startChain
    if durable > state.end {
      state.warning =
        "part of the newest log is damaged; the last state before the damage is shown, and it is read-only"
    }
    let present = try presentSegments(of: head.state.epoch, branch: reader.branch)
    state.epochs[head.state.epoch] = EpochEntry(branch: reader.branch, present: present.bits)
    state.tail = RecoveredTail(segments: present.identifiers)
    for index in 0..<SegmentNumber.perEpoch where present.bits >> UInt64(index) & 1 == 1 {
      let number = SegmentNumber(epoch: head.state.epoch, index: index)
      if number > state.end.segment { state.leftover.insert(number) }
    }
    return state
  }

  /// Which segment files of the newest epoch exist, those behind the end of the log included.
  private func presentSegments(
    of epoch: EpochNumber, branch: [UInt8]
  ) throws(VaultError) -> (bits: UInt64, identifiers: [SegmentIdentifier]) {
    var bits: UInt64 = 0
    var identifiers: [SegmentIdentifier] = []
    for index in 0..<SegmentNumber.perEpoch {
      let identifier = keys.identifier(SegmentNumber(epoch: epoch, index: index), branch: branch)
      do throws(Errno) {
        guard try storage.exists(identifier) else { continue }
      } catch {
        throw .system(error, "looking for segments")
      }
      bits |= 1 << UInt64(index)
      identifiers.append(identifier)
    }
    return (bits, identifiers)
  }
}
