/// A format, recognised by a file's content. The numbers are stored in the index and never change.
package enum MediaKind: UInt8, Sendable, CaseIterable {
  case jpeg = 1
  case png, gif, webp, tiff, heic, avif, jpegXL
  /// A camera's raw format; its embedded preview is used: DNG, CR2, CR3, NEF, ARW, ORF, RW2, PEF, RAF.
  case raw
  case mp4, quickTime, matroska, webM, avi, threeGP
  /// MPEG-2's two containers: the one of cameras and broadcasts (MTS, M2TS), and the one of discs (MPG, VOB).
  case transportStream, programStream
  /// WMV, and other files in Microsoft's Advanced Systems Format.
  case asf
  case flash, ogg
  /// BMP.
  case bitmap
  /// An MP3 with a cover in its tag.
  case music

  /// Whether it is a container for moving pictures.
  package var isVideo: Bool { (MediaKind.mp4.rawValue...MediaKind.ogg.rawValue).contains(rawValue) }

  /// Whether the whole file is one picture, or a few.
  package var isPicture: Bool { !isVideo && self != .music }

  /// Whether it is a photo or a video for the catalog, not just a file that contains a picture.
  package var isPhotoOrVideo: Bool { self != .music }

  /// Whether a file may contain a thumbnail that decodes much faster than the picture. If it suffices for the small
  /// derivative, the large one is better made on demand.
  package var mayLackLarge: Bool { self == .heic || self == .avif }
}
