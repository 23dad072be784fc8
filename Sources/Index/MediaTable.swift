// The facts about the contents of files. A file gets a row at the first write after which it may be a photo or video.
// Derivatives are inodes without a name; each row that refers to one counts as a link of it.

package import Vault

struct MediaStatements {
  /// `MediaRecord` reads and binds these columns in this order.
  private static let columns = "inode, state, hash, kind, width, height, small, large, reason"

  let find, byHash, replace, delete, setState, changeStates, noteAll, after, ofState: Statement
  let derivatives, derivativeCount, counts, astray: Statement

  init(_ connection: Connection) throws(IndexError) {
    find = try connection.prepare("SELECT \(Self.columns) FROM media WHERE inode = ?1")
    byHash = try connection.prepare("SELECT \(Self.columns) FROM media WHERE hash = ?1 LIMIT 1")
    replace = try connection.prepare(
      "INSERT OR REPLACE INTO media(\(Self.columns)) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
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
    kind = row.integer(3)
    width = row.integer(4)
    height = row.integer(5)
    small = row.optionalInteger(6).map { InodeNumber(rawValue: UInt64(bitPattern: $0)) }
    large = row.optionalInteger(7).map { InodeNumber(rawValue: UInt64(bitPattern: $0)) }
    reason = row.optionalText(8)
  }

  fileprivate func bind(_ statement: Statement) -> Statement {
    statement.bind(inode, state, hash, kind, width, height, small, large, reason)
  }
}

extension Statement {
  fileprivate func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  fileprivate func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
}

/// The table of examined contents.
package struct MediaTable {
  let index: Index

  /// The facts about a file's content; nil if it was not examined and need not be.
  package func row(_ inode: InodeNumber) throws(IndexError) -> MediaRecord? {
    try index.statements.media.find.bind(inode).firstRow { (row) throws(IndexError) in try MediaRecord(row) }
  }

  /// A file with this content; nil when there is none.
  package func row(withHash hash: [UInt8]) throws(IndexError) -> MediaRecord? {
    try index.statements.media.byHash.bind(hash).firstRow { (row) throws(IndexError) in try MediaRecord(row) }
  }

  /// Stores the facts about a file. The caller updates the links of derivatives.
  package func setMedia(_ record: MediaRecord) throws(IndexError) {
    try index.run(record.bind(index.statements.media.replace))
  }

  /// Removes the facts about a file. The caller updates the links of derivatives.
  package func deleteMedia(_ inode: InodeNumber) throws(IndexError) {
    try index.run(index.statements.media.delete.bind(inode))
  }

  /// Changes only the state, if there is a row.
  package func setMediaState(of inode: InodeNumber, to state: MediaRecord.State) throws(IndexError) {
    try index.run(index.statements.media.setState.bind(inode, state))
  }

  /// Changes all rows of one state to another.
  package func changeMediaStates(from old: MediaRecord.State, to new: MediaRecord.State) throws(IndexError) {
    try index.run(index.statements.media.changeStates.bind(old, new))
  }

  /// Adds a pending row for every regular file with a name but without a row.
  package func noteAllContents() throws(IndexError) {
    try index.run(
      index.statements.media.noteAll.bind(MediaRecord.State.pending, MediaRecord.State.hidden, 0o100000 >> 12))
  }

  /// The next files in a state, after an inode number, in order, at most `limit`.
  package func inodes(
    in state: MediaRecord.State, after inode: InodeNumber?, limit: Int
  ) throws(IndexError) -> [InodeNumber] {
    try index.statements.media.after.bind(state, inode?.rawValue ?? 0, limit).rows { (row) throws(IndexError) in
      row.inodeNumber(0)
    }
  }

  /// The derivatives of the next files after an inode number, at most `limit` files, for checks.
  package func derivatives(
    after inode: InodeNumber?, limit: Int
  ) throws(IndexError) -> [(inode: InodeNumber, derivatives: [InodeNumber])] {
    try index.statements.media.derivatives.bind(inode?.rawValue ?? 0, limit).rows { (row) throws(IndexError) in
      let both = [Int32(1), 2].filter { !row.isNull($0) }.map { row.inodeNumber($0) }
      return (row.inodeNumber(0), both)
    }
  }

  /// The number of files in each state.
  package func mediaCounts() throws(IndexError) -> MediaCounts {
    var counts = MediaCounts()
    try index.statements.media.counts.forEachRow { (row) throws(IndexError) in
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

  /// The files that yield no derivative, with the reasons.
  package func failedMedia() throws(IndexError) -> [(inode: InodeNumber, reason: String)] {
    try index.statements.media.ofState.bind(MediaRecord.State.failed).rows { (row) throws(IndexError) in
      (row.inodeNumber(0), row.text(1))
    }
  }

  /// Rows whose inodes do not exist, for checks.
  package func mediaWithoutInode() throws(IndexError) -> [InodeNumber] {
    try index.statements.media.astray.rows { (row) throws(IndexError) in row.inodeNumber(0) }
  }

  /// The number of derivatives. Reads all rows.
  package func derivativeCount() throws(IndexError) -> Int64 {
    try index.statements.media.derivativeCount.firstRow { (row) throws(IndexError) in row.integer(0) } ?? 0
  }
}
