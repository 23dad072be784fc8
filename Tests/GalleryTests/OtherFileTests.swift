import Client
import Glibc
import HostFiles
import System
import SystemPackage
import TestSupport
import Testing

@testable import Gallery

/// What is neither a photo nor a video: listed, counted, saved and moved.
@Suite(.serialized) struct OtherFileTests {
  private func path(_ text: String) throws -> SpacePath { try SpacePath(Array(text.utf8)) }

  private func names(_ others: OtherFiles) -> [String] {
    others.files.map { String(decoding: $0.name, as: UTF8.self) }
  }

  /// An album with photos, and everything that the page shows no photo of.
  private func filled() throws -> MountedVault {
    let vault = try MountedVault()
    try vault.shell(
      """
      mkdir -p A/B Empty
      vips black /tmp/$$.v 60 40 --bands 3
      vips jpegsave /tmp/$$.v A/IMG_20190714_213005.jpg
      vips jpegsave /tmp/$$.v A/B/IMG_20200101_000000.jpg --Q 60
      vips jpegsave /tmp/$$.v A/.seen.jpg --Q 50
      rm /tmp/$$.v
      ln A/IMG_20190714_213005.jpg A/second.jpg
      printf '%%PDF-1.4 other' > A/paper.pdf
      printf '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>' > A/drawing.svg
      printf plist > A/IMG_20190714_213005.AAE
      printf voice > A/.hidden
      printf odd > "A/$(printf 'x\\377.bin')"
      : > A/empty.txt
      printf below > A/B/below.txt
      printf top > top.txt
      ln -s paper.pdf A/link.pdf
      mkfifo A/fifo
      """)
    try vault.examined()
    return vault
  }

  private let ofA = [
    ".hidden", ".seen.jpg", "IMG_20190714_213005.AAE", "drawing.svg", "empty.txt", "paper.pdf", "x\u{FFFD}.bin",
  ]

  @Test func whatIsNoPhotoIsListedAndCounted() throws {
    let vault = try filled()
    let gallery = try vault.gallery()
    let others = try gallery.otherFiles(in: path("A"))
    #expect(names(others) == ofA && others.count == ofA.count)
    #expect(others.files.map(\.index) == Array(0..<ofA.count))
    #expect(others.files[6].name == [0x78, 0xFF] + Array(".bin".utf8) && others.files[2].size == 5)
    #expect(try names(gallery.otherFiles(in: .root)) == ["top.txt"])
    #expect(try names(gallery.otherFiles(in: path("A/B"))) == ["below.txt"])
    #expect(try gallery.otherFiles(in: path("Empty")).count == 0)
    #expect(kind { _ = try gallery.otherFiles(in: try path("none")) } == .notFound)
    #expect(kind { _ = try gallery.otherFiles(in: try path("A/paper.pdf")) } == .notFound)
    #expect(kind { _ = try gallery.otherFiles(in: try path(".Trash-0")) } == .badRequest)
    let counts = try gallery.otherFileCounts(in: .root)
    #expect(counts.count == 1 && counts.first?.count == ofA.count)
    #expect(try counts.first?.album == path("A"))
    #expect(try gallery.otherFileCounts(in: path("A")).map(\.count) == [1])
  }

  /// A photo that was examined since the photos were asked for is none of the other files.
  @Test func whatBecameAPhotoIsToBeAskedForAgain() throws {
    let vault = try filled()
    let paths = try ["A/IMG_20190714_213005.jpg", "A/paper.pdf", "A/empty.txt", "A/B", "A/none.jpg"].map(path)
    #expect(try vault.gallery().areWaiting(paths) == [path("A/IMG_20190714_213005.jpg")])
  }

  /// Nobody waits for the position of what is no photo, or gone.
  @Test func noPositionOfThemIsWaitedFor() throws {
    let vault = try filled()
    let names = ["A/IMG_20190714_213005.jpg", "A/empty.txt", "A/paper.pdf", "A/.hidden", "A/none.jpg"]
    // As cameras call their small pictures.
    try vault.shell("cp A/IMG_20190714_213005.jpg A/MVI_1.THM")
    try vault.examined()
    #expect(try vault.gallery().positions(of: (names + ["A/MVI_1.THM"]).map(path)) == PositionReport())
  }

  /// Whatever it is, a browser only saves it.
  @Test func nothingOfThemIsShownByABrowser() throws {
    let vault = try filled()
    let gallery = try vault.gallery()
    let others = try gallery.otherFiles(in: path("A"))
    for file in others.files {
      let content = try gallery.open(.original, file.index, of: others.snapshot)
      #expect(!content.isShowable && content.type == "application/octet-stream" && content.name == file.name)
      #expect(content.size == file.size)
    }
    for form in [ItemForm.preview, .full, .motion] {
      #expect(kind { _ = try gallery.open(form, 3, of: others.snapshot) } == .notFound, "\(form)")
    }
    let content = try gallery.open(.original, 5, of: others.snapshot)
    #expect(try content.bytes(at: 0, count: 100) == Array("%PDF-1.4 other".utf8))
    try vault.shell("mv A/paper.pdf A/moved.pdf; printf 'something else' > A/paper.pdf")
    #expect(kind { _ = try gallery.open(.original, 5, of: others.snapshot) } == .conflict)
    #expect(try gallery.trash([5], of: others.snapshot).map(\.error.kind) == [.conflict])
    #expect(try vault.shell("cat A/paper.pdf") == "something else")
  }

  @Test func theyGoToTheTrashAndComeBack() throws {
    let vault = try filled()
    let gallery = try vault.gallery()
    #expect(try gallery.otherFilesInTrash().count == 0)
    let others = try gallery.otherFiles(in: path("A"))
    #expect(try gallery.trash([0, 5, 6], of: others.snapshot).isEmpty)
    #expect(try gallery.otherFiles(in: path("A")).count == ofA.count - 3)
    let top = try gallery.otherFiles(in: .root)
    #expect(try gallery.trash([0], of: top.snapshot).isEmpty)
    try gallery.deleteAlbum(path("A"))
    let trashed = try gallery.otherFilesInTrash()
    #expect(
      names(trashed) == [
        ".hidden", "A/.seen.jpg", "A/B/below.txt", "A/IMG_20190714_213005.AAE", "A/drawing.svg", "A/empty.txt",
        "paper.pdf", "top.txt", "x\u{FFFD}.bin",
      ])
    #expect(try gallery.restore(Array(0..<trashed.count), of: trashed.snapshot).isEmpty)
    #expect(try gallery.otherFilesInTrash().count == 0)
    #expect(try names(gallery.otherFiles(in: path("A"))) == ofA)
    #expect(try vault.shell("cat A/paper.pdf A/B/below.txt top.txt") == "%PDF-1.4 otherbelowtop")
  }

  /// One directory that may not be entered hides nothing else.
  @Test(.enabled(if: geteuid() != 0, "root may enter every directory"), arguments: ["000", "400"])
  func aClosedDirectoryHidesNothingElse(mode: String) throws {
    let vault = try filled()
    try vault.shell(
      """
      trash=.Trash-$(id -u)/files
      mkdir -p $trash/D Closed
      printf seen > $trash/seen.txt
      for folder in $trash/D Closed; do printf x > $folder/x.txt; chmod \(mode) $folder; done
      """)
    try vault.examined()
    let gallery = try vault.gallery()
    #expect(try names(gallery.otherFilesInTrash()) == ["seen.txt"])
    #expect(try gallery.otherFileCounts(in: .root).map(\.album) == [path("A")])
  }
}

/// Moving, on a plain folder.
@Suite struct MoveTests {
  private func path(_ text: String) throws -> SpacePath { try SpacePath(Array(text.utf8)) }

  @Test func movingReplacesNothingAndMovesNothingElse() throws {
    let space = try PlainSpace()
    let gallery = try space.gallery()
    for name in ["A", "B"] { _ = try gallery.makeAlbum(Array(name.utf8), in: .root) }
    try space.write([1], to: "A/x.pdf")
    try space.write([2], to: "B/x.pdf")
    try space.write([3], to: "A/y.pdf")
    let snapshot = space.snapshot(["A/x.pdf", "A/y.pdf", "A/none.pdf"])
    try space.write([4], to: "A/new")
    try systemCall { unsafe rename(space.path("A/new"), space.path("A/y.pdf")) }
    let failures = try gallery.move([0, 1, 2, 7], of: snapshot, to: path("B"))
    #expect(failures.map(\.index) == [1, 2, 7])
    #expect(failures.map(\.error.kind) == [.conflict, .notFound, .notFound])
    #expect(try space.names("A") == ["y.pdf"] && space.names("B") == ["x (2).pdf", "x.pdf"])
    #expect(try space.read("B/x.pdf") == [2] && space.read("B/x (2).pdf") == [1] && space.read("A/y.pdf") == [4])
    let now = space.snapshot(["A/y.pdf"])
    #expect(try gallery.move([0], of: now, to: path("A")).map(\.error.kind) == [.conflict])
    #expect(try space.names("A") == ["y.pdf"])
    #expect(kind { _ = try gallery.move([0], of: now, to: try path("none")) } == .notFound)
    #expect(kind { _ = try gallery.move([0], of: now, to: try path(".Trash-0")) } == .badRequest)
    #expect(try gallery.move([0], of: now, to: .root).isEmpty)
    #expect(try space.read("y.pdf") == [4])
  }

  /// Another file takes the name between the look and the move: it goes back.
  @Test func whatTookTheNameMeanwhileStaysWhereItIs() throws {
    let space = try PlainSpace()
    let gallery = try space.gallery()
    for name in ["A", "B"] { _ = try gallery.makeAlbum(Array(name.utf8), in: .root) }
    try space.write([1], to: "A/x.pdf")
    try space.write([2], to: "A/other")
    let snapshot = space.snapshot(["A/x.pdf"])
    let (from, to) = (space.path("A/other"), space.path("A/x.pdf"))
    let calls = Counter()
    space.fail { call in
      if call == .rename, calls.next() == 0 { _ = unsafe Glibc.rename(from, to) }
      return nil
    }
    #expect(try gallery.move([0], of: snapshot, to: path("B")).map(\.error.kind) == [.conflict])
    #expect(try space.names("B") == [] && space.read("A/x.pdf") == [2])
  }
}
