/// The changes that a repair makes or made.
package struct RepairPlan: Sendable {
  /// One change.
  package struct Item: Sendable, Equatable {
    /// The path of the changed file or directory inside the space; nil when the change concerns none.
    package let path: String?
    /// The change, as a clause.
    package let text: String
    /// Whether something is lost that only a backup has.
    package let isLoss: Bool
    /// The bytes of the file that are lost; nil when it is not about bytes.
    package let lostBytes: Range<Int64>?
  }

  /// All changes, in order.
  package internal(set) var items: [Item] = []
  /// Problems that cannot be repaired, as sentences without a full stop.
  package internal(set) var unrepairable: [String] = []

  /// Whether there is nothing to do.
  package var isEmpty: Bool { items.isEmpty }
  /// Whether something is lost.
  package var hasLosses: Bool { items.contains(where: \.isLoss) }
}
