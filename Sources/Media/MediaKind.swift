/// A format, as the content of a file shows it. The numbers are kept in the index and never change.
package enum MediaKind: UInt8, Sendable, CaseIterable {
  case jpeg = 1
  case png, gif, webp, tiff, heic, avif, jpegXL
  /// A camera's raw format, of which the embedded preview is used: DNG, CR2, CR3, NEF, ARW, ORF, RW2, PEF, RAF.
  case raw
  case mp4, quickTime, matroska, webM, avi, threeGP

  /// Whether it is a container for moving pictures.
  package var isVideo: Bool { rawValue >= MediaKind.mp4.rawValue }

  /// Whether decoding takes long enough that the large derivative is better made when somebody wants to see it.
  package var isLazy: Bool { isVideo || self == .heic || self == .avif }
}
