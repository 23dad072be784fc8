import AlbumsSupport
import Crypto
import FaultyStorage
import Library
import Storage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// Cover is handed over while a key is replaced, and while the machine fails.
extension HandoverTests {
  /// A new key takes cover along; what is begun is finished first.
  @Test(arguments: [true, false]) func aSpaceWithANewKeyGivesCoverUp(isFinished: Bool) throws {
    let count = storage.names.count
    let new = Password.of("another password of the owner")
    if isFinished {
      try SpaceManager.replaceKey(in: vault, old: .of(Self.owner), new: new)
    } else {
      try SpaceManager.beginRekeying(
        in: vault, old: vault.slotKeys(for: .of(Self.owner)), new: vault.slotKeys(for: new))
    }
    try SpaceManager.addSpace(
      to: vault, within: new, password: .of(Self.third), cover: Self.part, changeSink: Library.idle)
    #expect(storage.names.count == count)
    try SpaceManager.changePassword(in: vault, old: new, new: .of(Self.owner))
    #expect(storage.names.count == count)
    try expectAll(in: vault)
    let sight = try sight(of: storage)
    #expect(Set(sight.tables.values.map(\.fileCount)).count == 1)
    for password in [Self.owner, Self.third] { try use(password) { _ = try fill($0) } }
    #expect(storage.names.count == count)
    try expectAll(in: vault)
  }

  // MARK: Crashes

  /// Whatever is left, no space is lost, and the number of files is nearly the same; what is left undone can be
  /// completed.
  @Test(arguments: [true, false]) func everyStopLeavesTheNumber(adds: Bool) throws {
    let count = storage.names.count
    let start = storage.operationCount
    let whole = storage.after(.keepsAll)
    if adds { try addWithin(vault(over: whole)) } else { try shrink(vault(over: whole)) }
    let operations = whole.operationCount
    #expect(operations > 150)
    var cases = CaseCount("stops of a handover")
    var endings: Set<Bool> = []
    let step = TestLength.isLong ? 1 : 7
    let stops = Array(stride(from: adds ? 1 : 4, to: operations, by: step)) + (operations - 20...operations)
    for (index, stop) in TestLength.sample(Array(stops.enumerated()), 4, kind: { $0.offset % 3 }, name: "\(adds)") {
      let run = storage.after(.keepsAll)
      run.inject(.cut(at: stop))
      if adds { try? addWithin(vault(over: run)) } else { try? shrink(vault(over: run)) }
      let cuts = [PowerCut.keepsAll, .losesAll, .mixed(seed: UInt64(stop))]
      for cut in TestLength.isLong ? cuts : [cuts[index % 3]] {
        let after = run.after(cut)
        after.setMachineStarted(1)
        let comment: Comment = "stopped at \(stop) of \(operations), \(cut)"
        try expectAll(in: vault(over: after), comment)
        #expect((count - NewFile.replacingStep...count + 1).contains(after.names.count), comment)
        var isThere = true
        do throws(VaultError) {
          try SpaceManager.openSpace(in: vault(over: after), password: .of(Self.third)).close()
        } catch {
          #expect(error == .noSpaceOpens, comment)
          isThere = false
        }
        endings.insert(isThere)
        // It made its second slot itself, if only the first was there; and a slot that was being written may have left one.
        #expect((count - NewFile.replacingStep...count + 2).contains(after.names.count), comment)
        cases.add()
        guard case .losesAll = cut else { continue }
        let number = after.names.count
        try shrink(vault(over: after), by: 0)
        #expect(after.names.count == number, comment)
        let sight = try sight(of: after)
        let table = try #require(sight.tables.max { $0.key < $1.key }).value
        #expect(sight.tables.values.allSatisfy { $0.fileCount == table.fileCount }, comment)
        #expect(UInt64(sight.cover.count) <= table.cover.reduce(0) { $0 + $1.count }, comment)
        try expectAll(in: vault(over: after), comment)
      }
    }
    #expect(start > 0 && cases.count > (TestLength.isWhole ? 50 : 3))
    // The first stop is always tried, and leaves nothing; in a sample the space need not be there after any other.
    #expect(endings.contains(false))
    if TestLength.isWhole || !adds { #expect(endings == (adds ? [true, false] : [false])) }
  }

  // MARK: What nobody owns

  @Test func aDrawnNumberOfFilesBelongsToNobody() throws {
    var drawn: Set<Int> = []
    for _ in 0..<8 {
      // At most a twentieth of it is drawn.
      let storage = FaultyStorage(limit: 2 << 30)
      let vault = try SpaceManager.createVault(
        in: storage, options: .small(cover: 1 << 20), password: .of(Self.first), hiddenPassword: .of(Self.owner))
      var explained: Set<SegmentIdentifier> = []
      for password in [Self.first, Self.owner] {
        let space = try SpaceManager.openSpace(in: vault, password: .of(password), readOnly: true)
        let table = try #require(space.owner)
        explained.formUnion(space.segmentIdentifiers() + table.slots)
        for range in table.cover {
          for counter in range.first..<range.end {
            explained.insert(space.keys.coverIdentifier(CoverFile(branch: range.branch, counter: counter)))
          }
        }
      }
      let outside = Set(storage.names).subtracting(explained).count
      #expect(outside >= 4)
      drawn.insert(outside)
    }
    #expect(drawn.count > 2)
  }
}
