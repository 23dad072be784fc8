import Glibc
import System
import TestSupport
import Testing

@testable import Traces

@Suite struct ReportedFileTests {
  private let home: TraceHome

  init() throws { home = try TraceHome() }

  /// What each program leaves is found, told by its program, and not touched.
  @Test func everyProgram() throws {
    let path = home.albums
    let name = home.albums.split(separator: "/").last ?? ""
    let texts: [(file: String, text: String, program: String, lines: [Int])] = [
      (".bash_history", "ls\ncd ~/\(name)\n#1\nvim ~/\(name)/x\n", "bash", [2, 4]),
      (".zsh_history", ": 1:0;eog \(path)/a\\ b.jpg\n", "zsh", [1]),
      (".local/share/fish/fish_history", "- cmd: mpv \(path)/x.mp4\n  when: 1\n", "fish", [1]),
      (".viminfo", "\n\n> \(path)/notes.txt\n\t*\t1", "vim", [3]),
      (".lesshst", ".less-history-file:\n.shell\n\"cat \(path)/x\n", "less", [3]),
      (".python_history", "open('\(path)/x')\n", "Python", [1]),
      (".config/vlc/vlc-qt-interface.conf", "[RecentsMRL]\nlist=file://\(path)/x.mp4, @Invalid()\n", "VLC", [2]),
      (".config/mpv/watch_later/0123456789ABCDEF0123456789ABCDEF", "# \(path)/x.mp4\nstart=1\n", "mpv", []),
      (".config/geeqie/history", "[image_list]\n\"\(path)/x.jpg\"\n", "Geeqie", [2]),
      (".config/gwenviewrc", "[General]\nLastTargetDir[$e]=$HOME/\(name)\n", "Gwenview", [2]),
      (".config/session/dolphin_1", "Active=true\nURL=file://\(path)\n", "Dolphin and KDE's sessions", [2]),
      (".config/gtk-3.0/bookmarks", "file://\(path) Photos\n", "Xfce, GTK and other sessions", [1]),
      (".config/dconf/user", "GVariant\0\u{5}/org\0'\(path)/x'\0", "dconf (GNOME, Nemo, gThumb)", []),
      (".config/darktable/library.db", "SQLite format 3\0\u{7}\(path)/Iceland\u{1}", "darktable", []),
      (".local/share/shotwell/data/photo.db", "SQLite format 3\0\u{7}abc\(path)/x.jpg", "Shotwell", []),
      (".cache/tracker3/files/meta.db", "x\0file://\(path)\0", "Tracker", []),
      (".local/share/baloo/index", "\0\(path)/x\0", "Baloo", []),
      (".local/share/zeitgeist/activity.sqlite-wal", "file://\(path)/x", "Zeitgeist", []),
      (".local/share/kactivitymanagerd/resources/database", "\u{9}\(path)/x", "KDE's activity manager", []),
      (".config/GIMP/2.10/sessionrc", "(last-opened \"\(path)/x\")\n", "GIMP", [1]),
      (".mozilla/firefox/abc.default/places.sqlite", "file://\(path)/x", "Firefox, Chromium", []),
    ]
    for trace in texts { try home.write(trace.text, to: trace.file) }
    try home.write("cd ~/\(name)2\nls \(path).old\n", to: ".histfile")
    try home.write("thumbnail", to: ".cache/geeqie/thumbnails\(path)/x.jpg.png")
    let before = home.state()
    let search = home.search()
    #expect(home.state() == before)
    #expect(search.gaps.isEmpty)
    for trace in texts {
      let found = search.findings.filter { $0.file == Array(home.folder.path(trace.file).utf8) }
      #expect(found.count == 1, "\(trace.file)")
      guard let finding = found.first else { continue }
      #expect(finding.program == trace.program)
      #expect(finding.lines == trace.lines, "\(trace.file)")
      #expect(finding.removal == nil)
    }
    #expect(search.findings.count == texts.count + 1)
    #expect(search.findings.contains { $0.kind == .cache && $0.reveals == .picture })
    #expect(home.search(onlyRemovable: true).findings.isEmpty)
  }

  @Test func revealsNoMoreThanIsThere() throws {
    try home.write("agonyfs mount Vault \(home.albums)\n", to: ".bash_history")
    #expect(home.findings(.history).map(\.reveals) == [.place])
    try home.write("ls \(home.albums)/Iceland\n", to: ".bash_history")
    #expect(home.findings(.history).map(\.reveals) == [.names])
  }

  /// Commands name the vault, not the mount point; other programs' files are not searched for it.
  @Test func historiesTellOfTheVault() throws {
    let vault = home.folder.path("Vault")
    try home.write(
      "agonyfs create --hidden ~/Vault\nls\nagonyfs mount \(vault) \(home.albums)\nagonyfs info \(vault)2\n",
      to: ".bash_history")
    try home.write("agonyfs space add \(vault)\n", to: ".zsh_history")
    try home.write("\"\(vault)\"\n", to: ".config/geeqie/history")
    try home.write("\0\(vault)/x\0", to: ".local/share/baloo/index")
    #expect(home.findings(.history).map(\.lines) == [[3]])
    let found = home.search(vaults: [vault]).findings
    #expect(found.map(\.program) == ["bash", "zsh", "Geeqie"])
    #expect(found.map(\.lines) == [[1, 3], [1], [1]])
    #expect(found.map(\.count) == [3, 1, 1])
    #expect(found.map(\.reveals) == [.place, .vault, .vault])
    // What is looked for anyway counts once.
    #expect(home.search(vaults: [home.albums]).findings.map(\.count) == [1])
  }

  /// A path across the border of two blocks, and the numbers of lines after it.
  @Test func largeFiles() throws {
    let places = SearchedPlaces([Array(home.albums.utf8)])
    let matcher = PathMatcher(places, home: home.home.path)
    let block = 64 << 10
    let line = Array("0123456789abcdef0123456789abcde\n".utf8)
    for shift in stride(from: 0, through: 1600, by: 37) {
      var bytes: [UInt8] = []
      while bytes.count + line.count <= block - shift { bytes += line }
      let number = bytes.count / line.count + 1
      bytes += Array("ls \(home.albums)/x\n".utf8)
      while bytes.count < block * 2 + 500 { bytes += line }
      bytes += Array("ls \(home.albums)\n".utf8)
      try home.write(bytes, to: "large")
      let file = try Folder.begin(at: home.home.path).file(Array("large".utf8))
      let scan = try FileScan(file, matcher, isText: true, block: block)
      #expect(scan.lines == [number, bytes.count { $0 == 0x0A }], "\(shift)")
      #expect(scan.count == 2)
      #expect(try FileScan(file, matcher, isText: false, block: block).count == 2)
    }
  }

  @Test func whatIsNotSearchedIsTold() throws {
    let path = try home.write("x", to: ".local/share/baloo/index")
    let folder = try Folder.begin(at: Array(home.folder.path(".local/share/baloo").utf8))
    unsafe truncate(path, 12 << 20)
    let scan = try FileScan(
      folder.file(Array("index".utf8)), PathMatcher(SearchedPlaces([Array("/m".utf8)]), home: []), isText: false,
      limit: 8 << 20)
    #expect(!scan.isComplete)
    unsafe symlink("/dev/zero", try home.path(".bash_history"))
    unsafe mkfifo(try home.path(".zsh_history"), 0o600)
    let gaps = home.search().gaps
    #expect(gaps.map { String(decoding: $0.path, as: UTF8.self) } == [home.folder.path(".bash_history")])
    #expect(gaps.first?.clause == "was not searched: it is a symbolic link")
  }

  @Test func manyTemporaryFiles() throws {
    home.temporary = [home.folder.path("tmp")]
    for number in 0..<(TemporaryFiles.most + 10) { try home.write([], to: "tmp/\(number)") }
    let gaps = home.search().gaps
    #expect(gaps.map(\.path) == [Array(home.folder.path("tmp").utf8)])
    #expect(gaps.first?.clause.hasPrefix("was not searched completely: only 5000 of its files were read; ") == true)
  }

  @Test func temporaryFiles() throws {
    home.temporary = [home.folder.path("tmp")]
    try home.write("opened \(home.albums)/x\n", to: "tmp/a/log")
    try home.write("opened \(home.albums)2/x\n", to: "tmp/log")
    unsafe mkfifo(try home.path("tmp/pipe"), 0o600)
    #expect(home.findings(.temporary).map(\.file) == [Array(home.folder.path("tmp/a/log").utf8)])
  }
}
