import Testing
import WebAccess

@Suite struct QueryParametersTests {
  /// The value of `q` in a query that says more.
  private func value(_ written: String) -> String? { QueryParameters("sort=-time&q=\(written)&group=day")?["q"] }

  /// What `URLSearchParams` makes of texts.
  @Test(
    arguments: [
      ("iceland+date%3A2019", "iceland date:2019"), ("two++blanks+", "two  blanks "), ("a%20b", "a b"),
      ("C%2B%2B", "C++"), ("tag%3A%22salt+%26+pepper%22", "tag:\"salt & pepper\""), ("%231", "#1"), ("100%25", "100%"),
      ("%2525", "%25"), ("a%3Db", "a=b"), ("a=b", "a=b"), ("M%C3%BCnchen", "München"), ("%c3%bc", "ü"),
      ("%F0%9F%8F%94%EF%B8%8F", "🏔️"), ("%27it%27s%27", "'it's'"), ("title%3A%22a%5C%22b%22", "title:\"a\\\"b\""),
      ("%EF%BF%BD", "\u{FFFD}"), ("", ""),
    ])
  func valuesAreReadAsBrowsersWriteThem(written: String, meant: String) throws {
    // Two texts that look alike are equal; what is searched for are these bytes.
    #expect(Array(try #require(value(written)).utf8) == Array(meant.utf8))
  }

  @Test(
    arguments: [
      "%", "a%", "%4", "%4+", "%%41", "%G0", "%0x", "%+1", "%-1", "%C3", "%C3+", "%FF", "%C0%80", "%ED%A0%80",
      "%F5%80%80%80", "ü", "\u{FFFD}",
    ])
  func whatIsNoTextIsRefused(written: String) {
    #expect(QueryParameters("q=\(written)") == nil)
    #expect(QueryParameters("\(written)=1&q=a") == nil)
    #expect(QueryParameters("q=a&other=\(written)&sort=time") == nil)
  }

  @Test func namesAreReadAsValuesAre() throws {
    let parameters = try #require(QueryParameters("a%26b=1&&trash&c+d=2&trash=3&=4"))
    #expect(parameters["a&b"] == "1" && parameters["c d"] == "2" && parameters["trash"] == "" && parameters[""] == "4")
    #expect(parameters["a"] == nil)
    for nothing in [nil, "", "&"] { #expect(try #require(QueryParameters(nothing))["q"] == nil) }
  }
}
