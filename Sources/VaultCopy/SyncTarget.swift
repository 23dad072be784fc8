package import Storage

/// A place that a vault is copied to, and in which files are deleted that the vault does not have any more.
package protocol SyncTarget: CopyTarget {
  /// Does what `begin` does, but writes nothing.
  ///
  /// - Parameter accepts: as of `begin`.
  /// - Returns: the parameters of the vault that is there; nil if there is none.
  func check(accepts: ([UInt8]) -> Bool) throws(CopyError) -> [UInt8]?

  /// Deletes a file. One that is not there is not an error.
  func delete(_ identifier: SegmentIdentifier) throws(CopyError)

  /// The mark of deletions that are not complete; nil if there is none.
  func readDeletionMark() throws(CopyError) -> [UInt8]?

  /// Writes that mark, or replaces it.
  func writeDeletionMark(_ value: [UInt8]) throws(CopyError)

  /// Deletes that mark. If there is none, that is not an error.
  func removeDeletionMark() throws(CopyError)
}
