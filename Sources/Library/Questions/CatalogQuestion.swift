package import Catalog
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
  /// Its place in the order of the question.
  package let position: SortPosition
}
