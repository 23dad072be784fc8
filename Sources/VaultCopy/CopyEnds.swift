package import ObjectStore
package import Storage

/// A place that a vault is copied from. Files are named as in the vault. Methods may be called by several threads.
package protocol CopySource: Sendable {
  /// The place, for messages.
  var place: String { get }
  /// Whether checksums are kept, and can be compared without reading the files.
  var keepsChecksums: Bool { get }

  /// The parameters of the vault; nil if there are none, so that the place has no vault.
  func readParameters() throws(CopyError) -> [UInt8]?

  /// Whether there is a copy that was never completed.
  var isUnfinished: Bool { get }

  /// All segment files.
  func list() throws(CopyError) -> [SegmentIdentifier: CopyEntry]

  /// The facts of a listed file with as many checksums as the place has; nil if it is gone.
  func entry(_ identifier: SegmentIdentifier, listed: CopyEntry) throws(CopyError) -> CopyEntry?

  /// All bytes of a file as they are now; nil if it is gone.
  ///
  /// - Parameter listed: what is known of it.
  func read(_ identifier: SegmentIdentifier, listed: CopyEntry?) throws(CopyError) -> HashedContent?

  /// Whether the file is known to have the bytes of another place's file without reading either.
  ///
  /// - Parameters:
  ///   - listed: what the list of this place says of it.
  ///   - there: what the list of the other place says of its file.
  func knows(_ identifier: SegmentIdentifier, listed: CopyEntry, like there: CopyEntry) -> Bool

  /// Ends all waits, because the copy was cancelled. Later calls may fail.
  func stop()
}

extension CopySource {
  /// A place that remembers nothing.
  package func knows(_ identifier: SegmentIdentifier, listed: CopyEntry, like there: CopyEntry) -> Bool { false }
}

/// A place that a vault is copied to.
package protocol CopyTarget: CopySource {
  /// Begins or resumes writing. Until `complete`, a place without a vault does not become one.
  ///
  /// - Parameters:
  ///   - parameters: those of the vault that is copied.
  ///   - accepts: whether parameters that are there are those of the same vault.
  /// - Returns: the parameters of the vault that is there; nil if the copy is new or was never completed.
  /// - Throws: `.otherVault`, `.notEmpty`, `.inUse`, before anything is written.
  func begin(_ parameters: [UInt8], accepts: ([UInt8]) -> Bool) throws(CopyError) -> [UInt8]?

  /// Replaces the parameters of a vault that is there, durably, before its files are written.
  ///
  /// - Throws: `.inUse` if a directory's vault was mounted at that moment.
  func replaceParameters(_ parameters: [UInt8]) throws(CopyError)

  /// What the place says of itself, as far as it was asked since `begin`.
  var stated: StoreFindings { get }

  /// Finds out whether the place can be trusted with files. Call it after `begin`, before the first file is written. Its
  /// files may be read meanwhile.
  ///
  /// - Throws: `.store(.lags, _)`, and errors of the requests.
  func probe() throws(CopyError) -> StoreFindings

  /// Takes back what `begin` wrote where no file was written, as far as the place permits.
  func withdraw()

  /// Writes a file as a whole, or replaces it.
  ///
  /// - Parameter isComplete: whether it has the size of a complete file.
  func write(_ identifier: SegmentIdentifier, _ content: HashedContent, isComplete: Bool) throws(CopyError)

  /// The bytes of a file as they are stored, past memory where possible; nil if there is none.
  func readBack(_ identifier: SegmentIdentifier) throws(CopyError) -> [UInt8]?

  /// Makes everything durable, then writes the parameters.
  func complete(_ parameters: [UInt8]) throws(CopyError)
}

extension CopyTarget {
  /// Does nothing, because only a store that is probed is refused after `begin`.
  package func withdraw() {}

  /// A place that says nothing.
  package var stated: StoreFindings { StoreFindings() }

  /// A place that needs no probe.
  package func probe() throws(CopyError) -> StoreFindings { StoreFindings() }

  /// Probes the place.
  ///
  /// - Parameter note: called with what the user should know of it.
  /// - Returns: whether each file must be read back after it was written.
  func probe(_ note: (String) -> Void) throws(CopyError) -> Bool { tell(try probe(), note) }

  /// Says what a probe found.
  ///
  /// - Parameter note: called with what the user should know of the place.
  /// - Returns: whether each file must be read back after it was written.
  func tell(_ findings: StoreFindings, _ note: (String) -> Void) -> Bool {
    for sentence in findings.sentences(for: place) { note(sentence) }
    return !findings.checksContent
  }
}
