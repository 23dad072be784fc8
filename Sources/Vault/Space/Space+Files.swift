internal import Crypto
package import Storage
internal import SystemPackage

extension Space {
  /// The names of all files that belong to the space, if they exist: segments that it needs, dead segments, segments
  /// that its open state does not know, cover, and the slots of its owner table. Opens every file of the vault.
  ///
  /// - Throws: `.system` when the files cannot be listed.
  package func attributableFiles() throws(VaultError) -> Set<SegmentIdentifier> {
    var names = Set(segmentIdentifiers())
    for header in try Recovery(context: log.context).allSegments() {
      names.insert(keys.identifier(header.number, branch: header.branch))
    }
    guard let owner else { return names }
    return names.union(owner.slots).union(owner.allCover.map(keys.coverIdentifier))
  }
}

extension Vault {
  /// The size of each file of the vault, in bytes. Leaves out files that are damaged on the medium.
  ///
  /// - Throws: `.system` when the files cannot be listed.
  package func fileSizes() throws(VaultError) -> [SegmentIdentifier: Int] {
    var sizes: [SegmentIdentifier: Int] = [:]
    do throws(Errno) {
      try storage.list { identifier, size, _ in sizes[identifier] = size }
    } catch {
      guard error.isDamageOfMedium, !sizes.isEmpty else { throw VaultError(error, "listing the files") }
    }
    return sizes
  }
}
