import FaultyStorage
import TestSupport
import Testing

@testable import Vault

/// Any one head of a space is gone, or damaged anywhere: a mount finds the newest state all the same, or does not
/// write.
@Suite struct LostHeadTests {
  /// A closed space with a history of commits, an epoch each. Where the past is given up, only those heads are left
  /// that the search needs.
  private func history(epochs: Int, givingUpThePast: Bool, closing: Bool = true) throws -> TestSpace {
    let test = TestSpace()
    for version in 1...epochs {
      try test.space.commit([1: page(1, version: version)], pageCount: 1)
      if givingUpThePast {
        try test.space.retire(test.space.segments().filter { !$0.isOpen && $0.databasePages == 0 }.map(\.number))
      }
      if version < epochs { try test.space.advanceEpoch() }
    }
    try test.space.sync()
    if closing { try test.space.close() } else { test.storage.killProcess() }
    return test
  }

  /// The numbers of all heads that are there.
  private func heads(_ test: TestSpace) -> [EpochNumber] {
    let keys = SpaceKeys(test.body)
    return (1...UInt32(200)).map { EpochNumber(rawValue: $0) }
      .filter { test.storage.names.contains(keys.headIdentifier($0)) }
  }

  @Test(
    arguments: TestLength.sample(
      [7, 8, 9, 11, 12, 21, 32, 33, 47, 64].flatMap { [($0, false), ($0, true)] }, 6, kind: { $0.1 }))
  func aLostHeadLeadsToNoOlderState(epochs: Int, givingUpThePast: Bool) throws {
    let test = try history(epochs: epochs, givingUpThePast: givingUpThePast)
    let keys = SpaceKeys(test.body)
    for head in heads(test) {
      let identifier = keys.headIdentifier(head)
      // The same files, the same inodes.
      let storage = test.storage.powerCut(seed: 1)
      let lost = storage.content(identifier)
      storage.tamper(identifier) { _ in nil }
      let vault = test.vault(over: storage)
      let space = try vault.openSpace(test.body, copyWindow: 0)
      let newest = page(1, version: epochs)
      let isShown = try? space.pageBytes(1) == newest
      // The page itself may have been in the lost file.
      #expect(isShown != false, "without head \(head.rawValue) an older state is shown")
      guard space.gate.reason == nil else { continue }
      try space.commitAndClose(version: 1000)
      #expect(try vault.openSpace(test.body, copyWindow: 0).pageBytes(1) == page(1, version: 1000))
      // The file comes back.
      if !storage.names.contains(identifier) { storage.place(lost, as: identifier) }
      #expect(
        try vault.openSpace(test.body, copyWindow: 0).pageBytes(1) == page(1, version: 1000),
        "with head \(head.rawValue) back")
    }
  }

  /// The salt, the segment's header, the record's header and the state of each head, in a log that was closed and in
  /// one that was not.
  @Test(arguments: [5, 8], [false, true])
  func aDamagedHeadLeadsToNoOlderState(epochs: Int, closing: Bool) throws {
    let test = try history(epochs: epochs, givingUpThePast: false, closing: closing)
    for head in heads(test) {
      for offset in [7, 50, SegmentFormat.recordsStart + 7, SegmentFormat.recordsStart + 100] {
        let storage = test.storage.powerCut(seed: 1)
        storage.flip(SpaceKeys(test.body).headIdentifier(head), at: offset)
        let vault = test.vault(over: storage)
        let space = try vault.openSpace(test.body, copyWindow: 0)
        let isShown = try? space.pageBytes(1) == page(1, version: epochs)
        #expect(isShown != false || space.gate.reason != nil, "head \(head.rawValue) damaged at \(offset)")
        if offset > SegmentFormat.saltSize { #expect(space.gate.reason == nil) }
        if isShown == true, space.gate.reason == nil {
          try space.commitAndClose(version: 1000)
          #expect(try vault.openSpace(test.body, copyWindow: 0).pageBytes(1) == page(1, version: 1000))
        }
      }
    }
  }
}
