// Orphans, slots, and the values in `meta`.

package import Vault

/// Statements on `orphan`, `slot` and `meta`.
struct SmallStatements {
  let addOrphan, removeOrphan, orphans, addSlot, removeSlot, slots, meta, setMeta: Statement

  init(_ connection: Connection) throws(IndexError) {
    addOrphan = try connection.prepare("INSERT INTO orphan(inode) VALUES(?1) ON CONFLICT DO NOTHING")
    removeOrphan = try connection.prepare("DELETE FROM orphan WHERE inode = ?1")
    orphans = try connection.prepare("SELECT inode FROM orphan ORDER BY inode LIMIT ?1")
    addSlot = try connection.prepare("INSERT INTO slot(id) VALUES(?1) ON CONFLICT DO NOTHING")
    removeSlot = try connection.prepare("DELETE FROM slot WHERE id = ?1")
    slots = try connection.prepare("SELECT id FROM slot ORDER BY id")
    meta = try connection.prepare("SELECT value FROM meta WHERE key = ?1")
    setMeta = try connection.prepare(
      "INSERT INTO meta(key, value) VALUES(?1, ?2) ON CONFLICT(key) DO UPDATE SET value = excluded.value")
  }
}

extension Index {
  /// Records an inode that has lost its last name and is pending deletion. It may be recorded already.
  package func addOrphan(_ inode: InodeNumber) throws(IndexError) {
    try run(statements.small.addOrphan.bind(inode))
  }

  /// Removes an inode from the orphans, if it is one.
  package func removeOrphan(_ inode: InodeNumber) throws(IndexError) {
    try run(statements.small.removeOrphan.bind(inode))
  }

  /// The orphans with the lowest numbers, at most `limit`.
  package func orphans(limit: Int) throws(IndexError) -> [InodeNumber] {
    try statements.small.orphans.bind(limit).rows { (row) throws(IndexError) in row.inodeNumber(0) }
  }

  /// Records the id of a slot that opens this space. It may be recorded already.
  package func addSlot(_ identifier: [UInt8]) throws(IndexError) {
    try run(statements.small.addSlot.bind(identifier))
  }

  /// Removes a slot's id, if it is recorded.
  package func removeSlot(_ identifier: [UInt8]) throws(IndexError) {
    try run(statements.small.removeSlot.bind(identifier))
  }

  /// The ids of all slots that open this space.
  package func slots() throws(IndexError) -> [[UInt8]] {
    try statements.small.slots.rows { (row) throws(IndexError) in row.bytes(0) }
  }

  /// The integer of a key; nil when there is none.
  package func metaInteger(_ key: String) throws(IndexError) -> Int64? {
    try statements.small.meta.bind(key).firstRow { (row) throws(IndexError) in row.integer(0) }
  }

  /// The text of a key; nil when there is none.
  package func metaText(_ key: String) throws(IndexError) -> String? {
    try statements.small.meta.bind(key).firstRow { (row) throws(IndexError) in row.text(0) }
  }

  /// Stores a text with a key.
  package func setMeta(_ key: String, to text: String) throws(IndexError) {
    try run(statements.small.setMeta.bind(key, text))
  }

  /// Stores an integer with a key.
  package func setMeta(_ key: String, to value: Int64) throws(IndexError) {
    try run(statements.small.setMeta.bind(key, value))
  }

  /// The key of the name of the home zone.
  private static let homeZoneKey = "zone"

  /// The stored name of the home zone, which may be damaged; nil when none is stored.
  package func homeZone() throws(IndexError) -> String? { try metaText(Self.homeZoneKey) }

  /// Stores the name of the home zone.
  package func setHomeZone(to name: String) throws(IndexError) { try setMeta(Self.homeZoneKey, to: name) }
}
