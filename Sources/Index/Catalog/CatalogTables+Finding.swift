// Which photos have a word, a tag or a content, as numbers in order, so that a search may be left and taken up again.

package import Vault

/// Statements that find numbers of photos.
final class FindingStatements {
  let words, tagged, hashed, hash, terms, directories, children, sizes: Statement

  init(_ connection: Connection) throws(IndexError) {
    words = try connection.prepare(
      "SELECT rowid FROM words WHERE words MATCH ?1 AND rowid > ?2 ORDER BY rowid LIMIT ?3")
    tagged = try connection.prepare("SELECT inode FROM item_tag WHERE tag = ?1 AND inode > ?2 ORDER BY inode LIMIT ?3")
    hashed = try connection.prepare("SELECT inode FROM media WHERE hash >= ?1 AND (?2 IS NULL OR hash < ?2) LIMIT ?3")
    hash = try connection.prepare("SELECT hash FROM media WHERE inode = ?1")
    terms = try connection.prepare("SELECT id, kind, text FROM term WHERE id > ?1 ORDER BY id LIMIT ?2")
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

  private func numbers(
    _ statement: Statement, _ body: (InodeNumber) -> Void
  ) throws(IndexError) -> (count: Int, last: InodeNumber)? {
    var count = 0
    var last = InodeNumber.root
    try statement.forEachRow { (row) throws(IndexError) in
      last = row.inodeNumber(0)
      count += 1
      body(last)
      return true
    }
    return count > 0 ? (count, last) : nil
  }

  /// The next regular files after a number, with their lengths as the rows have them.
  package func sizes(
    after inode: InodeNumber?, limit: Int
  ) throws(IndexError) -> [(inode: InodeNumber, size: Int64)] {
    try findingStatements().sizes.bind(inode ?? .lowest, limit).rows { (row) throws(IndexError) in
      (row.inodeNumber(0), row.integer(1))
    }
  }

  /// The next photos in whose texts an expression of full-text search finds something; nil after the last.
  package func photos(
    matching expression: String, after inode: InodeNumber?, limit: Int, _ body: (InodeNumber) -> Void
  ) throws(IndexError) -> (count: Int, last: InodeNumber)? {
    try numbers(findingStatements().words.bind(expression, inode ?? .lowest, limit), body)
  }

  /// The next photos with a tag or person, by its term; nil after the last.
  package func photos(
    withTag term: Int64, after inode: InodeNumber?, limit: Int, _ body: (InodeNumber) -> Void
  ) throws(IndexError) -> (count: Int, last: InodeNumber)? {
    try numbers(findingStatements().tagged.bind(term, inode ?? .lowest, limit), body)
  }

  /// Files whose content's hash is in a range, at most `limit`; false if there are more.
  package func files(
    withHashFrom lower: [UInt8], before upper: [UInt8]?, limit: Int, _ body: (InodeNumber) -> Void
  ) throws(IndexError) -> Bool {
    let found = try numbers(findingStatements().hashed.bind(lower, upper, limit + 1), body)
    return found?.count ?? 0 <= limit
  }

  /// The keyed hash of a file's content, if it is known.
  package func contentHash(of inode: InodeNumber) throws(IndexError) -> [UInt8]? {
    let hash = try findingStatements().hash.bind(inode).firstRow { (row) throws(IndexError) in
      row.isNull(0) ? nil : row.bytes(0)
    }
    return hash ?? nil
  }

  /// The next terms of all kinds after a number; the last number, or nil after the last.
  package func terms(
    after number: Int64, limit: Int, _ body: (_ number: Int64, _ kind: Int64, _ text: String) -> Void
  ) throws(IndexError) -> Int64? {
    var last: Int64?
    try findingStatements().terms.bind(number, limit).forEachRow { (row) throws(IndexError) in
      last = row.integer(0)
      body(row.integer(0), row.integer(1), row.text(2))
      return true
    }
    return last
  }

  /// The next directories after an inode number, in order; the root is none of them.
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
