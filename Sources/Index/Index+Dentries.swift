package import Vault

struct DentryStatements {
  let find, findWithInode, insert, replace, delete, any, list, listWithInode: Statement
  let ofDirectory, all: Statement

  init(_ connection: Connection) throws(IndexError) {
    find = try connection.prepare("SELECT inode, kind, cookie FROM dentry WHERE parent = ?1 AND name = ?2")
    findWithInode = try connection.prepare(
      """
      SELECT d.inode, d.kind, d.cookie, i.*
      FROM dentry d LEFT JOIN inode i ON i.number = d.inode WHERE d.parent = ?1 AND d.name = ?2
      """)
    insert = try connection.prepare(
      "INSERT INTO dentry(parent, name, inode, kind, cookie) VALUES(?1, ?2, ?3, ?4, ?5)")
    replace = try connection.prepare(
      """
      INSERT INTO dentry(parent, name, inode, kind, cookie) VALUES(?1, ?2, ?3, ?4, ?5)
      ON CONFLICT(parent, name) DO UPDATE SET inode = excluded.inode, kind = excluded.kind, cookie = excluded.cookie
      """)
    delete = try connection.prepare("DELETE FROM dentry WHERE parent = ?1 AND name = ?2")
    any = try connection.prepare("SELECT 1 FROM dentry WHERE parent = ?1 LIMIT 1")
    list = try connection.prepare(
      """
      SELECT inode, kind, cookie, name FROM dentry INDEXED BY dentry_cookie
      WHERE parent = ?1 AND cookie > ?2 ORDER BY cookie
      """)
    listWithInode = try connection.prepare(
      """
      SELECT d.inode, d.kind, d.cookie, i.*, d.name FROM dentry d INDEXED BY dentry_cookie
      LEFT JOIN inode i ON i.number = d.inode WHERE d.parent = ?1 AND d.cookie > ?2 ORDER BY d.cookie
      """)
    ofDirectory = try connection.prepare(
      """
      SELECT d.inode, d.kind, d.cookie, d.name, d.parent
      FROM inode i CROSS JOIN dentry d ON d.parent = i.parent AND d.inode = i.number WHERE i.number = ?1
      """)
    all = try connection.prepare("SELECT inode, parent, name FROM dentry")
  }
}

extension DentryRecord {
  /// Reads inode, kind and cookie from the first three columns.
  init(_ row: Statement, name: FileName) {
    self.init(
      name: name, inode: InodeNumber(rawValue: UInt64(bitPattern: row.integer(0))),
      kind: UInt8(truncatingIfNeeded: row.integer(1)), cookie: UInt64(bitPattern: row.integer(2)))
  }

  fileprivate func bind(_ statement: Statement, parent: InodeNumber) -> Statement {
    statement.bind(parent, name, inode, kind, cookie)
  }
}

extension Statement {
  func fileName(_ column: Int32) throws(IndexError) -> FileName {
    guard let name = FileName(bytes(column)) else { throw .damaged }
    return name
  }

  func inodeNumber(_ column: Int32) -> InodeNumber { InodeNumber(rawValue: UInt64(bitPattern: integer(column))) }
}

extension Index {
  /// The entry with a name in a directory; nil when there is none.
  package func dentry(parent: InodeNumber, name: FileName) throws(IndexError) -> DentryRecord? {
    try statements.dentries.find.bind(parent, name).firstRow { (row) throws(IndexError) in
      DentryRecord(row, name: name)
    }
  }

  /// The entry with a name in a directory, and its inode, in one query.
  ///
  /// - Throws: `.damaged` when the inode does not exist.
  package func dentryWithInode(
    parent: InodeNumber, name: FileName
  ) throws(IndexError) -> (DentryRecord, InodeRecord)? {
    try statements.dentries.findWithInode.bind(parent, name).firstRow { (row) throws(IndexError) in
      guard !row.isNull(3) else { throw .damaged }
      return (DentryRecord(row, name: name), InodeRecord(row, first: 3))
    }
  }

  /// Adds an entry.
  ///
  /// - Throws: `.sqlite` with a constraint code when the name is taken.
  package func insertDentry(parent: InodeNumber, _ entry: DentryRecord) throws(IndexError) {
    try run(entry.bind(statements.dentries.insert, parent: parent))
  }

  /// Adds an entry, or replaces the one with that name.
  package func replaceDentry(parent: InodeNumber, _ entry: DentryRecord) throws(IndexError) {
    try run(entry.bind(statements.dentries.replace, parent: parent))
  }

  /// Removes an entry; returns whether it existed.
  @discardableResult
  package func deleteDentry(parent: InodeNumber, name: FileName) throws(IndexError) -> Bool {
    try run(statements.dentries.delete.bind(parent, name)) > 0
  }

  /// Whether a directory has no entries.
  package func isDirectoryEmpty(_ directory: InodeNumber) throws(IndexError) -> Bool {
    try statements.dentries.any.bind(directory).firstRow { (_) throws(IndexError) in true } == nil
  }

  /// Calls `body` for the entries of a directory with a cookie greater than `cookie`, in the order of cookies, until it
  /// returns false. Entries keep their cookies, so a listing can continue after any changes.
  package func forEachDentry(
    parent: InodeNumber, after cookie: UInt64, _ body: (DentryRecord) -> Bool
  ) throws(IndexError) {
    try statements.dentries.list.bind(parent, cookie).forEachRow { (row) throws(IndexError) in
      body(DentryRecord(row, name: try row.fileName(3)))
    }
  }

  /// Like `forEachDentry`, with the inode of each entry.
  ///
  /// - Throws: `.damaged` when an inode does not exist.
  package func forEachDentryWithInode(
    parent: InodeNumber, after cookie: UInt64, _ body: (DentryRecord, InodeRecord) -> Bool
  ) throws(IndexError) {
    try statements.dentries.listWithInode.bind(parent, cookie).forEachRow { (row) throws(IndexError) in
      guard !row.isNull(3) else { throw .damaged }
      return body(DentryRecord(row, name: try row.fileName(22)), InodeRecord(row, first: 3))
    }
  }

  /// The entry that names a directory; nil for the root and for a removed one. Reads the parent's entries.
  package func entry(ofDirectory directory: InodeNumber) throws(IndexError) -> LocatedDentry? {
    try statements.dentries.ofDirectory.bind(directory).firstRow { (row) throws(IndexError) in
      LocatedDentry(parent: row.inodeNumber(4), entry: DentryRecord(row, name: try row.fileName(3)))
    }
  }

  /// All names of some inodes. Reads every entry of the space.
  package func names(
    of inodes: Set<InodeNumber>
  ) throws(IndexError) -> [(inode: InodeNumber, parent: InodeNumber, name: FileName)] {
    var names: [(inode: InodeNumber, parent: InodeNumber, name: FileName)] = []
    try statements.dentries.all.forEachRow { (row) throws(IndexError) in
      let inode = row.inodeNumber(0)
      if inodes.contains(inode) { names.append((inode, row.inodeNumber(1), try row.fileName(2))) }
      return true
    }
    return names
  }
}
