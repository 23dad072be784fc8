package import Storage

/// A vault that is synced. It keeps the tokens of the states that it includes, in a file that copies of its directory
/// have, and `agonyfs copy` does not copy.
package protocol SyncSource: CopySource {
  /// The tokens; none if there is no file.
  func readTokens() throws(CopyError) -> SyncTokens

  /// Changes the tokens. A crash leaves the old ones or the new ones. Durable on return. Of several processes one
  /// changes them at a time.
  ///
  /// - Throws: `.readOnlySource`; `.inUse` while a refresh has the vault for itself.
  func changeTokens(_ change: (inout SyncTokens) -> Void) throws(CopyError)

  /// Facts of a file that change with every change of it; nil if the host has none.
  func stamp(of identifier: SegmentIdentifier) -> FileStamp?

  /// How many of these files would be in folders that the vault lacks.
  func countWithoutFolder(_ identifiers: Set<SegmentIdentifier>) throws(CopyError) -> Int
}

extension SyncSource {
  /// A host without such facts.
  package func stamp(of identifier: SegmentIdentifier) -> FileStamp? { nil }

  /// A vault without folders.
  package func countWithoutFolder(_ identifiers: Set<SegmentIdentifier>) throws(CopyError) -> Int { 0 }
}

/// A place that a vault is copied to, and in which files are deleted that the vault does not have any more.
package protocol SyncTarget: CopyTarget {
  /// Does what `begin` does, but writes nothing.
  ///
  /// - Parameter accepts: as of `begin`.
  /// - Returns: the parameters of the vault that is there; nil if there is none.
  func check(accepts: ([UInt8]) -> Bool) throws(CopyError) -> [UInt8]?

  /// Deletes a file. One that is not there is not an error.
  func delete(_ identifier: SegmentIdentifier) throws(CopyError)

  /// The token; nil if there is none.
  func readToken() throws(CopyError) -> SyncToken?

  /// Writes the token, or replaces it.
  func writeToken(_ token: SyncToken) throws(CopyError)
}
