internal import Catalog

/// Files that operating systems create for themselves next to photos, by name without regard to case.
enum SystemFiles {
  private static let files: Set<[UInt8]> = [
    Array(".ds_store".utf8), Array("thumbs.db".utf8), Array("desktop.ini".utf8),
  ]
  private static let folders: Set<[UInt8]> = [Array("__macosx".utf8), Array(".trashes".utf8)]
  /// The first bytes of an AppleDouble file (RFC 1740), in which macOS stores attributes of another file.
  static let appleDouble: [UInt8] = [0, 5, 0x16, 7]

  static func isFile(_ name: [UInt8]) -> Bool { files.contains(NameParts.lowered(name)) }
  static func isFolder(_ name: [UInt8]) -> Bool { folders.contains(NameParts.lowered(name)) }

  /// Whether the name is that of an AppleDouble file. Its first bytes decide.
  static func mayBeAppleDouble(_ name: [UInt8]) -> Bool { name.starts(with: [0x2E, 0x5F]) }

  /// Whether a path below a source is one of these files, or is in one of these folders.
  static func contains(_ parts: [[UInt8]]) -> Bool {
    parts.dropLast().contains(where: isFolder) || parts.last.map(isFile) ?? false
  }
}
