internal import Index
internal import Vault

/// Copying what can be read out of damaged segments.
extension Repair {
  /// How many extents are copied between two queries of the index.
  private static let step = 32

  /// Copies what files and the index need of a segment to the end of the log, and points them at the copy. What cannot
  /// be read was given up before.
  func evacuate(_ segment: SegmentNumber, _ index: Index) throws(VaultError) {
    var copies: [ExtentRecord: [ExtentRecord]] = [:]
    while true {
      let batch = try VaultError.ofIndex { () throws(IndexError) in try index.extents(in: segment, limit: Self.step) }
      if batch.isEmpty { return }
      let moved = try space.copy(batch, &copies) { _, error throws(VaultError) in throw error }
      try VaultError.ofIndex { () throws(IndexError) in
        for (old, new) in moved { _ = try index.replaceExtent(old.extent, of: old.inode, with: new) }
      }
    }
  }
}
