// What a machine may keep of a space so that it knows an older state of it when it sees one.
//
// Invariants
// 1. A mark that is kept was durable first: no crash brings the space back behind it.
// 2. Without the space's key neither the name of the record nor its content says whose it is, or how far that space has
//    come: the name is a keyed hash, the content is sealed and always as long.

internal import Crypto
internal import Storage
internal import System

/// How far a space has come.
package struct StateMark: Equatable, Sendable {
  /// The number of the newest commit.
  package let sequence: UInt64
  /// The epoch that it is in, or a later one that began without a commit.
  let epoch: EpochNumber
  /// What tells that epoch from another one of the same number, which another machine began.
  let branch: [UInt8]

  /// Whether this is behind `other`, for two marks of one history.
  package func isBehind(_ other: StateMark) -> Bool { sequence < other.sequence || epoch < other.epoch }
}

/// How the state of a space stands to a mark that was kept.
package enum StateStanding: Equatable, Sendable {
  /// It has come as far, or further.
  case current
  /// It is older.
  case older
  /// Its history left that of the mark before the mark was reached.
  case branchedOff
}

extension Space {
  private static let markSize = 32

  /// The name under which a machine keeps its record of the space: 32 hexadecimal digits, the same for every copy of
  /// the vault.
  package var recordName: String {
    SegmentIdentifier(
      bytes: KeyedHash.identifier(
        of: keys.recordKey, context: "name", data: [], count: SegmentIdentifier.size)
    ).description
  }

  /// How far the space has come, with what is durable of it only when it was closed or just opened; see
  /// `durableMark()`.
  package var mark: StateMark {
    log.locked { log in
      while log.tail.isBeginningEpoch { log.wait() }
      let epoch = log.tail.segment.epoch
      return StateMark(sequence: log.tail.sequence, epoch: epoch, branch: log.catalog.branch(of: epoch) ?? [])
    }
  }

  /// Makes durable all that was committed, and says how far that is.
  ///
  /// - Throws: as `sync()`.
  package func durableMark() throws(VaultError) -> StateMark {
    let mark = mark
    try sync()
    return mark
  }

  /// How the state that is open now stands to what was seen.
  package func standing(to seen: StateMark) -> StateStanding {
    let mark = mark
    let known = log.locked { $0.catalog.branch(of: seen.epoch) }
    // Of a head that cannot be read nothing but the number is known.
    if let known, known.contains(where: { $0 != 0 }), known != seen.branch { return .branchedOff }
    return mark.isBehind(seen) ? .older : .current
  }

  /// The content of a record.
  package func record(of mark: StateMark) -> [UInt8] {
    var fields = ByteWriter()
    fields.append(mark.sequence)
    fields.append(mark.epoch.rawValue)
    fields.append(mark.branch)
    fields.pad(to: Self.markSize)
    let plaintext = unsafe fields.bytes.withUnsafeBytes { unsafe SecretBytes(copying: $0) }
    return SlotSealing.seal(plaintext, key: keys.recordKey, associatedData: [])
  }

  /// What a record says; nil when it is not one of this space.
  package func mark(ofRecord content: [UInt8]) -> StateMark? {
    guard content.count == Self.markSize + SlotSealing.overhead,
      let plaintext = SlotSealing.open(content, key: keys.recordKey, associatedData: [])
    else { return nil }
    var reader = ByteReader(unsafe plaintext.withUnsafeBytes { unsafe Array($0) })
    do throws(ByteReader.Malformed) {
      let sequence = try reader.read(UInt64.self)
      let epoch = EpochNumber(rawValue: try reader.read())
      return StateMark(sequence: sequence, epoch: epoch, branch: try reader.readBytes(SpaceKeys.branchSize))
    } catch {
      return nil
    }
  }
}
