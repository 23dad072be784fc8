// Rebuilds an index from the readable pages of a damaged one.
//
// The shape of a row shows its table: no two tables have the same number and kinds of columns. Everything that follows
// from other rows (counts, the indexes of tables) is rebuilt.

package import Vault

/// The readable rows of a damaged index.
package struct SalvagedRows {
  private enum Table: String, CaseIterable {
    case inode, dentry, extent, attribute, orphan, slot, meta, media
  }

  private var rows: [Table: [[StoredValue]]] = [:]
  /// The number of unreadable pages.
  package let lostPages: Int

  /// Reads all readable pages of `store`.
  package init(reading store: any PageStore) {
    let pages = DatabasePages(store)
    lostPages = pages.unreadable.count
    pages.forEachRow { row in
      guard let table = Self.table(of: row) else { return }
      var values = row.values
      // The value of the key column is stored only as the key.
      if let key = row.key { values[0] = .integer(key) }
      rows[table, default: []].append(values)
    }
  }

  /// Whether there are no rows from which files can be rebuilt.
  package var isEmpty: Bool {
    (rows[.inode] ?? []).isEmpty && (rows[.dentry] ?? []).isEmpty && (rows[.extent] ?? []).isEmpty
  }

  private static func table(of row: SalvagedRow) -> Table? {
    if row.key != nil {
      switch row.values.count {
      case 19: return .inode
      case 18: return .media
      case 1: return .orphan
      default: return nil
      }
    }
    switch row.values.count {
    case 6: return .extent
    case 5: return .dentry
    case 3:
      guard case .bytes = row.values[1], case .bytes = row.values[2] else { return nil }
      return .attribute
    case 2:
      guard case .text = row.values[0] else { return nil }
      return .meta
    case 1:
      guard case .bytes = row.values[0] else { return nil }
      return .slot
    default: return nil
    }
  }

  /// Whether a value in `meta` describes the tables themselves. The rebuilt tables have the current schema, and an
  /// empty catalog.
  private static func isOfAnotherIndex(_ key: StoredValue) -> Bool { key == .text("schema") || key == .text("catalog") }

  /// Inserts the rows into the tables of `connection`.
  fileprivate func insert(_ connection: Connection) throws(IndexError) {
    for table in Table.allCases {
      guard let rows = rows[table] else { continue }
      let places = rows[0].indices.map { "?\($0 + 1)" }.joined(separator: ", ")
      let insert = try connection.prepare(
        "INSERT OR \(table == .meta ? "REPLACE" : "IGNORE") INTO \(table.rawValue) VALUES(\(places))")
      for row in rows where table != .meta || !Self.isOfAnotherIndex(row[0]) {
        for (index, value) in row.enumerated() { insert.bind(Int32(index + 1), value) }
        try insert.run()
      }
    }
  }
}

extension Index {
  /// Builds an index from `rows` in an empty store, in one commit. A missing inode that has a name or data is created
  /// again, with permissions only for the root directory's owner. The second result is the numbers of these inodes.
  package static func rebuilt(
    from rows: SalvagedRows, in store: any PageStore
  ) throws(IndexError) -> (index: Index, recreated: Set<InodeNumber>) {
    let index = try Index(space: store, creating: RootOwner(owner: 0, group: 0))
    var recreated: Set<InodeNumber> = []
    try index.change { () throws(IndexError) in
      // The new root stands in for the old one if that is lost.
      let root = try index.inode(.root)
      try index.connection.execute("DELETE FROM inode")
      try rows.insert(index.connection)
      if try index.inode(.root) == nil, let root {
        try index.insert(root)
        recreated.insert(.root)
      }
      recreated.formUnion(try index.recreateInodes())
      try index.recount()
    }
    index.pagesChanged = true
    try index.commit()
    return (index, recreated)
  }

  private func recreateInodes() throws(IndexError) -> Set<InodeNumber> {
    guard let root = try inode(.root) else { throw .damaged }
    // A name gives the kind of its inode; an inode that contains names is a directory; one with data is a file.
    let find = try connection.prepare(
      """
      SELECT inode, max(kind), max(parent) FROM (
        SELECT inode, kind, parent FROM dentry UNION ALL SELECT parent, 4, NULL FROM dentry
        UNION ALL SELECT DISTINCT inode, 0, NULL FROM extent)
      WHERE inode NOT IN (SELECT number FROM inode) GROUP BY inode
      """)
    let lost = try find.rows { (row) throws(IndexError) in
      let kind = UInt8(truncatingIfNeeded: row.integer(1))
      return (number: row.inodeNumber(0), kind: kind == 0 ? 8 : kind, parent: row.isNull(2) ? nil : row.inodeNumber(2))
    }
    let sums = try connection.prepare(
      """
      SELECT coalesce(sum(length), 0), coalesce(max(CASE WHEN position > 0 THEN offset + length END), 0)
      FROM extent WHERE inode = ?1
      """)
    for inode in lost {
      var record = InodeRecord(
        number: inode.number, mode: UInt32(inode.kind) << 12 | (inode.kind == 4 ? 0o700 : 0o600), links: 1,
        owner: root.owner, group: root.group, time: .now(), parent: inode.kind == 4 ? inode.parent : nil)
      let found = try sums.bind(inode.number).firstRow { (row) throws(IndexError) in (row.integer(0), row.integer(1)) }
      record.allocated = found?.0 ?? 0
      record.size = found?.1 ?? 0
      try insert(record)
    }
    return Set(lost.map(\.number))
  }

  /// Rebuilds all counts. Numbers continue after the highest used one. Contents without a row are examined again.
  private func recount() throws(IndexError) {
    try connection.execute(
      """
      DELETE FROM segment;
      INSERT INTO segment SELECT position >> 26, sum(length) FROM extent GROUP BY 1;
      INSERT INTO media(inode, state) SELECT number, 0 FROM inode WHERE mode & 61440 = 32768 AND size > 0
        AND number NOT IN (SELECT inode FROM media)
        AND number NOT IN (SELECT small FROM media WHERE small IS NOT NULL)
        AND number NOT IN (SELECT large FROM media WHERE large IS NOT NULL);
      """)
    let counts = try connection.prepare(
      """
      SELECT (SELECT count(*) FROM inode),
        max((SELECT max(number) FROM inode), coalesce((SELECT max(inode) FROM media), 0),
          coalesce((SELECT max(small) FROM media), 0), coalesce((SELECT max(large) FROM media), 0),
          coalesce((SELECT value FROM meta WHERE key = 'next_inode'), 0)),
        max(coalesce((SELECT max(cookie) FROM dentry), 0),
          coalesce((SELECT value FROM meta WHERE key = 'next_cookie'), 0))
      """)
    let values = try counts.firstRow { (row) throws(IndexError) in (row.integer(0), row.integer(1), row.integer(2)) }
    guard let values else { throw .damaged }
    counters.inodeCount = values.0
    // A column may hold anything, so the highest value may be impossible as a number.
    counters.nextInode = min(UInt64(clamping: values.1), Counters.highest - 1) + 1
    counters.nextCookie = max(3, min(UInt64(clamping: values.2), Counters.highest - 1) + 1)
    try loadLiveBytes()
    live.clear()
    // `meta` holds the values of the damaged index.
    storedCounters = Counters(values: [-1, -1, -1])
  }
}
