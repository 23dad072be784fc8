// Finds photos with a word, a tag or a content, by their inode numbers.

package import Vault

/// Statements that find inode numbers of photos.
final class FindingStatements {
  let words, tagged, hashed, hash, directories, children, sizes: Statement

  init(_ connection: Connection) throws(IndexError) {
    words = try connection.prepare("SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY rowid")
    tagged = try connection.prepare("SELECT inode FROM item_tag WHERE tag = ?1")
    hashed = try connection.prepare("SELECT inode FROM media WHERE hash >= ?1 AND (?2 IS NULL OR hash < ?2)")
    hash = try connection.prepare("SELECT hash FROM media WHERE inode = ?1")
    directories = try connection.prepare(
      "SELECT inode FROM dentry INDEXED BY dentry_directory WHERE kind = 4 AND inode > ?1 ORDER BY inode LIMIT ?2")
    // S_IFMT and S_IFREG.
    sizes = try connection.prepare(
      "SELECT number, size FROM inode WHERE number > ?1 AND mode & 61440 = 32768 ORDER BY number LIMIT ?2")
    children = try connection.prepare("SELECT inode FROM dentry WHERE parent = ?1 AND kind = 8 LIMIT ?2")
  }
}

extension CatalogTables {
  private func findingStatements() throws(IndexError) -> FindingStatements {
    if let known = index.preparedFindingStatements { return known }
    let made = try FindingStatements(index.connection)
    index.preparedFindingStatements = made
    return made
  }

  private func forEachNumber(_ statement: Statement, _ body: (InodeNumber) -> Void) throws(IndexError) {
    try statement.forEachRow { (row) throws(IndexError) in
      body(row.inodeNumber(0))
      return true
    }
  }

  /// The next regular files after a number, with their sizes in bytes according to their rows.
  package func sizes(
    after inode: InodeNumber?, limit: Int
  ) throws(IndexError) -> [(inode: InodeNumber, size: Int64)] {
    try findingStatements().sizes.bind(inode ?? .lowest, limit).rows { (row) throws(IndexError) in
      (row.inodeNumber(0), row.integer(1))
    }
  }

  /// Calls `body` for the photos whose texts match an expression of full-text search.
  package func photos(matching expression: String, _ body: (InodeNumber) -> Void) throws(IndexError) {
    try forEachNumber(findingStatements().words.bind(expression), body)
  }

  /// Calls `body` for the photos with a tag or person, by its term.
  package func photos(withTag term: Int64, _ body: (InodeNumber) -> Void) throws(IndexError) {
    try forEachNumber(findingStatements().tagged.bind(term), body)
  }

  /// Calls `body` for the files whose content hash is in a range.
  package func files(
    withHashFrom lower: [UInt8], before upper: [UInt8]?, _ body: (InodeNumber) -> Void
  ) throws(IndexError) {
    try forEachNumber(findingStatements().hashed.bind(lower, upper), body)
  }

  /// The keyed hash of a file's content, if it is known.
  package func contentHash(of inode: InodeNumber) throws(IndexError) -> [UInt8]? {
    let hash = try findingStatements().hash.bind(inode).firstRow { (row) throws(IndexError) in
      row.isNull(0) ? nil : row.bytes(0)
    }
    return hash ?? nil
  }

  /// The next directories after an inode number, in order, without the root.
  package func directories(after inode: InodeNumber?, limit: Int) throws(IndexError) -> [InodeNumber] {
    try findingStatements().directories.bind(inode ?? .lowest, limit).rows { (row) throws(IndexError) in
      row.inodeNumber(0)
    }
  }

  /// The files with a name in a directory, at most `limit`.
  package func files(in directory: InodeNumber, limit: Int) throws(IndexError) -> [InodeNumber] {
    try findingStatements().children.bind(directory, limit).rows { (row) throws(IndexError) in row.inodeNumber(0) }
  }
}
