import Crypto
import Glibc
import System
import TestSupport
import Testing

@testable import Traces

@Suite struct ThumbnailCacheTests {
  private let home: TraceHome

  init() throws { home = try TraceHome() }

  private func remove(_ findings: [Finding]) throws {
    for finding in findings { try #require(finding.removal).carryOut() }
  }

  @Test func eachFormOfTextAndEachFolder() throws {
    let uri = "file://\(home.albums)/Iceland/a%20%C3%A9.jpg"
    let ours = [
      "normal/1": TestPNG.png(TestPNG.plain(uri)),
      "large/2": TestPNG.png(TestPNG.compressed(uri)),
      "x-large/3": TestPNG.png(TestPNG.international(uri, isPacked: false)),
      "xx-large/4": TestPNG.png(TestPNG.international(uri, isPacked: true)),
      "fail/gnome-thumbnail-factory/5": TestPNG.png(TestPNG.plain(uri)),
      "normal/6": TestPNG.png(TestPNG.plain("1", keyword: "Thumb::MTime"), TestPNG.plain(uri)),
      "normal/7": TestPNG.png(TestPNG.plain("file://localhost\(home.albums)/x")),
      "normal/8": TestPNG.png(TestPNG.plain("FILE://\(home.albums)")),
      "normal/9": TestPNG.png(TestPNG.plain("\(home.albums)//b/../c.jpg")),
    ]
    let others = [
      "normal/a": TestPNG.png(TestPNG.plain("file://\(home.albums)2/x.jpg")),
      "normal/b": TestPNG.png(TestPNG.plain("file://\(home.albums)/../x.jpg")),
      "normal/c": TestPNG.png(TestPNG.plain("https://example.org\(home.albums)/x")),
      "normal/d": TestPNG.png(TestPNG.plain(uri, keyword: "Thumb::URIs")),
      "normal/e": TestPNG.png(),
      "fail/x/f": Array("no picture, but \(uri)".utf8),
      "large/g": [],
    ]
    for (name, bytes) in ours.merging(others, uniquingKeysWith: { one, _ in one }) {
      try home.write(bytes, to: ".cache/thumbnails/\(name).png")
    }
    try home.write(TestPNG.png(TestPNG.plain(uri)), to: ".thumbnails/normal/old.png")
    let before = home.state()
    let found = home.findings(.thumbnail)
    #expect(found.count == ours.count + 1)
    #expect(home.state() == before, "a search changes nothing, access times neither")
    try remove(found)
    let left = home.state()
    #expect(left.count == others.count)
    for (path, state) in left { #expect(before[path] == state) }
    #expect(home.findings(.thumbnail).isEmpty)
  }

  @Test func trashedFiles() throws {
    try home.write("[Trash Info]\nPath=\(home.albums)/x%20y.jpg\n", to: ".local/share/Trash/info/x y.jpg.trashinfo")
    try home.write("[Trash Info]\nPath=/elsewhere/z.jpg\n", to: ".local/share/Trash/info/z.jpg.trashinfo")
    let slashes = home.albums.split(separator: "/").map { "%5C" + $0 }.joined()
    let ours = [
      "trash:///\(slashes)%5C.Trash-1000%5Cfiles%5Cone.jpg", "trash:///x%20y.jpg", "trash:/0-x%20y.jpg/inner",
      "file://\(home.folder.path)/.local/share/Trash/files/x%20y.jpg",
    ]
    let others = [
      "trash:///z.jpg", "trash:///%5Cmnt%5Cone.jpg", "trash:/0-z.jpg", "trash:///",
      "file://\(home.folder.path)/.local/share/Trash/files/z.jpg",
    ]
    for (index, uri) in (ours + others).enumerated() {
      try home.write(TestPNG.png(TestPNG.plain(uri)), to: ".cache/thumbnails/large/\(index).png")
    }
    #expect(Set(home.findings(.thumbnail).flatMap(\.names)) == Set(ours.map { Array($0.utf8) }))
  }

  /// Without a text that can be read, the name tells; the files have to be there now.
  @Test func byName() throws {
    try home.write("photo", to: "Albums/Sum mer/it's [1].jpg")
    let place = home.albums
    let uris = [
      "file://\(place)/Sum%20mer/it's%20%5B1%5D.jpg", "file://\(place)/Sum%20mer/it's%20[1].jpg",
      "file://\(place)/Sum%20mer", "file://\(place)",
    ]
    for uri in uris {
      let name = Hexadecimal.text(of: try #require(NameDigest.md5(Array(uri.utf8))))
      try home.write([1, 2, 3], to: ".cache/thumbnails/large/\(name).png")
    }
    try home.write([1, 2, 3], to: ".cache/thumbnails/large/\(String(repeating: "0", count: 32)).png")
    #expect(home.findings(.thumbnail).isEmpty)
    let known = KnownFiles(in: SearchedPlaces([Array(place.utf8)]))
    #expect(home.findings(.thumbnail, known: known).count == uris.count)
  }

  /// None of them takes memory or time, and none is removed.
  @Test func hostileFiles() throws {
    let uri = "file://\(home.albums)/x.jpg"
    let start = TestPNG.signature
    let bomb = TestPNG.packed([UInt8](repeating: 65, count: 64 << 20))
    let many = (0..<20_000).flatMap { _ in TestPNG.chunk("tEXt", [65, 0]) }
    let files: [[UInt8]] = [
      start + TestPNG.chunk("tEXt", Array("Thumb::URI\0\(uri)".utf8), length: .max),
      start + TestPNG.chunk("tEXt", Array("Thumb::URI\0\(uri)".utf8), length: 60_000),
      start + TestPNG.chunk("zTXt", Array("Thumb::URI\0\0".utf8) + bomb.prefix(60_000)),
      start
        + TestPNG.chunk("zTXt", Array("Thumb::URI\0\0".utf8) + TestPNG.packed([UInt8](repeating: 65, count: 4 << 20))),
      start + TestPNG.chunk("zTXt", Array("Thumb::URI\0".utf8)),
      start + TestPNG.chunk("iTXt", Array("Thumb::URI\0".utf8)),
      start + TestPNG.chunk("iTXt", Array("Thumb::URI\0\u{1}\0en".utf8)),
      start + many + TestPNG.plain(uri),
      start + [0, 0, 0], start,
    ]
    for (index, bytes) in files.enumerated() { try home.write(bytes, to: ".cache/thumbnails/large/\(index).png") }
    unsafe mkfifo(try home.path(".cache/thumbnails/large/pipe.png"), 0o600)
    let large = try home.write(start, to: ".cache/thumbnails/large/large.png")
    unsafe truncate(large, 1 << 40)
    unsafe symlink(try home.write(TestPNG.png(TestPNG.plain(uri)), to: "aside.png"), home.folder.path("aside"))
    unsafe symlink("../../../aside.png", try home.path(".cache/thumbnails/large/link.png"))
    unsafe symlink("/proc/self/mem", try home.path(".cache/thumbnails/large/memory.png"))
    let search = home.search()
    #expect(search.findings.isEmpty)
    let names = ["link.png", "memory.png"].map { Array(home.folder.path(".cache/thumbnails/large/\($0)").utf8) }
    #expect(search.gaps == names.map { .init(path: $0, reason: "it is a symbolic link") })
  }

  @Test func foldersThatAreLinksAreNotSearched() throws {
    try home.write(TestPNG.png(TestPNG.plain("file://\(home.albums)/x")), to: "elsewhere/large/1.png")
    unsafe symlink("../elsewhere", try home.path(".cache/thumbnails"))
    let search = home.search()
    #expect(search.findings.isEmpty)
    #expect(
      search.gaps == [.init(path: Array(home.folder.path(".cache/thumbnails").utf8), reason: "it is a symbolic link")])
    unsafe rename(home.folder.path(".cache"), home.folder.path("other-cache"))
    unsafe symlink("other-cache", home.folder.path(".cache"))
    #expect(home.search().gaps.map(\.path) == [Array(home.folder.path(".cache").utf8)], "told once")
    // Where the environment leads is what the user wants.
    unsafe symlink("elsewhere", home.folder.path("linked"))
    try home.write(TestPNG.png(TestPNG.plain("file://\(home.albums)/x")), to: "cache/thumbnails/large/1.png")
    unsafe symlink("cache", home.folder.path("cache-link"))
    home.environment = ["XDG_CACHE_HOME": home.folder.path("cache-link")]
    #expect(home.findings(.thumbnail).count == 1)
    home.environment = ["XDG_CACHE_HOME": "cache"]
    #expect(home.findings(.thumbnail).isEmpty, "the specification has relative paths ignored")
  }

  /// A cache inside the space is no leak.
  @Test func cachesInTheSpace() throws {
    try home.write(TestPNG.png(TestPNG.plain("file://\(home.albums)/x")), to: "Albums/.cache/thumbnails/large/1.png")
    home.environment = ["XDG_CACHE_HOME": "\(home.albums)/.cache"]
    #expect(home.search().findings.isEmpty)
  }

  @Test func whatWasReplacedMeanwhileStays() throws {
    let path = try home.write(
      TestPNG.png(TestPNG.plain("file://\(home.albums)/x")), to: ".cache/thumbnails/large/1.png")
    let finding = try #require(home.findings(.thumbnail).first)
    let other = TestPNG.png(TestPNG.plain("file:///elsewhere/x"))
    unsafe rename(try home.write(other, to: "new.png"), path)
    #expect(throws: (any Error).self) { try finding.removal?.carryOut() }
    #expect(try HostFile.read(path) == other)
    unsafe unlink(path)
    try finding.removal?.carryOut()
  }
}
