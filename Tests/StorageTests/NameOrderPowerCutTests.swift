import FaultyStorage
import Glibc
import Storage
import SystemPackage
import TestSupport
import Testing

/// The power fails while names are put in another order.
@Suite(.serialized) struct NameOrderPowerCutTests {
  private static let kinds = ["xfs", "btrfs"].filter { LoopImage.canBe($0) }

  /// The disk is kept as it is at many points. From each, every file is there under its name.
  @Test(.enabled(if: geteuid() == 0, "needs root, for loop devices"), arguments: kinds)
  func aPowerCutLeavesEveryFileUnderItsName(kind: String) throws {
    let image = try LoopImage(kind)
    let subject = try NameOrderSubject(.disk(image))
    let before = try subject.files
    let folders = subject.folders
    var copies: [Int] = []
    try subject.shuffle(mayChange: { step in
      if step % 130 == 60, (try? image.keepCopy("\(step)")) != nil { copies.append(step) }
      return true
    })
    #expect(copies.count > 8)
    var states: Set<Bool> = []
    for step in copies {
      try image.mountCopy("\(step)")
      let comment: Comment = "\(kind), cut at \(step)"
      #expect(try subject.files == before, comment)
      states.insert(Set(subject.folders).isDisjoint(with: folders))
      let storage = try subject.storage()
      storage.prepareForWriting()
      storage.removeInterruptedRefresh()
      try subject.expectSame(before, comment)
      #expect(try subject.shuffle(), comment)
      try subject.expectSame(before, comment)
    }
    // Before the exchange, and after it.
    #expect(states == [false, true])
  }
}
