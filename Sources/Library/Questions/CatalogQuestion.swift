internal import Albums
package import Catalog
package import Media
package import SystemPackage
package import Vault

/// What the catalog is asked.
package struct CatalogQuestion: Sendable {
  package var query: Query
  package var order: SortOrder
  /// Where the page before ended.
  package var after: Cursor?
  /// Most answers; nil for all.
  package var limit: Int?
  /// Whether a stack answers only as its cover, if the cover is an answer.
  package var stacks: Bool
  /// Whether what is in a trash folder answers as well; it also does if the query speaks of trash.
  package var includesTrash: Bool
  /// The directory below which names count, from the root without a slash at either end; empty for all.
  package var within: [UInt8]
  /// What stands in lines before a path in place of that directory; empty where paths are whole.
  package var prefix: [UInt8]

  /// All answers to a query, newest first, if nothing else is said.
  package init(
    _ query: Query, order: SortOrder = .standard, after: Cursor? = nil, limit: Int? = nil, stacks: Bool = false,
    includesTrash: Bool = false, within: [UInt8] = [], prefix: [UInt8] = []
  ) {
    self.query = query
    self.order = order
    self.after = after
    self.limit = limit
    self.stacks = stacks
    self.includesTrash = includesTrash
    self.within = within
    self.prefix = prefix
  }

  /// Whether names in a trash folder count.
  var showsTrash: Bool { includesTrash || query.mentionsTrash }
}

/// A photo or video that answers.
package struct CatalogAnswer: Sendable {
  /// The file.
  package let inode: InodeNumber
  /// Its first name that the asker may see, from the root of the space, without a slash at either end.
  package let path: [UInt8]
  /// The format; nil for one that this version does not know.
  package let kind: MediaKind?
  /// Its place in the order of the question.
  package let position: SortPosition
  let source: CatalogSource

  /// All facts, with the names that the asker may see; nil if it is gone meanwhile.
  package func item() throws(Errno) -> MediaItem? { try source.item(inode) }
}

final class CatalogSource: Sendable {
  private let fileSystem: FileSystem
  private let showsTrash: Bool
  private let within: [UInt8]
  private let opener: Opener

  init(_ fileSystem: FileSystem, _ question: CatalogQuestion, for opener: Opener) {
    self.fileSystem = fileSystem
    showsTrash = question.showsTrash
    within = question.within
    self.opener = opener
  }

  /// The facts of a photo, as they are now.
  func item(_ inode: InodeNumber) throws(Errno) -> MediaItem? {
    var view = CatalogView(.all, showsTrash: showsTrash, within: within, for: opener)
    return try fileSystem.questions.present { files throws(Errno) in try view.item(inode, files) }
  }
}
