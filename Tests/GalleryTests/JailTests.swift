import Client
import Glibc
import System
import SystemPackage
import TestSupport
import Testing

@testable import Gallery

/// Nothing outside of the space is reached, whatever a path is.
@Suite struct JailTests {
  @Test func namesThatNoFileHasAreRefusedEachWithItsReason() throws {
    let cases: [(String, GalleryError.Kind, String)] = [
      ("", .emptyName, "empty"), ("a\0b", .badName, "zero byte"), ("a/b", .badName, "\"/\""),
      (".", .badName, "\".\""), ("..", .badName, "\"..\""), (".agonyfs", .badName, "reserved for the mount"),
      (".sh_thumbnails", .badName, "reserved for the mount"), (String(repeating: "x", count: 256), .nameTooLong, "256"),
    ]
    for (name, kind, words) in cases {
      do throws(GalleryError) {
        try SpacePath.check(name: Array(name.utf8))
        Issue.record("\(name) was taken")
      } catch {
        #expect(error.kind == kind && error.detail.contains(words), "\(error)")
      }
    }
    for name in ["a", "...", " ", "\u{202E}gpj.exe", "<b>", "a\nb", String(repeating: "x", count: 255)] {
      try SpacePath.check(name: Array(name.utf8))
    }
    try SpacePath.check(name: [0xFF, 0xFE])
    #expect(kind { _ = try SpacePath(Array(repeating: 0x61, count: 4096)) } == .badRequest)
    for path in ["/a", "a/", "a//b", "a/../b", ".agonyfs/query", "a/.sh_thumbnails/x"] {
      #expect(kind { _ = try SpacePath(Array(path.utf8)) } != nil, "\(path)")
    }
  }

  @Test func trashIsKnown() throws {
    for (path, isTrash) in [
      (".Trash-0/files/a", true), (".Trash-1000", true), (".Trash/1/files/x", true), (".Trash-x/a", false),
      ("a/.Trash-0", false), ("", false), (".Trash-", false),
    ] {
      #expect(try SpacePath(Array(path.utf8)).isInTrash == isTrash, "\(path)")
    }
  }

  /// Random paths of parts that lead out, over links that are there.
  @Test func noPathLeadsOut() throws {
    let space = try PlainSpace()
    try HostFile.write(Array("secret".utf8), to: space.folder.path("outside"))
    for (name, target) in [
      ("up", ".."), ("abs", space.folder.path("outside")), ("root", "/"), ("proc", "/proc/self/root"), ("self", "."),
      ("a/up", "../.."),
    ] {
      if name.hasPrefix("a/") { _ = unsafe mkdir(space.path("a"), 0o755) }
      try systemCall { unsafe symlink(target, space.path(name)) }
    }
    try space.write(Array("inside".utf8), to: "a/x.jpg")
    let gallery = try space.gallery()
    let parts = [
      "..", ".", "", "a", "up", "abs", "root", "proc", "self", "x.jpg", "outside", "\0", "etc", "passwd", "space",
      ".agonyfs", "incoming", "%2e%2e", "..\\", "\u{FF0E}\u{FF0E}",
    ]
    var generator = TestLength.generator()
    var opened = 0
    for _ in 0..<20_000 {
      let count = Int.random(in: 1...6, using: &generator)
      let text = (0..<count).map { _ in parts.randomElement(using: &generator) ?? "" }.joined(separator: "/")
      let bytes = Array(text.utf8)
      // Below all checks of names the kernel keeps the jail.
      if let file = try? gallery.root.open(bytes, O_RDONLY), let content = try? file.readToEnd(limit: 100) {
        opened += 1
        #expect(content == Array("inside".utf8), "\(text)")
      }
      if let (directory, _) = try? gallery.root.place(of: bytes) {
        var status = stat()
        var outer = stat()
        _ = unsafe fstat(directory.number, &status)
        _ = unsafe stat(space.folder.path, &outer)
        #expect(status.st_ino != outer.st_ino, "\(text)")
      }
      if let path = try? SpacePath(bytes) {
        #expect(!path.parts.contains(Array("..".utf8)) && path.parts.first != Array(".agonyfs".utf8), "\(text)")
      }
    }
    #expect(opened > 0)
  }

  @Test func anItemThatIsALinkIsNotThere() throws {
    let space = try PlainSpace()
    try HostFile.write(Array("secret".utf8), to: space.folder.path("outside"))
    try systemCall { unsafe symlink("../outside", space.path("link.jpg")) }
    try systemCall { unsafe mkfifo(space.path("fifo.jpg"), 0o600) }
    let gallery = try space.gallery()
    let snapshot = space.snapshot(["link.jpg", "fifo.jpg", "none.jpg"])
    var edit = ItemEdit()
    edit.title = "x"
    let failures = try gallery.edit([0, 1, 2, 7, -1], of: snapshot, edit)
    #expect(failures.map(\.index) == [0, 1, 2, 7, -1])
    #expect(failures.allSatisfy { $0.error.kind == .notFound }, "\(failures)")
    let zip = try ZipStream(ZipNumbers([0], of: snapshot), of: snapshot, in: gallery)
    let outcome = kind { try zip.write { _ in } }
    #expect(outcome == .notFound)
  }
}
