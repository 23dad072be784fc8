package import Catalog
package import Vault

/// A question to the catalog.
package struct CatalogQuestion: Sendable {
  package var query: Query
  package var order: SortOrder
  /// The end of the page before.
  package var after: Cursor?
  /// The largest number of answers; nil for all.
  package var limit: Int?
  /// Whether a stack is represented only by its cover, if the cover is an answer.
  package var stacks: Bool
  /// Whether photos in a trash folder answer too; they also do if the query mentions trash.
  package var includesTrash: Bool
  /// Only names below this directory count: the path from the root without a slash at either end; empty for all.
  package var within: [UInt8]
  /// The prefix that replaces that directory in the paths of lines; empty if paths are shown whole.
  package var prefix: [UInt8]

  /// A question for all answers to a query, newest first, unless other arguments are given.
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
  /// Its first name that the user may see, from the root of the space, without a slash at either end.
  package let path: [UInt8]
  /// Its position in the order of the question.
  package let position: SortPosition
}
