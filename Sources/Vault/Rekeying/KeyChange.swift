// Replacing the key of a space (Vault+Rekeying.swift has the steps).
//
// Invariants
// 1. Nothing is written under the previous key after a head states that the log continues under the new one.
// 2. The number of files of a space that owns cover stays the same: each file under the new key takes the place of one
//    under the previous key, a few at a time. While cover is written again, only one process uses the space. A failure
//    ends writing, as a crash does, and the next opening restores the number.
// 3. A head states that nothing is under the previous key only when no file is.

internal import Crypto
internal import Storage
internal import SystemPackage

extension Space {
  /// Whether files may be under the previous key.
  package var isRekeying: Bool {
    if case .begun = owner?.rekeying { true } else { false }
  }

  /// Whether the space has another key than the one it was created with.
  package var isRekeyed: Bool { body.rekeying != nil }

  /// Whether a segment is under the previous key.
  package func isUnderPreviousKey(_ segment: SegmentNumber) -> Bool {
    keys.previous != nil && segment.epoch < keys.boundary
  }

  /// Segments and cover under the previous key.
  package var filesUnderPreviousKey: Int {
    segments().count { isUnderPreviousKey($0.number) } + coverUnderPreviousKey
  }
}

/// Replaces the key of a space.
package struct KeyChange {
  let space: Space
  var log: Log { space.log }
  var storage: any Storage { space.storage }
  var keys: SpaceKeys { space.keys }
  var segmentSize: Int { space.segmentSize }

  /// Epochs that may still begin under the old key before the first one under the new key.
  private static let epochsBetween: UInt32 = 64

  /// Whether a slot holds a new key under which nothing was written yet, because a crash followed the writing of the
  /// slot.
  package func isKeyChangePending(in slot: SlotBody) -> Bool { !slot.spaceKey.equals(space.body.spaceKey) }

  /// The body for a slot that holds a new key under which nothing was written yet: the slot's own body if the boundary
  /// is still ahead, otherwise one with another key.
  ///
  /// - Throws: as `drawSuccessor`.
  package func successor(of slot: SlotBody) throws(VaultError) -> SlotBody {
    let last = log.locked { $0.catalog.highestEpoch.rawValue } + Self.epochsBetween / 2
    if let boundary = slot.rekeying?.boundary, last < boundary.rawValue { return slot }
    return try drawSuccessor()
  }

  /// Draws a new key, and returns the body for the slot of the password that will open the space with it.
  ///
  /// - Throws: `.readOnly` when the numbers of epochs are used up.
  package func drawSuccessor() throws(VaultError) -> SlotBody {
    let next = log.locked { $0.catalog.highestEpoch.rawValue } + Self.epochsBetween
    guard next <= SlotBody.Rekeying.lastBoundary.rawValue else {
      throw .readOnly("its key was replaced too often; copy its files into a new space")
    }
    let boundary = UInt32(1) << (UInt32.bitWidth - (next - 1).leadingZeroBitCount)
    return space.body.successor(from: EpochNumber(rawValue: boundary))
  }

  /// Continues the log under the key of `successor`: from now on only a slot with that body opens the space. Durable on
  /// return. The caller must then close the space.
  ///
  /// - Parameter change: a change of the table that takes effect at the same moment.
  /// - Throws: as `changeOwner`.
  package func commitKeyChange(
    to successor: SlotBody, _ change: (inout OwnerTable) -> Void = { _ in }
  ) throws(VaultError) {
    let mark = SpaceKeys(successor).successorMark
    try space.changeOwner { owner in
      change(&owner)
      owner.rekeying = .left(successor: mark)
    }
  }

  /// Ends re-keying when no needed segment is under the previous key: writes cover again, and a head that states that
  /// there is one key. Durable on return. No other thread may use the space.
  ///
  /// - Parameter all: how many files were under the previous key at first.
  /// - Returns: false if segments are still needed, perhaps by heads that are kept for copies of the vault.
  /// - Throws: `.noSpace`, `.readOnly`, `.cancelled`, `.system`; then another call can continue.
  package func finishRekeying(
    _ all: Int, _ control: OperationControl
  ) throws(VaultError) -> Bool {
    guard space.gate.isOpen, space.isRekeying else { return true }
    let isNeeded = log.locked { log in
      let unneeded = log.pool.ownsCover ? Set(log.catalog.deletable) : []
      return log.catalog.segments.contains { space.isUnderPreviousKey($0) && !unneeded.contains($0) }
    }
    if isNeeded { return false }
    while try renewCover() {
      control.progress(Int64(all - space.coverUnderPreviousKey) * Int64(segmentSize), Int64(all) * Int64(segmentSize))
      if control.isCancelled() { throw .cancelled }
    }
    // Files that could not be wiped are tried again after the next head.
    if log.locked({ $0.catalog.segments.contains { space.isUnderPreviousKey($0) } }) { return false }
    guard log.locked({ $0.countUnderPreviousKey == 0 }) else {
      throw .system(.ioError, "deleting files under the previous key")
    }
    try deleteStrays()
    // After a power cut, a deleted file that comes back would belong to no known state.
    try attempt("deleting files under the previous key") { () throws(Errno) in try storage.flushAll() }
    try space.changeOwner { $0.rekeying = .none }
    return true
  }

  /// The error when files remain under the previous key. Names a dead head if one cannot be read: it stays, because it
  /// may be the only head of another branch.
  package var remainder: VaultError {
    let dead = log.locked { log in
      let catalog = log.catalog
      return Set(catalog.segments).subtracting(catalog.needed).map { catalog.dead($0) }
    }
    for head in dead where head.number.index == 0 && space.isUnderPreviousKey(head.number) {
      let name = keys.identifier(head.number, branch: head.branch)
      do throws(Errno) {
        _ = try log.context.isOfAnotherBranch(name, than: head.branch)
      } catch {
        return .damaged(
          "\(StorageNames.segments)/\(name.path) cannot be read: \(error); nothing needs it, but the old key stays in "
            + "use until you move that file out of the vault and repeat the command")
      }
    }
    return .damaged("files of the vault remain under the previous key")
  }

  /// Deletes segments under the previous key that no state names. A failed deletion leaves them.
  private func deleteStrays() throws(VaultError) {
    let strays = try Recovery(context: log.context).allSegments().filter { space.isUnderPreviousKey($0.number) }
      .map { keys.identifier($0.number, branch: $0.branch) }
    try attempt("deleting files under the previous key") { () throws(Errno) in
      for name in strays { try storage.delete(name) }
    }
  }

  /// Creates a few files of cover under the new key, for the same number under the previous key; false if there are
  /// none.
  private func renewCover() throws(VaultError) -> Bool {
    guard let range = log.locked({ $0.renewedCover }) else { return false }
    let replaced = takePrevious(Int(min(UInt64(NewFile.replacingStep), range.first)))
    if replaced.isEmpty { return false }
    let first = range.first - UInt64(replaced.count)
    let files = (first..<range.first).map { counter in
      NewFile(cover: keys.coverIdentifier(CoverFile(branch: range.branch, counter: counter)), keys: keys)
    }
    do throws(VaultError) {
      try storage.replace(replaced, by: files, size: segmentSize)
    } catch {
      // Only the next opening finds out which of the files were written.
      space.gate.shut(because: "cover could not be written again: \(error)")
      throw error
    }
    log.locked { $0.renewedCover?.first = first }
    return true
  }

  /// Takes at most `count` files under the previous key that nothing needs.
  private func takePrevious(_ count: Int) -> [SegmentIdentifier] {
    var taken: [SegmentIdentifier] = []
    while taken.count < count, let file = log.locked({ $0.takePrevious() }) {
      // A segment that cannot be wiped is left alone until the next head.
      guard let isOwn = try? log.context.prepareToDelete(file) else { continue }
      if isOwn { taken.append(file.name) }
      guard let segment = file.segment else { continue }
      log.locked { $0.catalog.remove([segment.number]) }
    }
    return taken
  }
}

extension LockedLog {
  /// Takes a file under the previous key that nothing needs; nil if there is none.
  fileprivate mutating func takePrevious() -> PoolFile? {
    let file = pool.takePrevious(from: &catalog, context.keys)
    if let segment = file?.segment { release([segment.number]) }
    return file
  }

  /// The batch of cover that is under the new key.
  fileprivate var renewedCover: CoverRange? {
    get { pool.table?.cover.first { $0.branch == context.keys.successorMark } }
    nonmutating set {
      guard let newValue, let index = pool.table?.cover.firstIndex(where: { $0.branch == newValue.branch })
      else { return }
      pool.table?.cover[index] = newValue
    }
  }

  /// Files under the previous key that nothing needs.
  fileprivate var countUnderPreviousKey: Int {
    Int((pool.table?.previousCover ?? []).reduce(0) { $0 + $1.count }) + previousDeletable.count
  }

  private var previousDeletable: [SegmentNumber] {
    catalog.deletable.filter { $0.epoch < context.keys.boundary }
  }
}
