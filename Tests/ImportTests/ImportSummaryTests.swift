import Testing

@testable import Import

/// What an import tells at its end.
@Suite struct ImportSummaryTests {
  @Test func theDirectoryOfAllFilesIsKnown() {
    func directory(_ paths: String...) -> [String]? {
      var summary = ImportSummary()
      for path in paths { summary.count(.imported(path: Array(path.utf8)), 1, of: []) }
      summary.count(.skipped(.fifo), 1, of: [])
      return summary.directory?.map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(directory() == nil)
    #expect(directory("a.jpg") == [])
    #expect(directory("Card/a.jpg") == ["Card"])
    #expect(directory("2019/05/a.jpg", "2019/05/b.jpg") == ["2019", "05"])
    #expect(directory("2019/05/a.jpg", "2019/06/b.jpg") == ["2019"])
    #expect(directory("2019/05/a.jpg", "2020/05/b.jpg") == [])
    #expect(directory("Card/a.jpg", "Card 2/a.jpg") == [])
  }
}
