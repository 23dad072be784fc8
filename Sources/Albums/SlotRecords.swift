internal import Index
internal import Storage
internal import Vault

/// The names of the slot files that open a space. They are in the owner table of its heads; those of a space that was
/// made before there were such tables are in its index.
enum SlotRecords {
  /// The names; empty if the index that has them cannot be read.
  static func names(of space: Space) -> [SegmentIdentifier] {
    if let owner = space.owner { return owner.slots }
    return (try? Index(space: space)).flatMap { try? names(in: $0) } ?? []
  }

  /// The names, given the index of the space.
  static func names(of space: Space, _ index: Index) throws(IndexError) -> [SegmentIdentifier] {
    if let owner = space.owner { return owner.slots }
    return try names(in: index)
  }

  private static func names(in index: Index) throws(IndexError) -> [SegmentIdentifier] {
    try index.slots().filter { $0.count == SegmentIdentifier.size }.map { SegmentIdentifier(bytes: $0) }
  }

  /// Adds and takes away names. Durable on return.
  ///
  /// - Throws: `.readOnly`, `.noSpace`, `.indexFailed`, `.system`.
  static func change(
    of space: Space, adding new: [SegmentIdentifier] = [], removing old: [SegmentIdentifier] = []
  ) throws(VaultError) {
    if space.owner != nil {
      try space.changeOwner { owner in
        owner.slots.removeAll { old.contains($0) }
        owner.slots += new.filter { !owner.slots.contains($0) }
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
}
