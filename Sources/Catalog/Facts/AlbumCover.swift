/// The value of a directory's attribute `user.agonyfs.cover`: the name of a file in it, optionally followed by a
/// slash and the file's inode, which finds the file after it was renamed.
package struct AlbumCover: Equatable, Sendable {
  private static let slash = UInt8(ascii: "/")

  /// The bytes of the name.
  package var name: [UInt8]
  /// The number of the inode; nil if the attribute has only a name.
  package var inode: UInt64?

  /// A file of a directory.
  package init(name: [UInt8], inode: UInt64) { (self.name, self.inode) = (name, inode) }

  /// Reads the value of the attribute.
  package init(_ value: [UInt8]) {
    name = value
    guard let slash = value.lastIndex(of: Self.slash),
      let number = UInt64(String(decoding: value[(slash + 1)...], as: UTF8.self))
    else { return }
    (name, inode) = (Array(value[..<slash]), number)
  }

  /// The value of the attribute.
  package var value: [UInt8] { name + (inode.map { [Self.slash] + Array("\($0)".utf8) } ?? []) }
}
