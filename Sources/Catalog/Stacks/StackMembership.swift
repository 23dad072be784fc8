/// Why several files are one picture. The numbers are stored and never change.
package enum StackKind: UInt8, Sendable, CaseIterable {
  /// A photo and the few seconds around it.
  case live = 1
  /// The same exposure as a camera's raw data and as a finished picture.
  case raw
  case burst
  /// An original and its edited versions.
  case edited
  /// The user put them together.
  case manual
}

/// The stack of a file.
package struct StackMembership: Hashable, Sendable {
  /// The inode of the stack's cover, which names the stack.
  package var stack: UInt64
  package var kind: StackKind
  /// Whether this file is the stack's cover.
  package var isCover: Bool
  /// Takes the three.
  package init(stack: UInt64, kind: StackKind, isCover: Bool) {
    self.stack = stack
    self.kind = kind
    self.isCover = isCover
  }
}
