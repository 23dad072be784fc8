/// What the attribute `user.agonyfs.cover` of a directory says: the name of a file in it, and perhaps a slash and its inode,
/// by which the file is found when it has another name there.
package struct AlbumCover: Equatable, Sendable {
  private static let slash = UInt8(ascii: "/")

  /// The bytes of the name.
  package var name: [UInt8]
  /// The number of the inode; nil if only the name is said.
  package var inode: UInt64?

  /// A file of a directory.
  package init(name: [UInt8], inode: UInt64) { (self.name, self.inode) = (name, inode) }

  /// What an attribute says.
  package init(_ value: [UInt8]) {
    name = value
    guard let slash = value.lastIndex(of: Self.slash),
      let number = UInt64(String(decoding: value[(slash + 1)...], as: UTF8.self))
    else { return }
    (name, inode) = (Array(value[..<slash]), number)
  }

  /// The attribute.
  package var value: [UInt8] { name + (inode.map { [Self.slash] + Array("\($0)".utf8) } ?? []) }
}
