/// The result of one decoding.
package struct Derivatives: Sendable {
  /// The facts that describe the decoded picture.
  package var facts: MediaFacts
  /// JPEG, at most 256 pixels on the longer side; nil if not asked for.
  package var small: [UInt8]?
  /// JPEG, at most 1024 pixels on the longer side; nil if not asked for, or left for later.
  package var large: [UInt8]?
  /// The file's facts for the catalog, as an encoded list; empty if they were not asked for. It contains the mean
  /// colour and the perceptual hash only if a derivative was made.
  package var found: [UInt8] = []

  /// Most bytes of `found`.
  package static let mostFactBytes = 65_536

  /// Derivatives with the facts of their original.
  package init(facts: MediaFacts, small: [UInt8]?, large: [UInt8]?) {
    self.facts = facts
    self.small = small
    self.large = large
  }
}
