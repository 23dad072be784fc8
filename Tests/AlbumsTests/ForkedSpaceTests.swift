import AlbumsSupport
import FaultyStorage
import Index
import Testing

@testable import Albums
@testable import Vault

/// A space that was continued in two places.
@Suite struct ForkedSpaceTests {
  /// Two machines went on from one state, and a program that synchronises brought their files together.
  @Test(arguments: [false, true])
  func aForkIsSaidAndNeitherSideIsTouched(otherIsLonger: Bool) throws {
    let vault = try TestVault.filled()
    let other = try TestVault(vault, over: vault.storage.powerCut(seed: 1))
    try vault.reopen()
    for (side, rounds) in [(vault, otherIsLonger ? 1 : 3), (other, otherIsLonger ? 3 : 1)] {
      for round in 0..<rounds {
        try side.files.make("after\(round)", with: pattern(3_000_000, round))
        try side.files.synchronize()
        try side.space.advanceEpoch()
      }
      try side.files.close()
    }
    for name in other.storage.names where !vault.storage.names.contains(name) {
      vault.storage.place(other.storage.content(name), as: name)
    }
    let all = vault.storage.names
    let space = try vault.vault.openSpace(vault.body, readOnly: true, scanning: true)
    let report = Checker.check(space, readData: false)
    let foreign = vault.storage.names.filter { name in
      guard let file = try? vault.storage.open(name),
        let header = try? SegmentHandle.open(file, keys: space.keys)?.header
      else { return false }
      return header.branch != space.log.locked({ $0.catalog.branch(of: header.number.epoch) })
    }
    #expect(!foreign.isEmpty)
    try space.close()
    #expect(report.problems.contains { $0.text.contains("was continued in two places") }, "\(report.problems)")
    do {
      let repairing = Repair(
        of: try vault.vault.openSpace(vault.body, acceptOlder: true, scanning: true, copyWindow: 0), in: vault.vault,
        body: vault.body, slot: nil)
      #expect(repairing.plan.unrepairable.contains { $0.contains("files are not changed") })
      _ = try repairing.carryOut()
    }
    #expect(Set(all).isSubset(of: vault.storage.names))
    // Going on from the state that was found deletes what is dead in it, but nothing of the other.
    try vault.mount()
    for name in try vault.files.names(of: .root).keys where name.hasPrefix("after") {
      try vault.files.unlink(.of(name), in: .root)
    }
    for _ in 0..<6 {
      try vault.files.synchronize()
      _ = try vault.files.make("round\(vault.storage.operationCount)")
      var transaction = LogTransaction()
      transaction.retiring =
        vault.space.segments().filter { segment in
          !segment.isOpen && segment.databasePages == 0 && (try? vault.space.isWithoutExtents(segment.number)) == true
        }.map(\.number)
      try vault.space.commit(transaction)
      try vault.files.synchronize()
      try vault.space.advanceEpoch()
    }
    try vault.files.close()
    let left = vault.storage.names
    #expect(foreign.allSatisfy(left.contains), "a file of the other state is gone")
    #expect(left.count < all.count + 20)
  }
}
