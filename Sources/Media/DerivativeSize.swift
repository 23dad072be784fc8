/// A size of derivatives for browsing.
package enum DerivativeSize: Int, Sendable, CaseIterable {
  /// 256 pixels on the longer side.
  case small = 256
  /// 1024 pixels on the longer side.
  case large = 1024

  /// Most pixels on the longer side; a smaller original is not enlarged.
  package var longerSide: Int { rawValue }

  /// Most bytes of a derivative of this size.
  package var mostBytes: Int { self == .small ? 1 << 20 : 4 << 20 }
}
