import Client
import Glibc
import HostFiles
import Synchronization
import System
import SystemPackage
import TestSupport
import Testing

@testable import Gallery

/// A page that was loaded before files were renamed and replaced.
@Suite struct IdentityTests {
  private var trash: String { ".Trash-\(getuid())" }

  /// A space in which the name of a photo leads to another file, to a directory or to nothing, and the snapshot of before.
  private func changed() throws -> (PlainSpace, Snapshot) {
    let space = try PlainSpace()
    let names = ["replaced.jpg", "exchanged.jpg", "directory.jpg", "gone.jpg", "same.jpg"]
    for name in names { try space.write(Array(name.utf8), to: name) }
    let snapshot = space.snapshot(names)
    // Names go, but no file: its number would be free for the next one.
    for name in names.dropLast() { try systemCall { unsafe rename(space.path(name), space.path("old-" + name)) } }
    try space.write([1], to: "replaced.jpg")
    try systemCall { unsafe link(space.path("same.jpg"), space.path("exchanged.jpg")) }
    try space.folder.makeDirectory("space/directory.jpg")
    return (space, snapshot)
  }

  private static let reasons: [GalleryError.Kind] = [.conflict, .conflict, .notFound, .notFound]

  @Test func nothingElseIsEdited() throws {
    let (space, snapshot) = try changed()
    var edit = ItemEdit()
    edit.title = "x"
    edit.addedTags = ["x"]
    let failures = try space.gallery().edit([0, 1, 2, 3], of: snapshot, edit)
    #expect(failures.map(\.error.kind) == Self.reasons)
    #expect(failures.first?.error.kind.status == 409 && failures.first?.error.detail.contains("Another file") == true)
    for name in ["replaced.jpg", "same.jpg", "directory.jpg", "old-replaced.jpg"] {
      #expect(try AttributeFile(Array(space.path(name).utf8)).words().isEmpty, "\(name)")
    }
  }

  @Test func nothingElseIsMovedToTheTrash() throws {
    let (space, snapshot) = try changed()
    let before = try space.names(".")
    let gallery = try space.gallery()
    #expect(try gallery.trash([0, 1, 2, 3], of: snapshot).map(\.error.kind) == Self.reasons)
    #expect(try space.names(".") == (before + [trash]).sorted())
    #expect(try space.names(trash + "/files") == [] && space.names(trash + "/info") == [])
    #expect(try gallery.trash([4], of: snapshot).isEmpty)
    #expect(try space.names(trash + "/files") == ["same.jpg"])
  }

  /// The file is exchanged after it was looked at.
  @Test func whatComesToTheTrashByMistakeGoesBack() throws {
    let space = try PlainSpace()
    try space.write([1], to: "a.jpg")
    try space.write([2], to: "b.jpg")
    let folder = TrashFolder(of: try SpaceRoot(at: Array(space.root.utf8)))
    try folder.prepare()
    for name in ["a.jpg", ".agonyfs"] {
      #expect(throws: Errno.resourceBusy) { try folder.take(Array(name.utf8), ifFile: 1) }
    }
    #expect(try space.names(".") == [trash, ".agonyfs", "a.jpg", "b.jpg"] && space.names(trash + "/info") == [])
    // Both names change places all the time.
    let inode = try space.snapshot(["a.jpg"]).item(0).inode
    let root = space.root
    let isDone = Mutex(false)
    let thread = try Thread {
      while !isDone.withLock({ $0 }) {
        for (name, other) in [("/a.jpg", "/c.jpg"), ("/b.jpg", "/a.jpg"), ("/c.jpg", "/b.jpg")] {
          _ = unsafe rename(root + name, root + other)
        }
      }
    }
    defer {
      isDone.withLock { $0 = true }
      thread.join()
    }
    // What cannot go back, because a third one has its name by then.
    var others = 0
    for _ in 0..<20_000 {
      do throws(Errno) {
        try folder.take(Array("a.jpg".utf8), ifFile: inode)
      } catch {
        others += error == .fileExists ? 1 : 0
        continue
      }
      let names = try space.names(trash + "/files")
      #expect(names.count == others + 1)
      #expect(try space.names(trash + "/info") == names.map { $0 + ".trashinfo" })
      #expect(try names.contains { try space.read(trash + "/files/" + $0) == [1] })
      return
    }
    Issue.record("the file was never found under its name")
  }

  @Test func nothingElseIsGivenAwayOrAdded() throws {
    let (space, snapshot) = try changed()
    let gallery = try space.gallery()
    try space.folder.makeDirectory("space/A")
    let album = try SpacePath([0x41])
    #expect(try gallery.add([0, 1, 2, 3, 4], of: snapshot, to: album).map(\.error.kind) == Self.reasons)
    #expect(try space.names("A") == ["same.jpg"])
    // Of the others nobody has made a thumbnail here.
    #expect(kind { _ = try gallery.thumbnail(0, of: snapshot, pixels: 256) } == Self.reasons[0])
    #expect(try gallery.thumbnail(4, of: snapshot, pixels: 256) == nil)
    for (index, reason) in Self.reasons.enumerated() {
      let zip = try ZipStream(ZipNumbers([4, index], of: snapshot), of: snapshot, in: gallery)
      #expect(kind { try zip.write { _ in } } == reason, "\(index)")
    }
  }

  @Test func nothingElseIsRestored() throws {
    let space = try PlainSpace()
    try space.write([1], to: "a.jpg")
    let gallery = try space.gallery()
    _ = try gallery.trash([0], of: space.snapshot(["a.jpg"]))
    let snapshot = space.snapshot([trash + "/files/a.jpg"])
    try systemCall { unsafe rename(space.path(trash + "/files/a.jpg"), space.path("old")) }
    try space.write([2], to: trash + "/files/a.jpg")
    #expect(try gallery.restore([0], of: snapshot).map(\.error.kind) == [.conflict])
    #expect(try space.read(trash + "/files/a.jpg") == [2] && space.names(trash + "/info") == ["a.jpg.trashinfo"])
  }

  /// What fails for all says how many were done.
  @Test func afterAFullVaultItIsSaidWhatWasDone() throws {
    let space = try PlainSpace()
    for name in ["1", "2", "3"] { try space.write([1], to: name) }
    try space.folder.makeDirectory("space/A")
    let gallery = try space.gallery()
    let links = Counter()
    space.fail { $0 == .link && links.next() == 2 ? .noSpace : nil }
    do throws(GalleryError) {
      let items = space.snapshot(["1", "none", "2", "3"])
      _ = try gallery.add([0, 1, 2, 3], of: items, to: SpacePath(trusted: [0x41]))
      Issue.record("nothing failed")
    } catch {
      #expect(error.kind == .full && error.detail.hasSuffix("2 of 4 were changed before."), "\(error)")
    }
    #expect(try space.names("A") == ["1", "2"])
  }
}
