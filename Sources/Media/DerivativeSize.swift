/// A size in which a picture is kept for browsing.
package enum DerivativeSize: Int, Sendable, CaseIterable {
  /// 256 pixels on the longer side.
  case small = 256
  /// 1024 pixels on the longer side.
  case large = 1024

  /// Pixels on the longer side; a smaller original is never enlarged.
  package var longerSide: Int { rawValue }

  /// Bytes that a derivative of this size has at most.
  package var mostBytes: Int { self == .small ? 1 << 20 : 4 << 20 }
}
