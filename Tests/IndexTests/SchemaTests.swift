import FoundationEssentials
import Testing

@testable import Index

@Suite struct SchemaTests {
  /// The article has the statements as they are, since readers in other languages are written from it.
  @Test func theArticleHasTheStatements() throws {
    let folder = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
    let article = String(
      decoding: try Data(contentsOf: URL(filePath: folder + "/Sources/Index/Index.docc/Schema.md")), as: UTF8.self)
    let code = try #require(article.split(separator: "```sql\n").last?.split(separator: "\n```").first)
    let statements = Schema.tables + "\n" + Schema.catalog
    #expect(code.split(whereSeparator: \.isWhitespace) == statements.split(whereSeparator: \.isWhitespace))
    #expect(article.contains("`\(Schema.creationPragma)`"))
    #expect(article.contains("| `schema` | \(Schema.version);"))
  }

  /// Records are read, written and salvaged by the numbers of columns, not by their names.
  @Test(arguments: [
    (
      "inode",
      "number mode links owner group device size allocated accessed_s accessed_ns modified_s modified_ns changed_s "
        + "changed_ns born_s born_ns parent flags target"
    ),
    ("dentry", "parent name inode kind cookie"),
    ("extent", "inode offset length position record skip"),
    ("attribute", "inode name value"),
    ("orphan", "inode"), ("slot", "id"), ("meta", "key value"), ("segment", "number live"),
    (
      "media",
      "inode state hash kind width height orientation captured offset latitude longitude make model duration codec "
        + "small large reason"
    ),
    (
      "item",
      "inode version album name names taken fraction kind flags rating size rights place camera lens duration latitude "
        + "longitude look pixels stack found record"
    ),
    ("sidecar", "inode version found"), ("stale", "inode reason"), ("term", "id kind text"), ("item_tag", "tag inode"),
  ])
  func columnsHaveTheOrderOfTheRecords(table: String, columns: String) throws {
    let (index, _) = try makeIndex()
    let statement = try index.connection.prepare("PRAGMA table_info(\(table))")
    let found = try statement.rows { (row) throws(IndexError) in row.text(1) }
    #expect(found.joined(separator: " ") == columns)
  }

  @Test(arguments: [Schema.oldestVersion - 1, Schema.version + 1])
  func anotherSchemaIsRefused(version: Int64) throws {
    let (index, store) = try makeIndex()
    try index.setMeta("schema", to: version)
    try index.commit(to: store)
    // SQLITE_SCHEMA
    #expect(throws: IndexError.sqlite(17)) { try Index(space: store) }
  }
}
