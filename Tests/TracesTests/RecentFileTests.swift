import Glibc
import System
import SystemPackage
import TestSupport
import Testing

@testable import Traces

@Suite struct RecentFileTests {
  private let home: TraceHome

  init() throws { home = try TraceHome() }

  private static let head = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!-- <bookmark href="file:///in/a/comment"> -->
    <xbel version="1.0"
          xmlns:bookmark="http://www.freedesktop.org/standards/desktop-bookmarks">

    """

  private func entry(_ uri: String) -> String {
    """
      <bookmark href="\(uri)" added="2026-01-02T03:04:05.678901Z" modified="2026-01-02T03:04:05Z">
        <info>
          <metadata owner="http://freedesktop.org">
            <mime:mime-type type="image/jpeg"/>
            <bookmark:applications>
              <bookmark:application name="eog" exec="&apos;eog %u&apos;" count="1"/>
            </bookmark:applications>
          </metadata>
        </info>
      </bookmark>

    """
  }

  /// Two hundred entries, of which three are ours, written in different ways.
  private func list(_ home: TraceHome) -> (all: String, others: String) {
    let ours = [
      20: "file://\(home.albums)/Iceland/a.jpg", 21: "file://\(home.albums)/B &amp; C/it&apos;s.jpg",
      199: "file://\(home.albums.replacing("Albums", with: "%41lbums"))/x",
    ]
    var (all, others) = (Self.head, Self.head)
    for index in 0..<200 {
      if let uri = ours[index] {
        all += entry(uri)
      } else {
        let text = entry("file://\(home.albums)-\(index)/\(index).jpg")
        all += text
        others += text
      }
    }
    return (all + "</xbel>", others + "</xbel>")
  }

  @Test func onlyOursGo() throws {
    let (all, others) = list(home)
    let path = try home.write(all, to: ".local/share/recently-used.xbel")
    unsafe chmod(path, 0o640)
    let found = home.findings(.recent)
    #expect(found.map(\.count) == [3])
    #expect(try HostFile.read(path) == Array(all.utf8))
    try found[0].removal?.carryOut()
    #expect(String(decoding: try HostFile.read(path), as: UTF8.self) == others)
    #expect(HostFile.status(path).st_mode & 0o7777 == 0o640)
    #expect(HostFile.names(in: home.folder.path(".local/share")) == ["recently-used.xbel"])
    let inode = HostFile.status(path).st_ino
    #expect(home.findings(.recent).isEmpty)
    try found[0].removal?.carryOut()
    #expect(HostFile.status(path).st_ino == inode, "nothing is written without need")
  }

  @Test func formsOfElements() throws {
    let places = SearchedPlaces([Array("/m".utf8)])
    let texts: [(String, String)] = [
      (
        "<xbel><bookmark href='file:///m/1'/><bookmark href=\"file:///n\"/></xbel>",
        "<xbel><bookmark href=\"file:///n\"/></xbel>"
      ),
      (
        "<xbel> <bookmark\n added='>' href = 'file:///m' >\n<title>a</title></bookmark> <x/></xbel>",
        "<xbel>  <x/></xbel>"
      ),
      ("<a><![CDATA[<bookmark href=\"file:///m\">]]></a>", "<a><![CDATA[<bookmark href=\"file:///m\">]]></a>"),
      ("<bookmark:x href='file:///m'/>", "<bookmark:x href='file:///m'/>"),
      ("a\r\n\t<bookmark href='file:///m/&#xe9;&#49;'></bookmark>\r\nb", "a\r\nb"),
    ]
    for (text, wanted) in texts {
      let list = try BookmarkList(Array(text.utf8))
      let rest = list.without { places.contains(uri: $0) } ?? Array(text.utf8)
      #expect(String(decoding: rest, as: UTF8.self) == wanted)
    }
  }

  /// What is not understood is reported, and not touched.
  @Test(arguments: [
    "<xbel><bookmark href='file://PLACE/x'>", "<xbel><bookmark href='file://PLACE/x><a/></bookmark>",
    "<xbel><bookmark href='a'><bookmark href='file://PLACE/x'/></bookmark></xbel>", "<!-- file://PLACE/x",
    "<xbel></bookmark>file://PLACE/x", "<!DOCTYPE x [<!ENTITY y 'file://PLACE/x'>]><xbel/>",
    "<xbel><bookmark title='x'></bookmark> file://PLACE/x </xbel>",
  ])
  func damagedLists(_ text: String) throws {
    let path = try home.write(text.replacing("PLACE", with: home.albums), to: ".local/share/recently-used.xbel")
    let before = home.state()
    let found = home.findings(.recent)
    #expect(found.count == 1)
    #expect(found.first.map { $0.removal == nil } == true)
    try Removal.bookmarks(
      Folder.begin(at: Array(home.folder.path(".local/share").utf8)), Array("recently-used.xbel".utf8),
      SearchedPlaces([Array(home.albums.utf8)])
    ).carryOut()
    #expect(home.state() == before, "\(path)")
  }

  @Test func largeAndForeignLists() throws {
    let path = try home.write("<xbel>", to: ".local/share/recently-used.xbel")
    unsafe truncate(path, 1 << 30)
    let search = home.search()
    #expect(search.findings.isEmpty)
    #expect(search.gaps == [.init(path: Array(path.utf8), reason: "it is too large")])
    unsafe unlink(path)
    unsafe mkfifo(path, 0o600)
    #expect(home.search().findings.isEmpty)
    unsafe unlink(path)
    if geteuid() == 0 {
      try home.write("<xbel><bookmark href='file://\(home.albums)'/></xbel>", to: ".local/share/recently-used.xbel")
      unsafe chown(path, 1, 1)
      #expect(home.search().gaps == [.init(path: Array(path.utf8), reason: "it belongs to another user")])
    }
  }

  /// Another program replaces the list all the time: every entry that it adds is there in the end.
  @Test func nothingThatOthersWriteIsLost() throws {
    let first =
      Self.head + (0..<9).map { entry("file:///first/\($0)") }.joined() + entry("file://\(home.albums)/x") + "</xbel>"
    let path = try home.write(first, to: ".local/share/recently-used.xbel")
    let removal = try #require(home.findings(.recent).first?.removal)
    let albums = home.albums
    let writer = try TestThread {
      for round in 0..<100 {
        // As programs do: read, add, write beside, rename.
        let old = String(decoding: try HostFile.read(path), as: UTF8.self)
        let text = old.replacing(
          "</xbel>",
          with: "<bookmark href=\"file:///other/\(round)\"/>\n<bookmark href=\"file://\(albums)/\(round)\"/>\n</xbel>")
        try HostFile.write(Array(text.utf8), to: path + ".other")
        unsafe rename(path + ".other", path)
      }
    }
    var failures = 0
    for _ in 0..<100 {
      do { try removal.carryOut() } catch { failures += 1 }
    }
    try writer.join()
    try removal.carryOut()
    #expect(failures < 100)
    let text = String(decoding: try HostFile.read(path), as: UTF8.self)
    #expect(try BookmarkList(Array(text.utf8)).entries.count >= 10)
    #expect(!text.contains(albums + "/"))
    // The writer reads and renames without a lock, so it may put back what was removed, but an entry of its own that it
    // wrote last is there.
    #expect(text.contains("file:///other/99\""))
    #expect(HostFile.names(in: home.folder.path(".local/share")) == ["recently-used.xbel"])
  }

  /// Another program is faster once: what it wrote is kept, and the change is made to that.
  @Test func changesMeanwhile() throws {
    let path = try home.write("a b", to: "list")
    unsafe chmod(path, 0o644)
    let folder = try Folder.begin(at: home.home.path)
    var seen: [String] = []
    try AtomicRewrite.rewrite(Array("list".utf8), in: folder, limit: 100) { bytes in
      seen.append(String(decoding: bytes, as: UTF8.self))
      if seen.count == 1 {
        try? HostFile.write(Array("a b c".utf8), to: path + ".new")
        unsafe rename(path + ".new", path)
      }
      return Array(bytes.dropFirst(2))
    }
    #expect(seen == ["a b", "a b c"])
    #expect(try HostFile.read(path) == Array("b c".utf8))
    #expect(HostFile.status(path).st_mode & 0o7777 == 0o644)
    // One that never stops: it is left alone.
    var round = 0
    #expect(throws: Errno.resourceBusy) {
      try AtomicRewrite.rewrite(Array("list".utf8), in: folder, limit: 100) { bytes in
        round += 1
        try? HostFile.write(Array("round \(round)".utf8), to: path + ".new")
        unsafe rename(path + ".new", path)
        return []
      }
    }
    #expect(try HostFile.read(path) == Array("round \(round)".utf8))
    #expect(HostFile.names(in: home.folder.path) == ["list"])
    try AtomicRewrite.rewrite(Array("none".utf8), in: folder, limit: 100) { _ in [] }
  }

  @Test func recentDocuments() throws {
    let ours = ["URL[$e]=file:$HOME/Albums/x.jpg", "URL=file://\(home.albums)/y.jpg", "URL[$e]=$HOME/Albums"]
    let others = ["URL[$e]=file:$HOME/Albums2/x.jpg", "Icon=\(home.albums)/x", ""]
    for (index, line) in (ours + others).enumerated() {
      try home.write("[Desktop Entry]\nType=Link\n\(line)\n", to: ".local/share/RecentDocuments/\(index).desktop")
    }
    let before = home.state()
    let found = home.findings(.recent)
    #expect(found.count == 3)
    for finding in found { try finding.removal?.carryOut() }
    #expect(
      HostFile.names(in: home.folder.path(".local/share/RecentDocuments")) == ["3.desktop", "4.desktop", "5.desktop"])
    for (path, state) in home.state() { #expect(before[path] == state) }
  }
}
