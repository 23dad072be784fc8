internal import CSQLite
package import Vault

struct InodeStatements {
  /// `InodeRecord` reads and binds the columns in the table's order.
  let find, insert, update, delete: Statement

  init(_ connection: Connection) throws(IndexError) {
    find = try connection.prepare("SELECT * FROM inode WHERE number = ?1")
    insert = try connection.prepare(
      """
      INSERT INTO inode VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)
      """)
    update = try connection.prepare(
      """
      UPDATE inode SET mode = ?2, links = ?3, owner = ?4, "group" = ?5, device = ?6, size = ?7, allocated = ?8,
        accessed_s = ?9, accessed_ns = ?10, modified_s = ?11, modified_ns = ?12, changed_s = ?13, changed_ns = ?14,
        born_s = ?15, born_ns = ?16, parent = ?17, flags = ?18, target = ?19
      WHERE number = ?1
      """)
    delete = try connection.prepare("DELETE FROM inode WHERE number = ?1")
  }
}

/// Bit 0 of `flags`.
private let hasAttributesFlag: Int64 = 1

extension InodeRecord {
  /// Reads the columns from `first` on.
  init(_ row: Statement, first: Int32 = 0) {
    number = InodeNumber(rawValue: UInt64(bitPattern: row.integer(first)))
    mode = UInt32(truncatingIfNeeded: row.integer(first + 1))
    links = UInt32(truncatingIfNeeded: row.integer(first + 2))
    owner = UInt32(truncatingIfNeeded: row.integer(first + 3))
    group = UInt32(truncatingIfNeeded: row.integer(first + 4))
    device = UInt64(bitPattern: row.integer(first + 5))
    size = min(max(row.integer(first + 6), 0), Space.maximumFileSize)
    allocated = min(max(row.integer(first + 7), 0), Self.mostAllocated)
    accessed = Timestamp(row, first: first + 8)
    modified = Timestamp(row, first: first + 10)
    changed = Timestamp(row, first: first + 12)
    born = Timestamp(row, first: first + 14)
    parent = row.isNull(first + 16) ? nil : InodeNumber(rawValue: UInt64(bitPattern: row.integer(first + 16)))
    hasExtendedAttributes = row.integer(first + 17) & hasAttributesFlag != 0
    target = row.isNull(first + 18) ? nil : row.bytes(first + 18)
    isDistorted =
      size != row.integer(first + 6) || allocated != row.integer(first + 7)
      || [9, 11, 13, 15].contains { !(0...Int64(Timestamp.lastNanosecond)).contains(row.integer(first + $0)) }
  }

  /// A bound for the value of a row, in bytes. With it, sums do not overflow.
  private static let mostAllocated: Int64 = 1 << 61

  /// Binds all columns to the parameters 1 to 19 of `statement`.
  fileprivate func bind(_ statement: Statement) -> Statement {
    statement.bind(
      number, mode, links, owner, group, device, size, allocated, accessed.seconds, accessed.nanoseconds,
      modified.seconds, modified.nanoseconds, changed.seconds, changed.nanoseconds, born.seconds, born.nanoseconds,
      parent, hasExtendedAttributes ? hasAttributesFlag : 0, target)
  }
}

extension Timestamp {
  fileprivate init(_ row: Statement, first: Int32) {
    let nanoseconds = min(max(row.integer(first + 1), 0), Int64(Self.lastNanosecond))
    self.init(seconds: row.integer(first), nanoseconds: UInt32(nanoseconds))
  }

  fileprivate static let lastNanosecond: UInt32 = 999_999_999
}

extension Index {
  /// The inode with a number; nil when there is none.
  package func inode(_ number: InodeNumber) throws(IndexError) -> InodeRecord? {
    try statements.inodes.find.bind(number).firstRow { (row) throws(IndexError) in InodeRecord(row) }
  }

  /// Adds an inode.
  ///
  /// - Throws: `.sqlite` with a constraint code when the number is taken.
  package func insert(_ inode: InodeRecord) throws(IndexError) {
    try change { () throws(IndexError) in
      try inode.bind(statements.inodes.insert).run()
      counters.inodeCount += 1
    }
  }

  /// Writes all fields of an inode.
  ///
  /// - Throws: `.damaged` when the inode does not exist.
  package func update(_ inode: InodeRecord) throws(IndexError) {
    try change { () throws(IndexError) in
      guard try inode.bind(statements.inodes.update).run() == 1 else { throw .damaged }
    }
  }

  /// Removes the row of an inode, if there is one. The caller removes its names, extents and attributes.
  package func deleteInode(_ number: InodeNumber) throws(IndexError) {
    try change { () throws(IndexError) in
      counters.inodeCount -= try statements.inodes.delete.bind(number).run()
    }
  }
}
