// Reads hashes in their order, to find files with equal ones.

package import Vault

/// Statements that find duplicates.
final class DuplicateStatements {
  let hashes, looks: Statement

  init(_ connection: Connection) throws(IndexError) {
    hashes = try connection.prepare(
      """
      SELECT hash, inode FROM media INDEXED BY media_hash
      WHERE hash IS NOT NULL AND hash >= ?1 AND (hash > ?1 OR inode > ?2) ORDER BY hash, inode LIMIT ?3
      """)
    looks = try connection.prepare(
      "SELECT inode, look, stack, pixels FROM item WHERE inode > ?1 ORDER BY inode LIMIT ?2")
  }
}

/// A photo or video with the values that show duplicates.
package struct LookRecord: Hashable, Sendable {
  package var inode: InodeNumber
  /// 64 bits that are almost equal for pictures that look the same.
  package var look: Int64?
  /// The file that represents its stack, its cover.
  package var stack: InodeNumber?
  /// A keyed hash of the decoded pixels.
  package var pixels: [UInt8]?
}

extension CatalogTables {
  private func duplicateStatements() throws(IndexError) -> DuplicateStatements {
    if let known = index.preparedDuplicateStatements { return known }
    guard index.hasCatalog else { throw .readOnly }
    let made = try DuplicateStatements(index.connection)
    index.preparedDuplicateStatements = made
    return made
  }

  /// The next files by the hash of their content and their number, at most `limit`.
  package func hashes(
    after hash: [UInt8], _ inode: InodeNumber?, limit: Int
  ) throws(IndexError) -> [(hash: [UInt8], inode: InodeNumber)] {
    try duplicateStatements().hashes.bind(hash, inode ?? .lowest, limit).rows { (row) throws(IndexError) in
      (row.bytes(0), row.inodeNumber(1))
    }
  }

  /// The next rows by inode number, at most `limit`.
  package func looks(after inode: InodeNumber?, limit: Int) throws(IndexError) -> [LookRecord] {
    try duplicateStatements().looks.bind(inode ?? .lowest, limit).rows { (row) throws(IndexError) in
      LookRecord(
        inode: row.inodeNumber(0), look: row.isNull(1) ? nil : row.integer(1),
        stack: row.isNull(2) ? nil : row.inodeNumber(2), pixels: row.isNull(3) ? nil : row.bytes(3))
    }
  }
}
