// Reads whole tables in steps, for checks, and frees pages. The caller's lock is held for one step at a time.

package import Vault

/// Statements that read whole tables, and pragmas.
struct CheckStatements {
  let integrity, inodes, dentries, extents, attributeInodes, freePages, vacuum: Statement

  init(_ connection: Connection) throws(IndexError) {
    integrity = try connection.prepare("PRAGMA integrity_check")
    inodes = try connection.prepare("SELECT * FROM inode WHERE number > ?1 ORDER BY number LIMIT ?2")
    dentries = try connection.prepare(
      """
      SELECT inode, kind, cookie, name, parent FROM dentry
      WHERE (parent, name) > (?1, ?2) ORDER BY parent, name LIMIT ?3
      """)
    extents = try connection.prepare(
      """
      SELECT offset, length, position, record, skip, inode FROM extent
      WHERE (inode, offset) > (?1, ?2) ORDER BY inode, offset LIMIT ?3
      """)
    attributeInodes = try connection.prepare(
      "SELECT DISTINCT inode FROM attribute WHERE inode > ?1 ORDER BY inode LIMIT ?2")
    freePages = try connection.prepare("PRAGMA freelist_count")
    vacuum = try connection.prepare("PRAGMA incremental_vacuum")
  }
}

extension Index {
  /// The problems that SQLite finds in the structure of the database, one line each. Reads all of it.
  package func integrityCheck() throws(IndexError) -> [String] {
    let lines = try statements.check.integrity.rows { (row) throws(IndexError) in row.text(0) }
    return lines == ["ok"] ? [] : lines
  }

  /// The next inodes after a number, in order, at most `limit`.
  package func inodes(after number: InodeNumber?, limit: Int) throws(IndexError) -> [InodeRecord] {
    try statements.check.inodes.bind(number ?? .lowest, limit).rows { (row) throws(IndexError) in InodeRecord(row) }
  }

  /// The next directory entries after one, by directory and name, at most `limit`.
  package func dentries(after last: LocatedDentry?, limit: Int) throws(IndexError) -> [LocatedDentry] {
    let (parent, name) = (last?.parent ?? .lowest, last?.entry.name.bytes ?? [])
    return try statements.check.dentries.bind(parent, name, limit).rows { (row) throws(IndexError) in
      LocatedDentry(parent: row.inodeNumber(4), entry: DentryRecord(row, name: try row.fileName(3)))
    }
  }

  /// The next inodes after a number that have extended attributes, in order, at most `limit`.
  package func inodesWithAttributes(after number: InodeNumber?, limit: Int) throws(IndexError) -> [InodeNumber] {
    try statements.check.attributeInodes.bind(number ?? .lowest, limit).rows { (row) throws(IndexError) in
      row.inodeNumber(0)
    }
  }

  /// The number of free pages of the database, which `incrementalVacuum(pages:)` can remove.
  package func freePages() throws(IndexError) -> Int {
    try statements.check.freePages.firstRow { (row) throws(IndexError) in Int(row.integer(0)) } ?? 0
  }

  /// Removes at most `pages` free pages from the database.
  package func incrementalVacuum(pages: Int) throws(IndexError) {
    try change { () throws(IndexError) in
      let statement = statements.check.vacuum
      defer { statement.reset() }
      // Each step moves one page and returns an empty row.
      for _ in 0..<pages {
        guard try statement.step() else { return }
        pagesChanged = true
      }
    }
  }
}
