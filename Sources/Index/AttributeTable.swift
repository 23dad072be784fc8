package import Vault

struct AttributeStatements {
  let find, set, delete, names, deleteAll: Statement

  init(_ connection: Connection) throws(IndexError) {
    find = try connection.prepare("SELECT value FROM attribute WHERE inode = ?1 AND name = ?2")
    set = try connection.prepare(
      """
      INSERT INTO attribute(inode, name, value) VALUES(?1, ?2, ?3)
      ON CONFLICT(inode, name) DO UPDATE SET value = excluded.value
      """)
    delete = try connection.prepare("DELETE FROM attribute WHERE inode = ?1 AND name = ?2")
    names = try connection.prepare("SELECT name FROM attribute WHERE inode = ?1 ORDER BY name")
    deleteAll = try connection.prepare("DELETE FROM attribute WHERE inode = ?1")
  }
}

/// The table of extended attributes.
package struct AttributeTable {
  let index: Index

  /// The value of an extended attribute, or nil when the inode has none of that name.
  package func value(named name: [UInt8], of inode: InodeNumber) throws(IndexError) -> [UInt8]? {
    try index.statements.attributes.find.bind(inode, name).firstRow { (row) throws(IndexError) in row.bytes(0) }
  }

  /// Sets an extended attribute, new or not. The caller updates the inode's `hasExtendedAttributes`.
  package func set(named name: [UInt8], of inode: InodeNumber, to value: [UInt8]) throws(IndexError) {
    try index.run(index.statements.attributes.set.bind(inode, name, value))
  }

  /// Removes an extended attribute; returns whether it existed.
  @discardableResult
  package func remove(named name: [UInt8], of inode: InodeNumber) throws(IndexError) -> Bool {
    try index.run(index.statements.attributes.delete.bind(inode, name)) > 0
  }

  /// The names of an inode's extended attributes, in the order of their bytes.
  package func names(of inode: InodeNumber) throws(IndexError) -> [[UInt8]] {
    try index.statements.attributes.names.bind(inode).rows { (row) throws(IndexError) in row.bytes(0) }
  }

  /// Removes all extended attributes of an inode.
  package func removeAll(of inode: InodeNumber) throws(IndexError) {
    try index.run(index.statements.attributes.deleteAll.bind(inode))
  }
}
