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
    #expect(code.split(whereSeparator: \.isWhitespace) == Schema.tables.split(whereSeparator: \.isWhitespace))
    #expect(article.contains("`\(Schema.creationPragma)`"))
    #expect(article.contains("| `schema` | \(Schema.version);"))
  }

  @Test(arguments: [Schema.version - 1, Schema.version + 1])
  func anotherSchemaIsRefused(version: Int64) throws {
    let (index, store) = try makeIndex()
    try index.setMeta("schema", to: version)
    try index.commit(to: store)
    // SQLITE_SCHEMA
    #expect(throws: IndexError.sqlite(17)) { try Index(space: store) }
  }
}
