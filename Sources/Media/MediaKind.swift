/// A format, recognised by a file's content. The numbers are stored in the index and never change.
package enum MediaKind: UInt8, Sendable, CaseIterable {
  case jpeg = 1
  case png, gif, webp, tiff, heic, avif, jpegXL
  /// A camera's raw format; its embedded preview is used: DNG, CR2, CR3, NEF, ARW, ORF, RW2, PEF, RAF.
  case raw
  case mp4, quickTime, matroska, webM, avi, threeGP
  /// MPEG-2's two containers: the one of cameras and broadcasts (MTS, M2TS), and the one of discs (MPG, VOB).
  case transportStream, programStream
  /// WMV, and what else has Microsoft's Advanced Systems Format.
  case asf
  case flash, ogg

  /// Whether it is a container for moving pictures.
  package var isVideo: Bool { rawValue >= MediaKind.mp4.rawValue }

  /// Whether decoding takes so long that the large derivative is better made on demand.
  package var isLazy: Bool { isVideo || self == .heic || self == .avif }
}
