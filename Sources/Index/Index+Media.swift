// What is known about the contents of files. A file gets a row at the first write after which it may be a photo or
// video. Derivatives are inodes without a name; each row that refers to one counts as a link of it.

package import Vault

/// Statements on `media`.
struct MediaStatements {
  static let columns = """
    inode, state, hash, kind, width, height, orientation, captured, "offset", latitude, longitude, make, model,
    duration, codec, small, large, reason
    """

  let find, byHash, replace, delete, setState, changeStates, noteAll, after, ofState: Statement
  let derivatives, derivativeCount, counts, astray: Statement

  init(_ connection: Connection) throws(IndexError) {
    find = try connection.prepare("SELECT \(Self.columns) FROM media WHERE inode = ?1")
    byHash = try connection.prepare("SELECT \(Self.columns) FROM media WHERE hash = ?1 LIMIT 1")
    replace = try connection.prepare(
      """
      INSERT OR REPLACE INTO media(\(Self.columns))
      VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)
      """)
    delete = try connection.prepare("DELETE FROM media WHERE inode = ?1")
    setState = try connection.prepare("UPDATE media SET state = ?2 WHERE inode = ?1")
    changeStates = try connection.prepare("UPDATE media SET state = ?2 WHERE state = ?1")
    noteAll = try connection.prepare(
      """
      INSERT OR IGNORE INTO media(inode, state)
      SELECT inode, CASE WHEN substr(name, 1, 1) = x'2e' THEN ?2 ELSE ?1 END FROM dentry WHERE kind = ?3
      """)
    after = try connection.prepare("SELECT inode FROM media WHERE state = ?1 AND inode > ?2 ORDER BY inode LIMIT ?3")
    derivatives = try connection.prepare(
      """
      SELECT inode, small, large FROM media WHERE inode > ?1 AND (small IS NOT NULL OR large IS NOT NULL)
      ORDER BY inode LIMIT ?2
      """)
    counts = try connection.prepare("SELECT state, count(*) FROM media GROUP BY state")
    ofState = try connection.prepare("SELECT inode, reason FROM media WHERE state = ?1 ORDER BY inode")
    astray = try connection.prepare("SELECT inode FROM media WHERE inode NOT IN (SELECT number FROM inode)")
    derivativeCount = try connection.prepare("SELECT count(DISTINCT small) + count(DISTINCT large) FROM media")
  }
}

extension MediaRecord {
  fileprivate init(_ row: Statement) throws(IndexError) {
    guard let state = State(rawValue: row.integer(1)) else { throw .damaged }
    self.init(inode: row.inodeNumber(0), state: state)
    hash = row.isNull(2) ? nil : row.bytes(2)
    facts.kind = row.integer(3)
    facts.width = row.integer(4)
    facts.height = row.integer(5)
    facts.orientation = row.integer(6)
    facts.captured = row.optionalInteger(7)
    facts.offset = row.optionalInteger(8)
    facts.latitude = row.optionalInteger(9)
    facts.longitude = row.optionalInteger(10)
    facts.make = row.optionalText(11)
    facts.model = row.optionalText(12)
    facts.duration = row.optionalInteger(13)
    facts.codec = row.optionalText(14)
    small = row.optionalInteger(15).map { InodeNumber(rawValue: UInt64(bitPattern: $0)) }
    large = row.optionalInteger(16).map { InodeNumber(rawValue: UInt64(bitPattern: $0)) }
    reason = row.optionalText(17)
  }

  fileprivate func run(_ statement: Statement) throws(IndexError) {
    statement.bind(1, inode.rawValue)
    statement.bind(2, state.rawValue)
    statement.bind(4, facts.kind)
    statement.bind(5, facts.width)
    statement.bind(6, facts.height)
    statement.bind(7, facts.orientation)
    let integers = [facts.captured, facts.offset, facts.latitude, facts.longitude]
    for (place, value) in integers.enumerated() { statement.bind(Int32(8 + place), optional: value) }
    statement.bind(12, optional: facts.make)
    statement.bind(13, optional: facts.model)
    statement.bind(14, optional: facts.duration)
    statement.bind(15, optional: facts.codec)
    statement.bind(16, optional: small.map { Int64(bitPattern: $0.rawValue) })
    statement.bind(17, optional: large.map { Int64(bitPattern: $0.rawValue) })
    statement.bind(18, optional: reason)
    guard let hash else {
      statement.bindNull(3)
      return try statement.run()
    }
    try unsafe hash.withBytes { (bytes) throws(IndexError) in
      unsafe statement.bind(3, bytes)
      try statement.run()
    }
  }
}

extension Statement {
  fileprivate func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  fileprivate func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  fileprivate func bind(_ parameter: Int32, optional value: Int64?) {
    if let value { bind(parameter, value) } else { bindNull(parameter) }
  }

  fileprivate func bind(_ parameter: Int32, optional value: String?) {
    if let value { bind(parameter, text: value) } else { bindNull(parameter) }
  }
}

extension Index {
  /// What is known about a file's content; nil if it was not examined and need not be.
  package func media(_ inode: InodeNumber) throws(IndexError) -> MediaRecord? {
    statements.media.find.bind(1, inode.rawValue)
    return try statements.media.find.firstRow { (row) throws(IndexError) in try MediaRecord(row) }
  }

  /// A file with this content; nil when there is none.
  package func media(withHash hash: [UInt8]) throws(IndexError) -> MediaRecord? {
    try unsafe hash.withBytes { (bytes) throws(IndexError) in
      unsafe statements.media.byHash.bind(1, bytes)
      return try statements.media.byHash.firstRow { (row) throws(IndexError) in try MediaRecord(row) }
    }
  }

  /// Stores what is known about a file. The caller updates the links of derivatives.
  package func setMedia(_ record: MediaRecord) throws(IndexError) {
    try change { () throws(IndexError) in try record.run(statements.media.replace) }
  }

  /// Removes what is known about a file. The caller updates the links of derivatives.
  package func deleteMedia(_ inode: InodeNumber) throws(IndexError) {
    try change { () throws(IndexError) in
      statements.media.delete.bind(1, inode.rawValue)
      try statements.media.delete.run()
    }
  }

  /// Changes only the state, if there is a row.
  package func setMediaState(of inode: InodeNumber, to state: MediaRecord.State) throws(IndexError) {
    try change { () throws(IndexError) in
      statements.media.setState.bind(1, inode.rawValue)
      statements.media.setState.bind(2, state.rawValue)
      try statements.media.setState.run()
    }
  }

  /// Changes all rows of one state to another.
  package func changeMediaStates(from old: MediaRecord.State, to new: MediaRecord.State) throws(IndexError) {
    try change { () throws(IndexError) in
      statements.media.changeStates.bind(1, old.rawValue)
      statements.media.changeStates.bind(2, new.rawValue)
      try statements.media.changeStates.run()
    }
  }

  /// Adds a pending row for every regular file that has a name and no row.
  package func noteAllContents() throws(IndexError) {
    try change { () throws(IndexError) in
      statements.media.noteAll.bind(1, MediaRecord.State.pending.rawValue)
      statements.media.noteAll.bind(2, MediaRecord.State.hidden.rawValue)
      statements.media.noteAll.bind(3, Int64(0o100000 >> 12))
      try statements.media.noteAll.run()
    }
  }

  /// The next files in a state, after an inode number, in order, at most `limit`.
  package func media(
    in state: MediaRecord.State, after inode: InodeNumber?, limit: Int
  ) throws(IndexError) -> [InodeNumber] {
    statements.media.after.bind(1, state.rawValue)
    statements.media.after.bind(2, inode?.rawValue ?? 0)
    statements.media.after.bind(3, limit)
    return try statements.media.after.rows { (row) throws(IndexError) in row.inodeNumber(0) }
  }

  /// The derivatives of the next files after an inode number, at most `limit` files, for checks.
  package func derivatives(
    after inode: InodeNumber?, limit: Int
  ) throws(IndexError) -> [(inode: InodeNumber, derivatives: [InodeNumber])] {
    statements.media.derivatives.bind(1, inode?.rawValue ?? 0)
    statements.media.derivatives.bind(2, limit)
    return try statements.media.derivatives.rows { (row) throws(IndexError) in
      let both = [Int32(1), 2].filter { !row.isNull($0) }.map { row.inodeNumber($0) }
      return (row.inodeNumber(0), both)
    }
  }

  /// The number of files in each state.
  package func mediaCounts() throws(IndexError) -> MediaCounts {
    var counts = MediaCounts()
    try statements.media.counts.forEachRow { (row) throws(IndexError) in
      switch MediaRecord.State(rawValue: row.integer(0)) {
      case .pending: counts.pending = row.integer(1)
      case .known: counts.known = row.integer(1)
      case .failed: counts.failed = row.integer(1)
      case .other: counts.other = row.integer(1)
      case .hidden: counts.hidden = row.integer(1)
      case nil: throw .damaged
      }
      return true
    }
    return counts
  }

  /// The files of which no derivative can be made, with the reasons.
  package func failedMedia() throws(IndexError) -> [(inode: InodeNumber, reason: String)] {
    statements.media.ofState.bind(1, MediaRecord.State.failed.rawValue)
    return try statements.media.ofState.rows { (row) throws(IndexError) in (row.inodeNumber(0), row.text(1)) }
  }

  /// Rows whose inodes do not exist, for checks.
  package func mediaWithoutInode() throws(IndexError) -> [InodeNumber] {
    try statements.media.astray.rows { (row) throws(IndexError) in row.inodeNumber(0) }
  }

  /// The number of derivatives. Reads all rows.
  package func derivativeCount() throws(IndexError) -> Int64 {
    try statements.media.derivativeCount.firstRow { (row) throws(IndexError) in row.integer(0) } ?? 0
  }
}
