/// What one decoding gave.
package struct Derivatives: Sendable {
  /// What the file says about itself.
  package var facts: MediaFacts
  /// JPEG, 256 pixels on the longer side at most; nil where it was not asked for.
  package var small: [UInt8]?
  /// JPEG, 1024 pixels on the longer side at most; nil where it was not asked for, or left for later.
  package var large: [UInt8]?

  /// Derivatives with the facts of their original.
  package init(facts: MediaFacts, small: [UInt8]?, large: [UInt8]?) {
    self.facts = facts
    self.small = small
    self.large = large
  }
}
