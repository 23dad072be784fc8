// The names of the slot files that open a space. They are in the owner table of its heads; those of a space that was made
// before there were such tables are in its index.
//
// Invariants
// 1. A name is there, durably, before its file is, and for as long as the file exists.
// 2. In an owner table a name that stands twice is that of a file that is being removed: perhaps it is overwritten
//    already. All others are whole, as far as agonyfs wrote them.

internal import Index
internal import Storage
internal import Vault

enum SlotRecords {
  /// All names; none if the index that has them cannot be read.
  static func names(of space: Space) -> Set<SegmentIdentifier> {
    if let owner = space.owner { return Set(owner.slots) }
    let index = try? Index(space: space)
    return Set(((try? index?.slots()) ?? []).filter { $0.count == SegmentIdentifier.size }.map(SegmentIdentifier.init))
  }

  /// The names of files that are being removed.
  static func removed(from space: Space) -> Set<SegmentIdentifier> {
    var seen: Set<SegmentIdentifier> = []
    return Set((space.owner?.slots ?? []).filter { !seen.insert($0).inserted })
  }

  /// Adds names, which are those of no removed files any more, and takes away others. Durable on return.
  ///
  /// - Throws: `.readOnly`, `.noSpace`, `.indexFailed`, `.system`.
  static func change(
    of space: Space, adding new: [SegmentIdentifier] = [], takingAway old: Set<SegmentIdentifier> = []
  ) throws(VaultError) {
    if space.owner != nil {
      let known = names(of: space).subtracting(removed(from: space))
      if old.isEmpty, known.isSuperset(of: new) { return }
      try space.changeOwner { owner in
        owner.slots.removeAll { old.contains($0) || new.contains($0) }
        owner.slots += new
      }
      return
    }
    try VaultError.ofIndex { () throws(IndexError) in
      let index = try Index(space: space)
      for identifier in old { try index.removeSlot(identifier.bytes) }
      for identifier in new { try index.addSlot(identifier.bytes) }
      try index.commit(to: space)
    }
    try space.sync()
  }

  /// Notes names as those of files that are being removed. Durable on return. An index does not say that.
  ///
  /// - Throws: `.readOnly`, `.noSpace`, `.system`.
  static func noteRemoval(of identifiers: Set<SegmentIdentifier>, from space: Space) throws(VaultError) {
    if space.owner == nil { return }
    try space.changeOwner { noteRemoval(of: identifiers, in: &$0) }
  }

  /// The same in a table.
  static func noteRemoval(of identifiers: Set<SegmentIdentifier>, in owner: inout OwnerTable) {
    owner.slots.removeAll { identifiers.contains($0) }
    owner.slots += identifiers.sorted { $0.path < $1.path }.flatMap { [$0, $0] }
  }
}
