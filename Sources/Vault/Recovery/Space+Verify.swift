internal import Crypto
internal import Storage
package import System
internal import SystemPackage

/// A problem with a segment of a space.
package struct LogFinding: Sendable, Equatable {
  /// The segment.
  package let segment: SegmentNumber
  /// The problem, as a clause.
  package let problem: String
  /// False if a crash may have caused it. Then only reading the data in the segment shows whether anything is missing.
  package let isCertain: Bool
}

/// Segments of a space that belong to another branch than the open state.
package struct ForeignContinuation: Sendable, Equatable {
  /// The number of segments.
  package let segments: Int
  /// Their epochs.
  package let epochs: ClosedRange<EpochNumber>
}

/// Files of a space that are missing.
package struct MissingFiles: Sendable, Equatable {
  /// How many are missing.
  package let count: Int
  /// False if a crash may have taken them before their names were durable.
  package let isCertain: Bool
}

extension Space {
  /// Counts the files of a space that owns cover, of which there is always the same number. So it also misses files
  /// that no head names any more because those heads are lost, too. Nil when none is missing, in a copy, and in a space
  /// that owns no cover.
  package func missingFiles() throws(VaultError) -> MissingFiles? {
    guard let owner, owner.fileCount > 0, !origin.isCopy else { return nil }
    let own = Set(owner.allCover.map(keys.coverIdentifier) + owner.slots + segmentIdentifiers())
    var found = 0
    try attempt("listing the files") { () throws(Errno) in
      try storage.list { identifier, _, _ in if own.contains(identifier) { found += 1 } }
    }
    let count = Int(clamping: owner.fileCount) - found
    if count <= 0 { return nil }
    // After a closed log, a new mount creates only one file, the next head, before the first flush.
    return MissingFiles(count: count, isCertain: origin.isClosed && count > 1)
  }

  /// The files and folders of the vault that the host cannot examine, each as its path and the reason.
  package func unlistedFiles() -> [String] {
    var found: [String] = []
    // The error is that of one of them.
    try? storage.list(
      { _, _, _ in },
      unlisted: { path, error in found.append("\(StorageNames.segments)/\(path): \(error)") })
    return found
  }

  /// Searches all files of the vault for segments of another branch of the space. They exist if the space was written
  /// in two places, or if the newest head is lost. Nil when there are none.
  ///
  /// Ignores segments from before the oldest kept head: they may be left over from retired states. In a copy of the
  /// vault, also ignores epochs later than the one in which the log ends, because the copy may lack any of their files.
  package func foreignContinuation() throws(VaultError) -> ForeignContinuation? {
    let state = log.locked { log in
      (
        epochs: log.catalog.epochs, oldest: log.catalog.heads.first?.epoch,
        newest: origin.isCopy ? log.tail.position.segment.epoch : log.catalog.highestEpoch
      )
    }
    var foreign: [EpochNumber] = []
    for segment in try Recovery(context: log.context).allSegments() {
      let epoch = segment.number.epoch
      let isForeign: Bool
      if let known = state.epochs[epoch]?.branch {
        isForeign = known != segment.branch && known != SpaceKeys.unknownBranch
      } else if epoch > state.newest {
        isForeign = !origin.isCopy
      } else {
        isForeign = state.oldest.map { epoch > $0 } ?? true
      }
      if isForeign { foreign.append(epoch) }
    }
    guard let first = foreign.min(), let last = foreign.max() else { return nil }
    return ForeignContinuation(segments: foreign.count, epochs: first...last)
  }

  /// Checks every needed segment: that it exists, has its length and its own header, and that its records follow the
  /// chain of the log. With `readData`, also checks that every byte authenticates. Changes nothing. The findings are in
  /// the order of the log, no matter how many threads work.
  package func verify(readData: Bool, on threads: Parallel = .usual) -> [LogFinding] {
    let (needed, newest) = log.locked { log in
      let catalog = log.catalog
      return (catalog.needed.map { ($0, catalog.branch(of: $0.epoch) ?? []) }, catalog.heads.last?.epoch)
    }
    let all = Set(needed.map(\.0.rawValue))
    return threads.map(needed) { (number, branch) -> LogFinding? in
      let isFollowed = number.index + 1 < SegmentNumber.perEpoch && all.contains(number.rawValue + 1)
      return self.problem(
        in: number, branch: branch, isFollowed: isFollowed, mayBeShort: number.epoch == newest, readData: readData
      ).map { LogFinding(segment: number, problem: $0.text, isCertain: $0.isCertain) }
    }.compactMap(\.self)
  }

  /// The problem of one segment; nil if it has none. `isFollowed` says that the next segment exists.
  private func problem(
    in number: SegmentNumber, branch: [UInt8], isFollowed: Bool, mayBeShort: Bool, readData: Bool
  ) -> (text: String, isCertain: Bool)? {
    let identifier = keys.identifier(number, branch: branch)
    let name = "segment file \(identifier)"
    do throws(Errno) {
      let file = try storage.open(identifier)
      let size = try file.size()
      if size > segmentSize { return ("\(name) is too long", true) }
      if size < segmentSize && !mayBeShort { return ("\(name) is too short", false) }
      guard let handle = try SegmentHandle.open(file, keys: keys) else { return ("\(name) does not open", true) }
      guard handle.number == number, handle.header.branch == branch else {
        return ("\(name) is another segment", true)
      }
      var reader = LogReader(log.context, handle)
      reader.staysInSegment = true
      do throws(VaultError) {
        while let record = try reader.next() {
          if let commit = record.commit(), let chain = record.chainBefore, commit.chain != chain {
            return ("\(name) breaks the log's chain", true)
          }
          if readData || record.header.kind == .head, !record.authenticates(keys.extents) {
            return ("\(name) has a record at byte \(record.position.offset) that does not authenticate", true)
          }
        }
      } catch .system(let reason, _) {
        return ("\(name) cannot be read: \(reason)", true)
      } catch {
        return ("\(name) cannot be read: \(error)", true)
      }
      if isFollowed, let next = try? log.context.segment(after: number, branch: branch)?.header,
        next.previousEnd != reader.position.offset || next.chain != reader.chain
      {
        return ("\(name) is damaged at byte \(reader.position.offset)", true)
      }
      return nil
    } catch .noSuchFileOrDirectory {
      return ("\(name) is missing", true)
    } catch .notRegularFile {
      return ("\(name) is not a regular file", true)
    } catch {
      return ("\(name) cannot be read: \(error)", true)
    }
  }
}
