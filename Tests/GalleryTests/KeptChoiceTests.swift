import Client
import Glibc
import System
import TestSupport
import Testing

@testable import Gallery

/// What was chosen in lists that are not shown any more.
@Suite struct KeptChoiceTests {
  @Test func aFileIsChosenOnceAndComesOutWhereItIsShown() throws {
    let space = try PlainSpace()
    let gallery = try space.gallery()
    try space.folder.makeDirectory("space/A")
    for name in ["a.jpg", "b.jpg", "c.jpg"] { try space.write([1], to: name) }
    try systemCall { unsafe link(space.path("b.jpg"), space.path("A/b.jpg")) }
    var choice = KeptChoice()
    try choice.add([0, 1, 1], of: space.snapshot(["a.jpg", "b.jpg"]))
    try choice.add([0], of: space.snapshot(["A/b.jpg"]))
    let all = try gallery.paths(of: choice).map(\.bytes)
    #expect(all == [Array("a.jpg".utf8), Array("b.jpg".utf8)])
    let shown = choice.take(shownBy: space.snapshot(["c.jpg", "A/b.jpg", "b.jpg"]))
    let left = try gallery.paths(of: choice).map(\.bytes)
    #expect(shown == [1] && left == [Array("a.jpg".utf8)])
    // Another file has the name by now.
    try space.write([2], to: "new.jpg")
    try systemCall { unsafe rename(space.path("new.jpg"), space.path("a.jpg")) }
    #expect(kind { _ = try gallery.paths(of: choice) } == .conflict)
    let gone = choice.takeGone(from: gallery)
    #expect(gone == 1 && choice.count == 0)
  }

  @Test func whatMayNotBeChosenIsRefused() throws {
    var builder = SnapshotBuilder(SectionsRequest())
    builder.allowed = [2]
    for inode in UInt64(1)...2 {
      _ = builder.add([UInt8](repeating: 0, count: 8)[...], inode: inode, Array("\(inode).jpg".utf8)[...])
    }
    let snapshot = builder.snapshot()
    var choice = KeptChoice()
    let refused = kind { try choice.add([1, 0], of: snapshot) }
    let missing = kind { try choice.add([1, 2], of: snapshot) }
    #expect(refused == .badRequest && missing == .notFound && choice.count == 0)
    try choice.add([1], of: snapshot)
    #expect(choice.count == 1)
  }
}
