// Replays the commits of an epoch.
//
// Invariants
// 1. A commit is applied only if it is certainly the next one: either the chain leads to it, or its sequence number and
//    its own records show that the unreadable part before it can contain only file data.
// 2. Everything after the last position that a commit calls durable is authenticated. Replay goes back to the last
//    commit before the first missing or damaged record there. Damage before that position costs the file data in it,
//    but no commit.
// 3. Durable commits are never given up silently. If they cannot be replayed, the space opens read-only with a warning.
// 4. In a copy of a space that owns cover, the log ends at the first gap: nothing behind the gap is applied.

internal import Storage
internal import SystemPackage

extension Recovery {
  private struct Commit {
    var body: CommitBody
    var pages: [(PageNumber, LogPosition)]
    var end: LogPosition
    var chainAfter: [UInt8]
    var isClosing: Bool
    var recordIndex: Int
  }

  /// The content of an epoch, in the order of the log.
  private struct EpochContent {
    var records: [LogReader.Record] = []
    /// The commits that can be applied, in order.
    var commits: [Commit] = []
    /// The last position that any commit calls durable.
    var durable: LogPosition
    /// Whether there is a commit that changes something, even if it cannot be applied.
    var holdsCommits = false
    /// Whether this is a copy, and the log continues in files that the copy lacks.
    var isUnfinished = false

    /// The first position behind `end`, the end of the last commit that is applied, at which something may be lost: a
    /// gap, the next commit, or the end of the log. Everything before it belongs to no commit, durable or not.
    func reached(from end: LogPosition) -> LogPosition {
      var reached = end
      for record in records[((commits.last?.recordIndex ?? -1) + 1)...] {
        if record.gap != nil || record.header.kind == .commit { break }
        reached = record.end
      }
      return reached
    }
  }

  /// Replays the commits that follow a head.
  func replay(_ head: Head) throws(VaultError) -> RecoveredState {
    var state = RecoveredState()
    state.epochs = head.state.epochs
    state.heads = head.state.heads
    state.retired = head.state.retired
    state.sequence = head.state.sequence
    state.pages = head.state.pages
    state.intents = head.state.intents
    state.owner = head.state.owner
    state.end = head.reader.position
    state.chain = head.reader.chain ?? head.state.previousChain
    _ = try replay(head.reader, onto: &state, isCopy: head.isCopy)
    return state
  }

  /// Applies the commits of an epoch to `state`, which ends at `reader`. False if none of them changes anything.
  func replay(
    _ reader: LogReader, onto state: inout RecoveredState, isCopy: Bool = false
  ) throws(VaultError) -> Bool {
    var content = try content(reader, after: state, isCopy: isCopy)
    // Go back, commit by commit, until everything after the commit's durable position authenticates.
    while let last = content.commits.last, !last.isClosing {
      let unproven = content.records[...last.recordIndex].reversed()
        .prefix { $0.position >= last.body.flushedThrough }.reversed()
      var wrong: LogPosition?
      for record in unproven where wrong == nil {
        if let gap = record.gap, record.position > last.body.flushedThrough { wrong = gap }
        if wrong == nil, !record.authenticates(context.keys.extents) { wrong = record.position }
      }
      guard let wrong else { break }
      content.commits.removeAll { $0.end > wrong }
    }
    var map = PageMap(positions: state.pages)
    for commit in content.commits {
      map.resize(to: commit.body.pageCount)
      for (page, position) in commit.pages { map.set(page, to: position) }
      commit.body.intents.apply(to: &state.intents)
      state.sequence = commit.body.sequence
      state.end = commit.end
      state.chain = commit.chainAfter
    }
    state.pages = map.positions
    state.origin.isClosed = content.commits.last?.isClosing ?? false
    if content.isUnfinished { state.origin.isUnfinishedCopy = true }
    if content.durable > content.reached(from: state.end) {
      state.origin.warning = "the end of the log is damaged; the last state before the damage is opened read-only"
    }
    try noteSegments(of: reader.position.segment.epoch, branch: reader.branch, in: &state)
    return content.holdsCommits
  }

  /// Reads an epoch to its end.
  private func content(
    _ start: LogReader, after state: RecoveredState, isCopy: Bool
  ) throws(VaultError) -> EpochContent {
    var reader = start
    var content = EpochContent(durable: state.end)
    var sequence = state.sequence
    /// The pages of each pages record since the last commit or gap; nil for a list that does not authenticate.
    var pending: [[(PageNumber, LogPosition)]?] = []
    var followsGap = false
    var isBroken = false
    while true {
      var next = try reader.next()
      if next == nil {
        let gap = reader.position
        next = try reader.nextInSegment(behindGapFrom: gap)
        if next == nil {
          let isCutOff = isCopy ? try reader.isCutOff() : false
          next = try reader.nextInFollowingSegments(behindGapFrom: gap)
          if isCutOff {
            content.isUnfinished = next != nil
            return content
          }
        }
        if isCopy, !acceptsHoles, let behind = next, state.owner?.fileCount ?? 0 > 0 {
          content.isUnfinished = try wasDurable(before: behind, reader)
          return content
        }
      }
      guard let record = next else { return content }
      content.records.append(record)
      if record.gap != nil {
        pending = []
        followsGap = true
      }
      switch record.header.kind {
      case .pages: pending.append(record.pages())
      case .commit:
        defer {
          pending = []
          followsGap = false
        }
        let body = record.commit()
        // The durable position of a commit counts, even if the commit cannot be replayed.
        if let body {
          content.durable = max(content.durable, body.flushedThrough)
          content.holdsCommits = content.holdsCommits || body.changesSomething
        }
        // Earlier pages records belong to a commit that a full disk cut off.
        guard !isBroken, let body, body.chain == record.chainBefore ?? body.chain,
          !followsGap || body.sequence == sequence + 1, body.recordCount <= UInt32(pending.count),
          body.pageCount <= Space.mostDatabasePages(segmentSize: context.segmentSize)
        else {
          isBroken = true
          continue
        }
        let lists = pending.suffix(Int(body.recordCount)).compactMap(\.self)
        guard lists.count == Int(body.recordCount) else {
          isBroken = true
          continue
        }
        reader.adopt(chain: body.chain, before: record)
        sequence = body.sequence
        let isClosing = record.header.flags & RecordHeader.closedFlag != 0
        content.commits.append(
          Commit(
            body: body, pages: lists.flatMap(\.self), end: reader.position,
            chainAfter: context.keys.chain(
              after: body.chain, tag: record.tag, in: record.position.segment.epoch), isClosing: isClosing,
            recordIndex: content.records.count - 1))
        if isClosing { return content }
      case .extent, .head: break
      }
    }
  }

  /// Whether the gap before a record was written and durable when the log behind it was written, or the copy also lacks
  /// a file behind the gap. Otherwise the gap may come from a crash before the copy was made, or from a file that an
  /// earlier version was overwriting; then the lost data was not durable when the copy began.
  private func wasDurable(before record: LogReader.Record, _ reader: LogReader) throws(VaultError) -> Bool {
    guard let gap = record.gap else { return false }
    var (reader, next, segment) = (reader, Optional(record), gap.segment)
    while let record = next {
      if let body = record.commit(), body.flushedThrough > gap { return true }
      // If a file is missing or short, the copy lacks more than the gap.
      for index in segment.index..<record.position.segment.index {
        let passed = SegmentNumber(epoch: segment.epoch, index: index)
        let size = try? context.storage.open(context.keys.identifier(passed, branch: reader.branch)).size()
        if size ?? 0 < context.segmentSize { return true }
      }
      segment = record.position.segment
      next = try reader.next()
      if next == nil { next = try reader.nextBehindGap() }
    }
    return false
  }

  /// Continues with an epoch whose head cannot be read, if its log continues `state`: a head contains only information
  /// from the log before it. Otherwise gives up the epoch, with a warning if it holds more than a crash can leave.
  func proceed(into epoch: EpochNumber, _ state: inout RecoveredState) throws(VaultError) {
    let head = SegmentNumber(epoch: epoch, index: 0)
    let identifier = context.keys.headIdentifier(epoch)
    var (isLoss, isUnfinished) = (false, false)
    do throws(Errno) {
      let file = try context.storage.open(identifier)
      let size = try file.size()
      if let handle = try SegmentHandle.open(file, keys: context.keys) {
        guard handle.number == head else { throw .ioError }
        let reader = LogReader(context, handle)
        do throws(VaultError) {
          var next = state
          next.end = reader.position
          isLoss = try replay(reader, onto: &next, isCopy: state.origin.isCopy)
          if isLoss, handle.header.chain == state.chain, state.origin.warning == nil {
            state = next
            if state.origin.isUnfinishedCopy { state.origin.noteUnfinishedCopy() }
            return
          }
          isUnfinished = next.origin.isUnfinishedCopy
          try noteSegments(of: epoch, branch: reader.branch, in: &state)
        } catch {
          isLoss = true
        }
      } else {
        // After a crash, the file of a torn head contains only a part of the head.
        isLoss = size > headSize(state)
      }
    } catch .noSuchFileOrDirectory {
      return
    } catch {
      isLoss = true
    }
    if state.origin.warning == nil {
      if isUnfinished {
        state.origin.noteUnfinishedCopy()
      } else if isLoss {
        state.origin.warning = "the newest head is damaged; an older state is opened read-only"
      }
    }
    state.epochs[epoch, default: EpochEntry(branch: SpaceKeys.unknownBranch, present: 0)].insert(0)
    state.leftover.insert(head)
    state.torn.append(identifier)
  }

  /// The largest file of the next head that can contain only the head, in bytes: every segment may be retired.
  private func headSize(_ state: RecoveredState) -> Int {
    let segments = state.epochs.values.reduce(0) { $0 + $1.present.nonzeroBitCount }
    let body =
      HeadState.fixedSize + 12 * (state.heads.count + 1) + 28 * (state.epochs.count + 1) + 12 * segments
      + 8 * state.pages.count + (state.owner?.encodedSize ?? 0) + state.intents.count
    return SegmentFormat.recordsStart + body + (body / HeadState.partSize + 1)
      * RecordHeader.recordLength(bodyLength: 32)
  }

  /// Records which segment files of an epoch exist, including those after the end of the log.
  private func noteSegments(
    of epoch: EpochNumber, branch: [UInt8], in state: inout RecoveredState
  ) throws(VaultError) {
    var entry = EpochEntry(branch: branch, present: 0)
    for index in 0..<SegmentNumber.perEpoch {
      let number = SegmentNumber(epoch: epoch, index: index)
      let identifier = context.keys.identifier(number, branch: branch)
      try attempt("looking for segments") { () throws(Errno) in
        guard try context.storage.exists(identifier) else { return }
        entry.insert(index)
        state.tail.append(identifier)
        if number > state.end.segment { state.leftover.insert(number) }
      }
    }
    state.epochs[epoch] = entry
  }
}
