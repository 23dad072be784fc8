import AlbumsSupport
import FaultyStorage
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

extension EveryFailureTests {
  @Test func aDiskThatIsFullAnywhereLosesNothing() throws {
    var cases = CaseCount("full disks")
    var refusals = 0
    var unreserved = 0
    for seed in TestLength.seeds(Self.seeds, few: 1) {
      for operation in try operations(seed) {
        let work = try begin(seed)
        work.storage.inject(.full(from: work.storage.operationCount + operation))
        var failure: (any Error)?
        do {
          try goOn(work, seed)
        } catch {
          failure = error
        }
        try checkFullDisk(work, failure, &unreserved, "seed \(seed), operation \(operation)")
        cases.add()
        if failure != nil { refusals += 1 }
      }
    }
    #expect(TestLength.isWhole ? cases.count > 60 : cases.count == Self.few)
    guard TestLength.isWhole else { return }
    #expect(refusals > cases.count / 3)
    #expect(unreserved < cases.count / 2)
  }

  private func checkFullDisk(
    _ work: Workload, _ failure: (any Error)?, _ unreserved: inout Int, _ label: String
  ) throws {
    let comment = Comment(rawValue: label)
    if let failure {
      let isFull = failure as? Errno == .noSpace || failure as? VaultError == .noSpace
      #expect(isFull, "\(label): \(failure)")
    }
    var possible = work.possibleTrees
    if work.files.locked({ $0.life.isClosed }) { try work.mountAgain() } else { possible = possible.suffix(1) }
    let files = work.files
    #expect(files.space.gate.reason == nil, comment)
    var tree = try Tree(of: files)
    let isPossible = possible.contains(tree)
    #expect(isPossible, "\(label): \(tree.difference(from: possible))")
    try checkWhatACrashLeaves(work, label)

    for path in Self.ballast where tree[path] != nil {
      try files.delete(String(path.dropFirst()))
      tree[path] = nil
    }
    let content = pattern(100_000, 9)
    var rounds = 0
    while rounds < 8, !isWritten(content, files) {
      rounds += 1
      // The reserve lasts for one mount: where the disk was full before the space took it, or another space has it,
      // somebody else has to make room. Cover that a space owns is there always.
      let filled = work.storage.filledAt
      if rounds == 4, work.ownFiles == 0,
        work.storage.heldWhenFull < 5 << 20 || filled <= work.mountedAt || filled >= work.otherSpaceFrom
      {
        work.storage.setLimit(.max)
        unreserved += 1
      }
    }
    #expect(rounds < 8, comment)
    #expect(files.space.gate.reason == nil, comment)
    try files.close()
    try work.mountAgain()
    let after = try work.files.get(try work.files.find("after").inode)
    #expect(isSame(after, content), comment)
    var shown = try Tree(of: work.files)
    shown["/after"] = nil
    let isSameTree = shown == tree
    #expect(isSameTree, "\(label): \(shown.difference(from: [tree]))")
    try work.files.close()
    // One that was deleted to make room comes back with the room.
    work.storage.inject(nil)
    work.storage.setLimit(.max)
    try work.expectOwnFiles(in: work.storage, alone: !work.isOtherSpaceLeft, comment)
    try work.vault.expectSound(work.body, comment)
  }

  /// Cleans, and tries to write.
  private func isWritten(_ content: [UInt8], _ files: FileSystem) -> Bool {
    // What waits for room is tried again each few seconds; here it is now.
    _ = try? files.synchronize()
    do {
      for _ in 0..<2 {
        try files.cleaner.clean()
        try files.cleaner.beginEpochs(1)
      }
      let inode = try (try? files.find("after").inode) ?? files.make("after")
      try files.put(content, inode)
      try files.synchronize()
      return true
    } catch {
      return false
    }
  }
}
