/// A format of sidecars, the files of facts next to photos.
package enum SidecarKind: UInt8, Sendable, CaseIterable {
  case xmp = 1
  /// Google Takeout's JSON.
  case takeout
  /// Apple's adjustments, AAE.
  case appleAdjustments
}
