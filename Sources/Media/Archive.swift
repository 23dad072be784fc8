/// An entry as the archive describes it. None of this is trusted: the archive may lie, and so may a compromised
/// decoder.
package struct ArchiveEntry: Sendable, Equatable {
  package enum Kind: UInt8, Sendable {
    /// The only kind that has data.
    case file = 0
    case directory = 1
    case symbolicLink = 2
    /// Another name of an earlier entry, which `target` names.
    case hardLink = 3
    /// A device, a pipe or an unknown kind.
    case other = 4
  }

  /// The time of an entry's last change.
  package struct Time: Sendable, Equatable {
    /// Seconds since 1970.
    package var seconds: Int64
    package var nanoseconds: UInt32
    /// Whether this is a local date and time, as if in UTC, in a zone that the archive does not state.
    package var isWallClock: Bool

    package init(seconds: Int64, nanoseconds: UInt32 = 0, isWallClock: Bool = false) {
      self.seconds = seconds
      self.nanoseconds = nanoseconds
      self.isWallClock = isWallClock
    }
  }

  package var kind: Kind
  /// Its path as the archive has it, in an unknown encoding. A path that is too long is cut.
  package var name: [UInt8]
  /// The target of a link, unchecked; empty if the header does not state it.
  package var target: [UInt8]
  /// Bytes of data, if the archive states them in advance.
  package var size: Int64?
  package var modified: Time?

  package init(kind: Kind, name: [UInt8], target: [UInt8] = [], size: Int64? = nil, modified: Time? = nil) {
    self.kind = kind
    self.name = Array(name.prefix(Self.mostNameBytes))
    self.target = Array(target.prefix(Self.mostNameBytes))
    self.size = size
    self.modified = modified
  }

  /// One more than a path may have, so that a cut path is recognised as too long.
  package static let mostNameBytes = ArchivePath.mostBytes + 1

  /// Its checked path, or why it is refused.
  package var path: Result<ArchivePath, ArchivePath.Refusal> {
    Result { () throws(ArchivePath.Refusal) in try ArchivePath(name, isDirectory: kind == .directory) }
  }
}

/// How the data of an entry, or an archive, ended.
package enum ArchiveVerdict: Sendable, Hashable {
  /// All of it was delivered, and matches every size and check sum in the archive.
  case whole
  /// The caller did not want it, or not all of it.
  case skipped
  /// It needs a password.
  case encrypted
  /// A check sum or a size is wrong, or something is missing. The reason is at most 200 printable ASCII characters.
  case damaged(String)
  /// It is packed by an unsupported method.
  case unsupported(String)
  /// It exceeds a limit; the reason says which.
  case tooLarge(String)
}

/// The events of an archive, in order: an entry; if it is a wanted file, pieces of its data; then its end.
package enum ArchiveEvent: Sendable, Equatable {
  /// The next entry. Only a file has data and an end.
  case entry(ArchiveEntry)
  /// The next bytes of its data: at least one, at most `WireMessage.mostPieceBytes`.
  case piece([UInt8])
  /// The end of its data. Unless the verdict is `whole`, the data differ from those that were packed.
  case end(ArchiveVerdict)
}

/// The caller's answer to an event.
package enum ArchiveStep: Sendable {
  case proceed
  /// Go to the next entry: no data of this one, or no more.
  case skip
  /// Stop reading this archive.
  case stop
}

/// The limits of a caller. A bomb is a small archive that unpacks to a huge size.
package struct ArchiveLimits: Sendable {
  /// Most bytes of one entry; a larger one is not read further.
  package var mostEntryBytes: Int64
  /// Most bytes of all entries together; the archive ends there.
  package var mostBytes: Int64
  /// Most bytes into which one byte of the archive may unpack.
  package var mostRatio: Int64
  /// Bytes up to which the ratio is ignored.
  package var freeBytes: Int64

  package init(
    mostEntryBytes: Int64 = .max, mostBytes: Int64 = .max, mostRatio: Int64 = 1000, freeBytes: Int64 = 1 << 30
  ) {
    self.mostEntryBytes = mostEntryBytes
    self.mostBytes = mostBytes
    self.mostRatio = mostRatio
    self.freeBytes = freeBytes
  }

  /// Whether too many bytes come from too few.
  func isBomb(_ unpacked: Int64, from packed: Int64) -> Bool {
    let (most, overflows) = packed.multipliedReportingOverflow(by: mostRatio)
    return unpacked > freeBytes && !overflows && unpacked > most
  }
}
