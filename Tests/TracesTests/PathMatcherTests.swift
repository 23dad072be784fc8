import Testing

@testable import Traces

@Suite struct PathMatcherTests {
  private static let matcher = PathMatcher(
    SearchedPlaces(["/home/me/My Album's", "/mnt/Été"].map { Array($0.utf8) }), home: Array("/home/me".utf8))

  private func hits(_ text: String, isText: Bool = true) -> [PathMatcher.Hit] {
    Self.matcher.hits(in: Array(text.utf8), isText: isText)
  }

  @Test(arguments: [
    "/home/me/My Album's", "cd /home/me/My\\ Album\\'s/Iceland", "\"/home/me/My Album's\"", "~/My\\ Album\\'s",
    "$HOME/My Album's/x", "${HOME}/My Album's", "file:///home/me/My%20Album's/a.jpg", "file:///home/me/My%20Album%27s",
    "%2Fhome%2fme%2FMy%20Album%27s%2Fx", "file://host.example/home/me/My%20Album's", "/home/me//My Album's//x",
    "<a href=\"file:///home/me/My%20Album&apos;s\"/>", "\\/home\\/me\\/My Album's", "x=/home/me/My Album's.",
    "/home/me/My\\x20Album's", "/home/me/My\\040Album's", "host:/home/me/My Album's", "/mnt/Été",
    "/mnt/%C3%89t%c3%a9/x",
    "/mnt/\\xC3\\x89t\\xc3\\xa9", "/home/me/My Album's?x", "/home/me/My Album's%0A",
  ])
  func found(_ text: String) { #expect(hits(text).count == 1, "\(text)") }

  @Test(arguments: [
    "/home/me/My Album's2", "/home/me/My Album's-old/x", "/home/me/My Album's.bak", "/home/me/My Album'", "home/me",
    "/backup/home/me/My Album's", "/home/me/My%20Album's%20old", "~me/My Album's", "/home/me/My Album'së",
    "/home/me/My Album's\\ old", "/mnt/Ete", "/mnt/Étés",
  ])
  func notFound(_ text: String) { #expect(hits(text).isEmpty, "\(text)") }

  @Test func below() {
    #expect(hits("/mnt/Été /mnt/Été/x file:///mnt/%C3%89t%C3%A9%2Fx").map(\.isBelow) == [false, true, true])
    #expect(hits("/mnt/Été\n", isText: true).map(\.offset) == [0])
  }

  /// In databases texts follow each other without anything between them.
  @Test func binary() {
    #expect(hits("\u{17}text/mnt/Été/x", isText: false).count == 1)
    for units in [Array("..\u{17}/mnt/Été/x".utf16)] {
      let little = units.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
      let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
      #expect(Self.matcher.hits(in: little, isText: false).map(\.isBelow) == [true])
      #expect(Self.matcher.hits(in: [1] + big, isText: false).map(\.isBelow) == [true])
    }
  }

  /// As zsh keeps bytes that it uses itself: of É (C3 89) and é (C3 A9), the second of the first.
  @Test func zsh() {
    let line = Array("/mnt/".utf8) + [0xC3, 0x83, 0xA9] + Array("t".utf8) + [0xC3, 0x83, 0x89] + Array("/x".utf8)
    #expect(Self.matcher.hits(in: line, isText: true).count == 1)
  }

  @Test func placesAndURIs() {
    let places = SearchedPlaces(["/m/", "//m//a/../", "relative", "/n"].map { Array($0.utf8) })
    #expect(places.paths == [Array("/m".utf8), Array("/n".utf8)])
    for uri in ["file:///m", "file:///m/x", "FILE:/m/x", "file://h/m/", "/m/a/b", "admin:///m/x", "file:///%6d/x%zz"] {
      #expect(places.contains(uri: Array(uri.utf8)), "\(uri)")
    }
    for uri in [
      "file:///mm", "file:///m/..", "m/x", "file:m", "http:///m", "", "file:", "file:///m%00/x", "trash:///m",
    ] {
      #expect(!places.contains(uri: Array(uri.utf8)), "\(uri)")
    }
  }
}
