import Testing

@testable import Import

/// Albums by dates, also by those that are known in part.
@Suite struct DatePatternTests {
  @Test(arguments: [
    ("%Y/%m/%d", "1953/07/15", "1953/07", "1953"), ("%Y-%m-%d", "1953-07-15", "1953-07", "1953"),
    ("%Y/%Y-%m", "1953/1953-07", "1953/1953-07", "1953/1953"),
    ("Photos/%m %Y", "Photos/07 1953", "Photos/07 1953", "Photos"),
    ("%d.%m.%Y", "15.07.1953", "1953", "1953"), ("%Y", "1953", "1953", "1953"),
    ("100%% of %Y (%m)/x", "100% of 1953 (07)/x", "100% of 1953 (07)/x", "100% of 1953"),
  ])
  func albums(pattern: String, day: String, month: String, year: String) throws {
    let pattern = try DatePattern(pattern)
    func album(_ month: Int?, _ day: Int?) -> String {
      pattern.album(year: 1953, month: month, day: day).map { String(decoding: $0, as: UTF8.self) }.joined(
        separator: "/")
    }
    #expect(album(7, 15) == day)
    #expect(album(7, nil) == month)
    #expect(album(nil, nil) == year)
  }
}
