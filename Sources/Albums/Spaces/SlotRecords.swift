// The names of the slot files that open a space. They are in the owner table of its heads. A space that was created
// before there were owner tables has them in its index.
//
// Invariants
// 1. A name is recorded, durably, before its file exists, and for as long as the file exists.
// 2. In an owner table, a name that stands twice belongs to a file that is being removed and may already be
//    overwritten. All other files open the space, or a crash or a copy left them short.

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

  /// Adds names, which no longer count as being removed, and removes others. Durable on return.
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

  /// Notes that the files with these names are being removed. Durable on return. An index cannot note that.
  ///
  /// - Throws: `.readOnly`, `.noSpace`, `.system`.
  static func noteRemoval(of identifiers: Set<SegmentIdentifier>, from space: Space) throws(VaultError) {
    if space.owner == nil { return }
    try space.changeOwner { noteRemoval(of: identifiers, in: &$0) }
  }

  /// Notes in a table that the files with these names are being removed.
  static func noteRemoval(of identifiers: Set<SegmentIdentifier>, in owner: inout OwnerTable) {
    owner.slots.removeAll { identifiers.contains($0) }
    owner.slots += identifiers.sorted { $0.path < $1.path }.flatMap { [$0, $0] }
  }
}
