// The catalog's rows: photos and videos, the words that many of them share, the content of sidecars, and pending work.

package import Vault

/// Statements on the tables of the catalog.
final class CatalogStatements {
  let find, replace, delete, after, addWords, removeWords: Statement
  let addTag, removeTag, term, addTerm, findTerm, terms: Statement
  let sidecar, setSidecar, removeSidecar, stale, staleCount, removeStale, keepStale: Statement
  let names, withoutItem, lastMedia, lastItem, setStalePlaces, itemCount, inAlbum, byLook, byHash: Statement

  init(_ connection: Connection) throws(IndexError) {
    find = try connection.prepare("SELECT * FROM item WHERE inode = ?1")
    replace = try connection.prepare(
      """
      INSERT OR REPLACE INTO item VALUES(
        ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23)
      """)
    delete = try connection.prepare("DELETE FROM item WHERE inode = ?1")
    after = try connection.prepare("SELECT * FROM item WHERE inode > ?1 ORDER BY inode LIMIT ?2")
    addWords = try connection.prepare("INSERT INTO words(rowid, text) VALUES(?1, ?2)")
    removeWords = try connection.prepare("DELETE FROM words WHERE rowid = ?1")
    addTag = try connection.prepare("INSERT OR IGNORE INTO item_tag(tag, inode) VALUES(?1, ?2)")
    removeTag = try connection.prepare("DELETE FROM item_tag WHERE tag = ?1 AND inode = ?2")
    term = try connection.prepare("SELECT text FROM term WHERE id = ?1")
    findTerm = try connection.prepare("SELECT id FROM term WHERE kind = ?1 AND text = ?2")
    addTerm = try connection.prepare("INSERT INTO term(kind, text) VALUES(?1, ?2) RETURNING id")
    terms = try connection.prepare("SELECT id, text FROM term WHERE kind = ?1 ORDER BY id")
    sidecar = try connection.prepare("SELECT version, found FROM sidecar WHERE inode = ?1")
    setSidecar = try connection.prepare("INSERT OR REPLACE INTO sidecar(inode, version, found) VALUES(?1, ?2, ?3)")
    removeSidecar = try connection.prepare("DELETE FROM sidecar WHERE inode = ?1")
    stale = try connection.prepare(
      "SELECT inode, reason FROM stale WHERE reason & ?1 AND inode > ?3 ORDER BY inode LIMIT ?2")
    staleCount = try connection.prepare("SELECT count(*) FROM stale WHERE reason & ?1")
    removeStale = try connection.prepare("DELETE FROM stale WHERE inode = ?1 AND reason & ~?2 = 0")
    keepStale = try connection.prepare("UPDATE stale SET reason = reason & ~?2 WHERE inode = ?1")
    names = try connection.prepare(
      "SELECT parent, name FROM dentry INDEXED BY dentry_inode WHERE inode = ?1 ORDER BY parent, name LIMIT ?2")
    withoutItem = try connection.prepare(
      """
      SELECT m.inode FROM media m LEFT JOIN item i ON i.inode = m.inode
      WHERE m.inode > ?1 AND m.inode <= ?2 AND m.state IN (1, 2) AND (i.version IS NULL OR i.version < ?3)
      ORDER BY m.inode
      """)
    lastMedia = try connection.prepare(
      "SELECT max(inode) FROM (SELECT inode FROM media WHERE inode > ?1 ORDER BY inode LIMIT ?2)")
    lastItem = try connection.prepare(
      "SELECT max(inode) FROM (SELECT inode FROM item WHERE inode > ?1 ORDER BY inode LIMIT ?2)")
    setStalePlaces = try connection.prepare(
      """
      INSERT INTO stale(inode, reason)
      SELECT inode, ?3 FROM item WHERE inode > ?1 AND inode <= ?2 AND (latitude IS NOT NULL OR flags & ?4)
      ON CONFLICT(inode) DO UPDATE SET reason = reason | excluded.reason
      """)
    itemCount = try connection.prepare("SELECT count(*) FROM item")
    inAlbum = try connection.prepare(
      """
      SELECT i.*, d.name FROM dentry d CROSS JOIN item i ON i.inode = d.inode
      WHERE d.parent = ?1 AND d.name > ?2 ORDER BY d.name LIMIT ?3
      """)
    byLook = try connection.prepare("SELECT * FROM item WHERE look = ?1 LIMIT ?2")
    byHash = try connection.prepare(
      "SELECT m.inode FROM media m JOIN item i ON i.inode = m.inode WHERE m.hash = ?1 LIMIT ?2")
  }
}

/// Statements of changing operations. Nearly every mount needs them soon, so there are few.
final class StaleStatements {
  let setStale, setStaleItem: Statement

  init(_ connection: Connection) throws(IndexError) {
    setStale = try connection.prepare(
      """
      INSERT INTO stale(inode, reason) VALUES(?1, ?2)
      ON CONFLICT(inode) DO UPDATE SET reason = reason | excluded.reason
      """)
    setStaleItem = try connection.prepare(
      """
      INSERT INTO stale(inode, reason) SELECT inode, ?2 FROM item WHERE inode = ?1
      ON CONFLICT(inode) DO UPDATE SET reason = reason | excluded.reason
      """)
  }
}

/// The reason for pending work in the catalog; bits.
package struct StaleReason: OptionSet, Hashable, Sendable {
  package let rawValue: Int64
  package init(rawValue: Int64) { self.rawValue = rawValue }
  /// A file: its names, attributes or sidecars changed.
  package static let merge = StaleReason(rawValue: 1)
  /// A file: the decoder must examine it.
  package static let look = StaleReason(rawValue: 2)
  /// A directory: its content changed, so stacks and sidecars must be matched.
  package static let match = StaleReason(rawValue: 4)
  /// A sidecar: its content changed.
  package static let read = StaleReason(rawValue: 8)
  /// A directory: it is being matched. After a crash it must be matched again.
  package static let matching = StaleReason(rawValue: 16)
}

/// The kinds of values that many photos share. The numbers are stored and never change.
package enum TermKind: Int64, Sendable, CaseIterable {
  case camera = 1
  case lens, place, tag, person, rights, codec
  /// A maker or a model by itself.
  case device
}

/// The tables of the catalog.
package struct CatalogTables {
  package let index: Index

  private func catalogStatements() throws(IndexError) -> CatalogStatements {
    if let known = index.preparedCatalogStatements { return known }
    guard index.hasCatalog else { throw .readOnly }
    let made = try CatalogStatements(index.connection)
    index.preparedCatalogStatements = made
    return made
  }

  private func staleStatements() throws(IndexError) -> StaleStatements {
    if let known = index.preparedStaleStatements { return known }
    let made = try StaleStatements(index.connection)
    index.preparedStaleStatements = made
    return made
  }

  /// Creates the catalog's tables in an index of an older schema. If they exist, it resumes the work that a crash or
  /// the end of a mount interrupted.
  package func addCatalog() throws(IndexError) {
    if index.hasCatalog { return try resumeMatching() }
    try index.change { () throws(IndexError) in
      try index.connection.execute(Schema.catalog)
      try index.setMeta("schema", to: Schema.version)
    }
    index.hasCatalog = true
    index.pagesChanged = true
  }

  /// Removes the whole content of the catalog, which is then filled again.
  package func emptyCatalog() throws(IndexError) {
    if !index.hasCatalog { return }
    try index.change { () throws(IndexError) in
      for table in ["item", "item_tag", "term", "sidecar", "stale", "words"] {
        try index.connection.execute("DELETE FROM \(table)")
      }
      try index.connection.execute("DELETE FROM meta WHERE key = 'catalog'")
    }
    index.termTexts.removeAll()
  }

  /// Restarts work that began in an earlier mount.
  private func resumeMatching() throws(IndexError) {
    let begun = try index.connection.prepare("SELECT 1 FROM stale WHERE reason & 16 LIMIT 1")
    if try begun.firstRow({ (_) throws(IndexError) in true }) == nil { return }
    try index.change { () throws(IndexError) in
      try index.connection.execute("UPDATE stale SET reason = (reason & ~16) | 4 WHERE reason & 16")
    }
  }

  // MARK: Items

  /// The row of a photo or video; nil if it has none.
  package func item(_ inode: InodeNumber) throws(IndexError) -> ItemRecord? {
    try catalogStatements().find.bind(inode).firstRow { (row) throws(IndexError) in ItemRecord(row) }
  }

  /// The next rows after an inode number, in order, at most `limit`.
  package func items(after inode: InodeNumber?, limit: Int) throws(IndexError) -> [ItemRecord] {
    try catalogStatements().after.bind(inode ?? .lowest, limit).rows { (row) throws(IndexError) in ItemRecord(row) }
  }

  /// The next rows of files with a name in a directory, in the order of those names, with the names.
  package func items(
    inAlbum directory: InodeNumber, after name: [UInt8], limit: Int
  ) throws(IndexError) -> [(item: ItemRecord, name: [UInt8])] {
    try catalogStatements().inAlbum.bind(directory, name, limit).rows { (row) throws(IndexError) in
      (ItemRecord(row), row.bytes(ItemRecord.columnCount))
    }
  }

  /// The rows with exactly this look, at most `limit`.
  package func items(withLook look: Int64, limit: Int) throws(IndexError) -> [ItemRecord] {
    try catalogStatements().byLook.bind(look, limit).rows { (row) throws(IndexError) in ItemRecord(row) }
  }

  /// The files with a row and a given content hash, at most `limit`.
  package func inodes(withHash hash: [UInt8], limit: Int) throws(IndexError) -> [InodeNumber] {
    try catalogStatements().byHash.bind(hash, limit).rows { (row) throws(IndexError) in row.inodeNumber(0) }
  }

  /// The number of rows. Reads an index of the table.
  package func itemCount() throws(IndexError) -> Int64 {
    try catalogStatements().itemCount.firstRow { (row) throws(IndexError) in row.integer(0) } ?? 0
  }

  /// Stores a row with the words of its texts. Replaces the tags and people `oldTags` by its own.
  package func setItem(
    _ item: ItemRecord, words: String, tags: [Int64], replacing oldTags: [Int64]
  ) throws(IndexError) {
    try index.change { () throws(IndexError) in
      let statements = try catalogStatements()
      try item.bind(statements.replace).run()
      try statements.removeWords.bind(item.inode).run()
      try statements.addWords.bind(item.inode, words).run()
      for tag in oldTags where !tags.contains(tag) { try statements.removeTag.bind(tag, item.inode).run() }
      for tag in tags { try statements.addTag.bind(tag, item.inode).run() }
    }
  }

  /// Stores a row whose texts, tags and people are unchanged.
  package func updateItem(_ item: ItemRecord) throws(IndexError) {
    try index.run(item.bind(try catalogStatements().replace))
  }

  /// Removes a row, its words, and its tags and people.
  package func deleteItem(_ inode: InodeNumber, tags: [Int64]) throws(IndexError) {
    try index.change { () throws(IndexError) in
      let statements = try catalogStatements()
      try statements.delete.bind(inode).run()
      try statements.removeWords.bind(inode).run()
      for tag in tags { try statements.removeTag.bind(tag, inode).run() }
    }
  }

  /// Removes a row that cannot be read, with its words; tags may stay behind.
  package func forgetItem(_ inode: InodeNumber) throws(IndexError) { try deleteItem(inode, tags: []) }

  /// The photos and videos among the next `limit` rows of `media` after a number that lack a row of this version, in
  /// order, and the last number examined; nil at the end.
  package func mediaWithoutItem(
    after inode: InodeNumber?, version: Int64, limit: Int
  ) throws(IndexError) -> (inodes: [InodeNumber], last: InodeNumber)? {
    let statements = try catalogStatements()
    let start = inode ?? .lowest
    guard let last = try number(statements.lastMedia.bind(start, limit)) else { return nil }
    let found = try statements.withoutItem.bind(start, last, version).rows { (row) throws(IndexError) in
      row.inodeNumber(0)
    }
    return (found, last)
  }

  /// Marks rows with a position, or with one of some flags, for another merge, among the next `limit` rows after a
  /// number. Returns the last number examined; nil at the end.
  package func addStalePlaces(
    orFlags flags: Int64, after inode: InodeNumber?, limit: Int
  ) throws(IndexError) -> InodeNumber? {
    if !index.hasCatalog { return nil }
    let statements = try catalogStatements()
    let start = inode ?? .lowest
    guard let last = try number(statements.lastItem.bind(start, limit)) else { return nil }
    try index.run(statements.setStalePlaces.bind(start, last, StaleReason.merge.rawValue, flags))
    return last
  }

  private func number(_ statement: Statement) throws(IndexError) -> InodeNumber? {
    let number = try statement.firstRow { (row) throws(IndexError) in row.isNull(0) ? nil : row.inodeNumber(0) }
    return number ?? nil
  }

  // MARK: Terms

  /// The number of a term; nil if there is none.
  package func term(_ kind: TermKind, _ text: String) throws(IndexError) -> Int64? {
    try catalogStatements().findTerm.bind(kind, text).firstRow { (row) throws(IndexError) in row.integer(0) }
  }

  /// The number of a term, which is created if it does not exist. Terms are never removed.
  package func makeTerm(_ kind: TermKind, _ text: String) throws(IndexError) -> Int64 {
    if let known = try term(kind, text) { return known }
    return try index.change { () throws(IndexError) in
      let number = try catalogStatements().addTerm.bind(kind, text).rows { (row) throws(IndexError) in row.integer(0) }
      guard let number = number.first else { throw .damaged }
      return number
    }
  }

  /// The text of a term.
  package func text(ofTerm number: Int64) throws(IndexError) -> String? {
    if let known = index.termTexts[number] { return known }
    let text = try catalogStatements().term.bind(number).firstRow { (row) throws(IndexError) in row.text(0) }
    if index.termTexts.count >= Self.mostTermTexts { index.termTexts.removeAll() }
    index.termTexts[number] = text
    return text
  }

  /// The most texts of terms that are kept in memory.
  private static let mostTermTexts = 16_384

  /// All terms of a kind, by their numbers.
  package func terms(_ kind: TermKind) throws(IndexError) -> [(number: Int64, text: String)] {
    try catalogStatements().terms.bind(kind).rows { (row) throws(IndexError) in (row.integer(0), row.text(1)) }
  }

  // MARK: Names

  /// The names of an inode by directory and bytes, at most `limit`.
  package func names(
    of inode: InodeNumber, limit: Int
  ) throws(IndexError) -> [(parent: InodeNumber, name: FileName)] {
    try catalogStatements().names.bind(inode, limit).rows { (row) throws(IndexError) in
      (row.inodeNumber(0), try row.fileName(1))
    }
  }

  // MARK: Sidecars

  /// The decoder's result for a sidecar, and the version of the result; nil if the sidecar was not read.
  package func sidecar(_ inode: InodeNumber) throws(IndexError) -> (version: Int64, found: [UInt8])? {
    try catalogStatements().sidecar.bind(inode).firstRow { (row) throws(IndexError) in (row.integer(0), row.bytes(1)) }
  }

  /// Stores the decoder's result for a sidecar.
  package func setSidecar(_ inode: InodeNumber, version: Int64, found: [UInt8]) throws(IndexError) {
    try index.run(try catalogStatements().setSidecar.bind(inode, version, found))
  }

  /// Forgets the decoder's result for a sidecar.
  package func dropSidecar(_ inode: InodeNumber) throws(IndexError) {
    if !index.hasCatalog { return }
    try index.run(try catalogStatements().removeSidecar.bind(inode))
  }

  // MARK: Pending work

  /// Marks the row of a photo or video for another merge; does nothing for other files.
  package func addStaleItem(_ inode: InodeNumber) throws(IndexError) {
    if !index.hasCatalog { return }
    try index.run(try staleStatements().setStaleItem.bind(inode, StaleReason.merge.rawValue))
  }

  /// Marks an inode for pending work.
  package func addStale(_ inode: InodeNumber, _ reason: StaleReason) throws(IndexError) {
    if !index.hasCatalog { return }
    try index.run(try staleStatements().setStale.bind(inode, reason.rawValue))
  }

  /// The inodes with pending work for one of some reasons, in the order of inode numbers after `last`, at most `limit`.
  package func stale(
    for reasons: StaleReason, after last: InodeNumber? = nil, limit: Int
  ) throws(IndexError) -> [(inode: InodeNumber, reason: StaleReason)] {
    if !index.hasCatalog { return [] }
    let after = last.map { Int64(bitPattern: $0.rawValue) } ?? .min
    return try catalogStatements().stale.bind(reasons.rawValue, limit, after).rows { (row) throws(IndexError) in
      (row.inodeNumber(0), StaleReason(rawValue: row.integer(1)))
    }
  }

  /// The number of inodes with pending work for one of some reasons.
  package func staleCount(for reasons: StaleReason) throws(IndexError) -> Int64 {
    if !index.hasCatalog { return 0 }
    return try catalogStatements().staleCount.bind(reasons.rawValue)
      .firstRow { (row) throws(IndexError) in row.integer(0) } ?? 0
  }

  /// Notes that pending work is done.
  package func removeStale(_ inode: InodeNumber, _ reason: StaleReason) throws(IndexError) {
    try index.change { () throws(IndexError) in
      let statements = try catalogStatements()
      if try statements.removeStale.bind(inode, reason.rawValue).run() == 0 {
        try statements.keepStale.bind(inode, reason.rawValue).run()
      }
    }
  }
}

extension TermKind: Storable {}
