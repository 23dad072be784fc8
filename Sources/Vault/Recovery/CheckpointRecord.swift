// Checkpoint records, which a machine may keep outside the vault to detect a rollback of a space.
//
// Invariants
// 1. A state is durable before it is recorded, so no crash makes the space older than its record.
// 2. Without the space's key, a record reveals neither its space nor how far the space has come: its name is a keyed
//    hash, and its content is sealed and always has the same length.

internal import Crypto
internal import Storage
internal import System

/// How far a space has come.
package struct CheckpointRecord: Equatable, Sendable {
  /// The number of the newest commit.
  package let sequence: UInt64
  /// The epoch of that commit, or a later epoch without a commit.
  let epoch: EpochNumber
  /// The branch of that epoch. It differs if two machines began an epoch of the same number.
  let branch: [UInt8]

  /// Whether this is behind `other`, if both belong to one history.
  package func isBehind(_ other: CheckpointRecord) -> Bool { sequence < other.sequence || epoch < other.epoch }
}

/// The open state of a space compared with a checkpoint record.
package enum RollbackStatus: Equatable, Sendable {
  /// It has come as far as the record, or further.
  case current
  /// It is older than the record.
  case older
  /// Its history has left that of the record before the recorded state.
  case diverged
}

extension Space {
  /// Bytes of a record's plaintext.
  private static let recordSize = 32

  /// The file name of the record of this space: 32 hexadecimal digits, the same in every copy of the vault.
  package var recordName: String { SegmentIdentifier(of: keys.recordKey, context: "name").description }

  /// How far the space has come. Some of it may not be durable, unless the space was closed or just opened; see
  /// `durableCheckpoint()`.
  package var checkpoint: CheckpointRecord {
    log.locked { log in
      while log.tail.isBeginningEpoch { log.wait() }
      let epoch = log.tail.segment.epoch
      return CheckpointRecord(sequence: log.tail.sequence, epoch: epoch, branch: log.catalog.branch(of: epoch) ?? [])
    }
  }

  /// Makes all commits durable, and returns how far the space has come.
  ///
  /// - Throws: as `sync()`.
  package func durableCheckpoint() throws(VaultError) -> CheckpointRecord {
    let checkpoint = checkpoint
    try sync()
    return checkpoint
  }

  /// Compares the open state with a record.
  package func rollbackStatus(since seen: CheckpointRecord) -> RollbackStatus {
    let checkpoint = checkpoint
    let known = log.locked { $0.catalog.branch(of: seen.epoch) }
    if let known, known != SpaceKeys.unknownBranch, known != seen.branch { return .diverged }
    return checkpoint.isBehind(seen) ? .older : .current
  }

  /// Seals a record.
  package func record(of checkpoint: CheckpointRecord) -> [UInt8] {
    var fields = ByteWriter()
    fields.append(checkpoint.sequence)
    fields.append(checkpoint.epoch.rawValue)
    fields.append(checkpoint.branch)
    fields.pad(to: Self.recordSize)
    let plaintext = unsafe fields.bytes.withUnsafeBytes { unsafe SecretBytes(copying: $0) }
    return SlotSealing.seal(plaintext, key: keys.recordKey, associatedData: [])
  }

  /// Opens a record; nil when it does not belong to this space.
  package func checkpoint(fromRecord content: [UInt8]) -> CheckpointRecord? {
    guard content.count == Self.recordSize + SlotSealing.overhead,
      let plaintext = SlotSealing.open(content, key: keys.recordKey, associatedData: [])
    else { return nil }
    var reader = ByteReader(unsafe plaintext.withUnsafeBytes { unsafe Array($0) })
    do throws(ByteReader.Malformed) {
      let sequence = try reader.read(UInt64.self)
      let epoch = EpochNumber(rawValue: try reader.read())
      return CheckpointRecord(sequence: sequence, epoch: epoch, branch: try reader.readBytes(SpaceKeys.branchSize))
    } catch {
      return nil
    }
  }
}
