/// One of the names of a file: a path from the root of the space, without a slash at either end.
package struct ItemName: Hashable, Sendable {
  /// The bytes of the path. They need not be UTF-8.
  package let path: [UInt8]

  /// Takes the bytes; slashes at the ends and repeated slashes are removed.
  package init(path: some Sequence<UInt8>) {
    self.path = Array([UInt8](path).split(separator: UInt8(ascii: "/")).joined(separator: [UInt8(ascii: "/")]))
  }

  /// Takes the UTF-8 bytes of a text.
  package init(_ text: String) { self.init(path: Array(text.utf8)) }

  private var lastSlash: Int? { path.lastIndex(of: UInt8(ascii: "/")) }

  /// The name in its directory.
  package var name: ArraySlice<UInt8> { lastSlash.map { path[($0 + 1)...] } ?? path[...] }

  /// The directory; empty for the root.
  package var album: ArraySlice<UInt8> { lastSlash.map { path[..<$0] } ?? [] }

  /// The name as text; ill-formed UTF-8 becomes U+FFFD.
  package var nameText: String { String(decoding: name, as: UTF8.self) }

  /// The directory as text.
  package var albumText: String { String(decoding: album, as: UTF8.self) }
}
