// Invariants
// 1. The extended attributes are all that is kept: whoever sets them in another way, as file managers do, says the same.

/// What a user says about a file, and the extended attribute in which it is.
package enum UserWord: String, CaseIterable, Sendable {
  /// Tags, separated by commas; they are added to those in the file. KDE's and Freedesktop's.
  case tags = "user.xdg.tags"
  /// Tags that the file itself has, and that the user took away, separated by commas.
  case without = "user.agonyfs.without"
  case caption = "user.xdg.comment"
  /// Half stars, 0 to 10. KDE's.
  case rating = "user.baloo.rating"
  case title = "user.agonyfs.title"
  /// 1 or 0.
  case favourite = "user.agonyfs.favourite"
  /// People, one a line; they are added to those in the file.
  case people = "user.agonyfs.people"
  /// As "2019-08-15T12:34:56+02:00".
  case taken = "user.agonyfs.taken"
  /// As "48.85,2.35"; "none" for no position.
  case position = "user.agonyfs.position"
  /// Fields of the user's own, one a line: `customer=4711`.
  case fields = "user.agonyfs.fields"
  /// "apart", or a word that the files of a stack share.
  case stack = "user.agonyfs.stack"
  /// 1 for a file that is no duplicate of anything.
  case distinct = "user.agonyfs.distinct"
  /// On a directory: its cover, as `AlbumCover` has it.
  case cover = "user.agonyfs.cover"

  /// Longest value of an extended attribute in bytes.
  package static let mostBytes = 65_536

  /// The name of the attribute.
  package var name: [UInt8] { Array(rawValue.utf8) }

  /// What an attribute of some name says; nil for other attributes.
  package init?(name: [UInt8]) { self.init(rawValue: String(decoding: name, as: UTF8.self)) }
}
