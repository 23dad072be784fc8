/// A format of the files of facts that lie beside photos.
package enum SidecarKind: UInt8, Sendable, CaseIterable {
  case xmp = 1
  /// Google Takeout's JSON.
  case takeout
  /// Apple's adjustments, AAE.
  case appleAdjustments
}
