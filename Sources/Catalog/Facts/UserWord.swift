// Invariants
// 1. The extended attributes are the only store: a file manager that sets one has the same effect as this program.

/// The user's statements about a file, and the extended attributes that contain them.
package enum UserWord: String, CaseIterable, Sendable {
  /// Tags, separated by commas; they are added to those in the file. KDE's and freedesktop's attribute.
  case tags = "user.xdg.tags"
  /// Tags in the file that the user removed, separated by commas.
  case without = "user.agonyfs.without"
  case caption = "user.xdg.comment"
  /// Half stars, 0 to 10. KDE's attribute.
  case rating = "user.baloo.rating"
  case title = "user.agonyfs.title"
  /// 1 or 0.
  case favourite = "user.agonyfs.favourite"
  /// People, one per line; they are added to those in the file.
  case people = "user.agonyfs.people"
  /// As "2019-08-15T12:34:56+02:00".
  case taken = "user.agonyfs.taken"
  /// As "48.85,2.35"; "none" for no position.
  case position = "user.agonyfs.position"
  /// User-defined fields, one per line: `customer=4711`.
  case fields = "user.agonyfs.fields"
  /// "apart", or a word that the files of a stack share.
  case stack = "user.agonyfs.stack"
  /// 1 for a file that is not a duplicate of any other.
  case distinct = "user.agonyfs.distinct"
  /// On a directory: its cover, in the form of `AlbumCover`.
  case cover = "user.agonyfs.cover"

  /// Longest value of an extended attribute in bytes.
  package static let mostBytes = 65_536

  /// The name of the attribute.
  package var name: [UInt8] { Array(rawValue.utf8) }

  /// The statement of an attribute with this name; nil for other attributes.
  package init?(name: [UInt8]) { self.init(rawValue: String(decoding: name, as: UTF8.self)) }
}
