internal import System

/// The forms in which programs name a file: `file:///home/me/a%20b`, `file://host/…`, `file:/…`, `admin:///…`,
/// `trash:///…` or a bare path.
package enum TraceURI {
  private static let schemes = ["file:", "admin:", "trash:"].map { Array($0.utf8) }

  /// The path that a URI leads to; nil for other URIs and for names in the home directory's trash.
  package static func path(of uri: [UInt8]) -> [UInt8]? {
    if uri.first == PathBytes.slash { return uri }
    guard let scheme = schemes.first(where: { starts(uri, with: $0) }) else { return nil }
    var rest = uri[scheme.count...]
    if rest.starts(with: "//".utf8) {
      // A host, usually empty.
      rest = rest.dropFirst(2).drop { $0 != PathBytes.slash }
    }
    guard let decoded = unescaped(rest), decoded.first == PathBytes.slash else { return nil }
    return scheme == schemes[2] ? trashedPath(decoded.dropFirst()) : decoded
  }

  /// The name in the home directory's trash that `trash:///NAME/…` (GVfs) or `trash:/0-NAME/…` (KDE) leads to; nil for
  /// any other URI.
  package static func nameInHomeTrash(of uri: [UInt8]) -> [UInt8]? {
    guard starts(uri, with: schemes[2]), let decoded = unescaped(uri[schemes[2].count...]) else { return nil }
    let slashes = decoded.prefix { $0 == PathBytes.slash }.count
    let name = decoded.dropFirst(slashes).prefix { $0 != PathBytes.slash }
    if slashes == 1, name.starts(with: "0-".utf8) { return Array(name.dropFirst(2)) }
    guard slashes > 0, !name.isEmpty, name.first != backslash else { return nil }
    // GVfs puts a grave accent before a name that begins with a backslash or a grave accent.
    return Array(name.first == graveAccent ? name.dropFirst() : name)
  }

  private static let backslash = UInt8(ascii: "\\")
  private static let graveAccent = UInt8(ascii: "`")

  /// For a file in the trash of another file system, GVfs uses its whole path, with a backslash for each slash.
  private static func trashedPath(_ name: ArraySlice<UInt8>) -> [UInt8]? {
    guard name.first == backslash else { return nil }
    var path: [UInt8] = []
    var rest = name
    while let byte = rest.popFirst() {
      switch byte {
      case backslash: path.append(PathBytes.slash)
      case graveAccent: if let next = rest.popFirst() { path.append(next) }
      default: path.append(byte)
      }
    }
    return path
  }

  /// Ignores the case of the scheme.
  private static func starts(_ uri: [UInt8], with scheme: [UInt8]) -> Bool {
    uri.count > scheme.count && zip(uri, scheme).allSatisfy { $0 == $1 || $0 | 0x20 == $1 }
  }

  /// Decodes percent escapes. A percent sign without digits stands for itself. Nil if the result has a zero byte.
  package static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    let bytes = Hexadecimal.percentUnescaped(text, isLenient: true)
    return bytes?.contains(0) == false ? bytes : nil
  }

  /// `file://` and the path, with the escapes of GLib and of Qt, and with all characters escaped that any program
  /// escapes. Thumbnails are named after each of these.
  package static func fileURIs(of path: [UInt8]) -> [[UInt8]] {
    let glib = Hexadecimal.percentEscaped(path, besides: "-._~!$&'()*+,;=:@/")
    // Qt leaves more characters unescaped.
    let qt = Hexadecimal.percentEscaped(path, besides: "-._~!$&'()*+,;=:@/[]|{}^`")
    let strict = Hexadecimal.percentEscaped(path, besides: "-._~/")
    var seen: Set<[UInt8]> = []
    return [glib, qt, strict].map { Array("file://".utf8) + $0 }.filter { seen.insert($0).inserted }
  }

  static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: false
    }
  }
}
