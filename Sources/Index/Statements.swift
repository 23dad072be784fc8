/// All prepared statements, grouped by their tables.
struct Statements {
  let transactions: TransactionStatements
  let inodes: InodeStatements
  let dentries: DentryStatements
  let extents: ExtentStatements
  let segments: SegmentStatements
  let attributes: AttributeStatements
  let small: SmallStatements
  let media: MediaStatements
  let check: CheckStatements

  init(_ connection: Connection) throws(IndexError) {
    transactions = try TransactionStatements(connection)
    inodes = try InodeStatements(connection)
    dentries = try DentryStatements(connection)
    extents = try ExtentStatements(connection)
    segments = try SegmentStatements(connection)
    attributes = try AttributeStatements(connection)
    small = try SmallStatements(connection)
    media = try MediaStatements(connection)
    check = try CheckStatements(connection)
  }
}
