internal import Catalog

/// What systems keep on media beside photos, by names without regard to case.
enum SystemFiles {
  private static let files: Set<[UInt8]> = [
    Array(".ds_store".utf8), Array("thumbs.db".utf8), Array("desktop.ini".utf8),
  ]
  private static let folders: Set<[UInt8]> = [Array("__macosx".utf8), Array(".trashes".utf8)]
  /// How macOS begins the attributes of a file that are in another file (AppleDouble, RFC 1740).
  static let appleDouble: [UInt8] = [0, 5, 0x16, 7]

  static func isFile(_ name: [UInt8]) -> Bool { files.contains(NameParts.lowered(name)) }
  static func isFolder(_ name: [UInt8]) -> Bool { folders.contains(NameParts.lowered(name)) }

  /// Whether a file of this name is one of attributes if it begins so.
  static func mayBeAppleDouble(_ name: [UInt8]) -> Bool { name.starts(with: [0x2E, 0x5F]) }

  /// Whether a file below a source is one of these, by its path.
  static func contains(_ parts: [[UInt8]]) -> Bool {
    parts.dropLast().contains(where: isFolder) || parts.last.map(isFile) ?? false
  }
}
