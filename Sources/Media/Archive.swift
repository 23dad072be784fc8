/// What an archive says of an entry. All of it is the archive's word, or that of a decoder that was taken over.
package struct ArchiveEntry: Sendable, Equatable {
  package enum Kind: UInt8, Sendable {
    /// The only kind that has data.
    case file = 0
    case directory = 1
    case symbolicLink = 2
    /// Another name of an entry before it, which `target` names.
    case hardLink = 3
    /// A device, a pipe or what is unknown.
    case other = 4
  }

  /// When an entry was changed.
  package struct Time: Sendable, Equatable {
    /// Seconds since 1970.
    package var seconds: Int64
    package var nanoseconds: UInt32
    /// Whether these are the date and time on the wall, as if they were UTC, in a zone that the archive does not say.
    package var isWallClock: Bool

    package init(seconds: Int64, nanoseconds: UInt32 = 0, isWallClock: Bool = false) {
      self.seconds = seconds
      self.nanoseconds = nanoseconds
      self.isWallClock = isWallClock
    }
  }

  package var kind: Kind
  /// Its path as the archive has it, in no known encoding. If it is longer than a path may be, it is cut.
  package var name: [UInt8]
  /// Where a link leads to, unchecked; empty if the header does not say.
  package var target: [UInt8]
  /// Bytes of data, if the archive says so beforehand.
  package var size: Int64?
  package var modified: Time?

  package init(kind: Kind, name: [UInt8], target: [UInt8] = [], size: Int64? = nil, modified: Time? = nil) {
    self.kind = kind
    self.name = Array(name.prefix(Self.mostNameBytes))
    self.target = Array(target.prefix(Self.mostNameBytes))
    self.size = size
    self.modified = modified
  }

  /// One more than a path may have, so that it is seen to be too long.
  package static let mostNameBytes = ArchivePath.mostBytes + 1

  /// Its path, or why it has none.
  package var path: Result<ArchivePath, ArchivePath.Refusal> {
    Result { () throws(ArchivePath.Refusal) in try ArchivePath(name, isDirectory: kind == .directory) }
  }
}

/// How the data of an entry ended, or an archive.
package enum ArchiveVerdict: Sendable, Hashable {
  /// All of it was given out, and agrees with every size and check sum that the archive has of it.
  case whole
  /// The caller did not want it, or not all of it.
  case skipped
  /// It needs a password.
  case encrypted
  /// A check sum or a size is wrong, or something is missing. The reason is at most 200 printable ASCII characters.
  case damaged(String)
  /// It is packed in a way that is not known.
  case unsupported(String)
  /// It exceeds a limit: the reason says which.
  case tooLarge(String)
}

/// What comes of an archive, in order: an entry; if it is a file that is wanted, pieces of its data; then its end.
package enum ArchiveEvent: Sendable, Equatable {
  /// The next entry. Only a file has data and an end.
  case entry(ArchiveEntry)
  /// The next bytes of its data: at least one, at most `WireMessage.mostPieceBytes`.
  case piece([UInt8])
  /// No more data of it comes. Unless it is whole, what came is not what was packed.
  case end(ArchiveVerdict)
}

/// What the caller wants next.
package enum ArchiveStep: Sendable {
  case proceed
  /// The entry that follows: no data of this one, or no more.
  case skip
  /// Nothing more of this archive.
  case stop
}

/// What a caller takes of an archive. A bomb is an archive that is small and holds much.
package struct ArchiveLimits: Sendable {
  /// Most bytes of one entry; of a larger one nothing more is read.
  package var mostEntryBytes: Int64
  /// Most bytes of all entries together; behind them the archive ends.
  package var mostBytes: Int64
  /// Most bytes that one byte of the archive may become.
  package var mostRatio: Int64
  /// Bytes up to which the ratio does not matter.
  package var freeBytes: Int64

  package init(
    mostEntryBytes: Int64 = .max, mostBytes: Int64 = .max, mostRatio: Int64 = 1000, freeBytes: Int64 = 1 << 30
  ) {
    self.mostEntryBytes = mostEntryBytes
    self.mostBytes = mostBytes
    self.mostRatio = mostRatio
    self.freeBytes = freeBytes
  }

  /// Whether so much comes of too few bytes.
  func isBomb(_ unpacked: Int64, from packed: Int64) -> Bool {
    let (most, overflows) = packed.multipliedReportingOverflow(by: mostRatio)
    return unpacked > freeBytes && !overflows && unpacked > most
  }
}
