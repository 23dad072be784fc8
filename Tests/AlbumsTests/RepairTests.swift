import AlbumsSupport
import FaultyStorage
import Index
import TestSupport
import Testing

@testable import Albums
@testable import Vault

@Suite struct RepairTests {
  /// Repairs, and makes sure that all is well then and that nothing but `touched` changed; gives the steps.
  private func repair(_ vault: TestVault, touching touched: Set<String>) throws -> [String] {
    let before = try vault.contents()
    let operations = vault.storage.operationCount
    var repair: Repair? = try vault.plannedRepair()
    let found = try #require(repair?.found)
    #expect(!found.isClean)
    #expect(vault.storage.operationCount == operations)
    let items = repair?.plan.items ?? []
    #expect(repair?.plan.unrepairable == [])
    let left = try #require(try repair?.carryOut())
    #expect(left.problems == [])
    repair = nil
    let after = try vault.contents()
    for (path, old) in before where !touched.contains(path) {
      let new = try #require(after[path], "\(path) is gone")
      #expect(new.record == old.record, "\(path)")
      #expect(old.bytes.map { isSame($0, new.bytes ?? []) } ?? (new.bytes == nil), "\(path)")
    }
    #expect(try vault.plannedRepair().found.problems == [])
    // The space works.
    try vault.mount()
    try vault.files.make("new", with: pattern(100, 1))
    try vault.files.close()
    return items.map { "\($0.path ?? "-"): \($0.text)" }
  }

  @Test func nothingIsDoneWhereNothingIsWrong() throws {
    let vault = try TestVault.filled()
    let operations = vault.storage.operationCount
    let repair = try vault.plannedRepair()
    #expect(repair.found.problems == [] && repair.plan.isEmpty && repair.plan.unrepairable == [])
    #expect(repair.found.readBytes == 20 * 60_000 + 50_000)
    _ = try repair.carryOut()
    #expect(vault.storage.operationCount == operations)
  }

  @Test func whatIsNotAgreedToIsNotDone() throws {
    let vault = try TestVault.filled()
    try vault.changeIndex { (index) throws(IndexError) in try index.deleteDentry(parent: .root, name: .of("s")) }
    let operations = vault.storage.operationCount
    do {
      let repair = try vault.plannedRepair()
      #expect(!repair.plan.isEmpty)
    }
    #expect(vault.storage.operationCount == operations)
    #expect(try !vault.plannedRepair().found.isClean)
  }

  @Test func countsAreMadeAnew() throws {
    let vault = try TestVault.filled()
    try vault.changeIndex { (index) throws(IndexError) in
      var (record, root) = (try index.record(at: "/again"), try index.record(at: ""))
      guard let life = try index.segmentLives(after: nil, limit: 1).first else { throw .damaged }
      record.links = 7
      record.allocated = 1
      root.links = 9
      try index.update(record)
      try index.update(root)
      try index.setLiveBytes(in: life.segment, to: life.liveBytes + 5)
      try index.setTotals(inodes: 3, liveBytes: 4)
    }
    let steps = try repair(vault, touching: ["", "/again", "/d/e/f0"])
    #expect(steps.count == 5)
    #expect(steps.contains("/: its link count becomes 3"))
    #expect(steps.contains("/d/e/f0: its link count becomes 2") || steps.contains("/again: its link count becomes 2"))
  }

  @Test func whatHasNoNameComesToLostAndFound() throws {
    let vault = try TestVault.filled()
    var lost = InodeNumber.root
    var target = InodeNumber.root
    try vault.changeIndex { (index) throws(IndexError) in
      lost = try index.record(at: "/d/e/f3").number
      target = try index.record(at: "/d").number
      try index.deleteDentry(parent: index.record(at: "/d/e").number, name: .of("f3"))
      try index.deleteDentry(parent: .root, name: .of("d"))
    }
    let gone = Set(["", "/d", "/d/e"] + (0..<20).map { "/d/e/f\($0)" })
    let steps = try repair(vault, touching: gone)
    #expect(steps.contains("-: inode \(lost.rawValue) has no name and gets one in lost+found"))
    let after = try vault.contents()
    #expect(isSame(try #require(after["/lost+found/#\(lost.rawValue)"]?.bytes), pattern(60_000, 3)))
    #expect(isSame(try #require(after["/lost+found/#\(target.rawValue)/e/f7"]?.bytes), pattern(60_000, 7)))
  }

  @Test func namesThatLeadNowhereGo() throws {
    let vault = try TestVault.filled()
    try vault.changeIndex { (index) throws(IndexError) in
      try index.deleteInode(index.record(at: "/s").number)
      try index.media.setMedia(MediaRecord(inode: InodeNumber(rawValue: 999), state: .pending))
    }
    let steps = try repair(vault, touching: ["", "/s"])
    #expect(steps.contains("/s: the name leads nowhere and is removed"))
    #expect(try vault.contents()["/s"] == nil)
  }

  @Test func directoriesThatHoldEachOtherAreFound() throws {
    let vault = try TestVault.filled()
    try vault.changeIndex { (index) throws(IndexError) in _ = try index.moveIntoItself() }
    _ = try repair(vault, touching: [""])
    let after = try vault.contents()
    #expect(after.keys.contains { $0.hasPrefix("/lost+found/") && $0.hasSuffix("e/f19") || $0.hasSuffix("/f19") })
  }

  @Test func attributesAndLinksFitAgain() throws {
    let vault = try TestVault.filled()
    try vault.changeIndex { (index) throws(IndexError) in
      try index.attributes.removeAll(of: index.record(at: "/d").number)
      var (link, file) = (try index.record(at: "/s"), try index.record(at: "/again"))
      (link.size, file.size) = (5, 100)
      for changed in [link, file] { try index.update(changed) }
      try index.addOrphan(file.number)
      try index.attributes.set(named: [97], of: InodeNumber(rawValue: 888), to: [1])
    }
    let steps = try repair(vault, touching: ["/d", "/s", "/again", "/d/e/f0"])
    #expect(steps.contains("/d: its extended attributes are lost"))
    // What a row says of the size is not doubted: data behind the end may be what a full disk and a crash left.
    #expect(try vault.contents()["/again"]?.bytes?.count == 100)
  }

  @Test func whatCannotBeReadBecomesAHole() throws {
    let vault = try TestVault.filled()
    // The second sealed part of the file's only record.
    try vault.damage("/d/e/f5", at: 48 + 8208 + 100)
    let repairing = try vault.plannedRepair()
    #expect(repairing.plan.unrepairable == [])
    let losses = repairing.plan.items.filter(\.isLoss)
    #expect(losses.map(\.path) == ["/d/e/f5"] && losses.first?.lostBytes == 8192..<16_384)
    #expect(try repairing.carryOut().problems == [])
    let after = try vault.contents()
    let bytes = try #require(after["/d/e/f5"]?.bytes)
    var expected = pattern(60_000, 5)
    expected.replaceSubrange(8192..<16_384, with: [UInt8](repeating: 0, count: 8192))
    #expect(isSame(bytes, expected))
    for file in 1..<20 where file != 5 {
      #expect(isSame(try #require(after["/d/e/f\(file)"]?.bytes), pattern(60_000, file)))
    }
  }

  /// A segment file that holds data is gone, cut short, or has a record that does not authenticate in the middle.
  @Test(arguments: 0..<3)
  func whatIsInOtherFilesOfTheVaultStays(_ kind: Int) throws {
    let vault = try TestVault()
    for index in 0..<8 { try vault.files.put(pattern(700_000, index), vault.files.make("f\(index)")) }
    try vault.files.close()
    let space = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
    let name = try space.nameOfSegmentWithData()
    try space.close()
    vault.storage.tamper(name) { content in
      var content = content
      switch kind {
      case 0: return nil
      case 1: return Array(content.prefix(300_000))
      default:
        // The header of the first record.
        content[SegmentFormat.recordsStart + 5] ^= 1
        content[500_000] ^= 1
        return content
      }
    }
    let before = try vault.contents()
    let repairing = try vault.plannedRepair()
    #expect(repairing.plan.hasLosses)
    #expect(try repairing.carryOut().problems == [])
    let after = try vault.contents()
    for (path, old) in before {
      guard let bytes = old.bytes else { continue }
      #expect(isSame(bytes, after[path]?.bytes ?? []), "\(path)")
    }
    // Every file reads again: with what it had, or zeros where something is lost.
    for index in 0..<8 {
      var expected = pattern(700_000, index)
      for item in repairing.plan.items where item.path == "/f\(index)" {
        guard let lost = item.lostBytes else { continue }
        expected.replaceSubrange(
          Int(lost.lowerBound)..<Int(lost.upperBound), with: [UInt8](repeating: 0, count: lost.count))
      }
      #expect(isSame(after["/f\(index)"]?.bytes ?? [], expected), "f\(index)")
    }
  }

  /// The search for the newest head misses it when one that leads there is gone; the headers of the files tell.
  @Test func aLostHeadOnTheWayToTheNewestIsNoLoss() throws {
    let vault = try TestVault.filled()
    let keys = SpaceKeys(vault.body)
    var newest = UInt32(0)
    var rounds = Rounds(until: "there is such a state")
    // On to a state that has an older head on the way to it.
    repeat {
      try rounds.begin()
      try vault.changeIndex { (index) throws(IndexError) in
        try index.setMeta("test", to: Int64.random(in: 0...Int64.max))
      }
      let space = try vault.vault.openSpace(vault.body, readOnly: true)
      newest = space.log.locked({ $0.catalog.heads.last })?.epoch.rawValue ?? 0
      try space.close()
    } while newest & (newest - 1) == 0
    let before = try vault.contents()
    let lost = UInt32(1) << (31 - UInt32(newest.leadingZeroBitCount))
    vault.storage.tamper(keys.headIdentifier(EpochNumber(rawValue: lost))) { _ in nil }
    let space = try vault.vault.openSpace(vault.body, acceptOlder: true, scanning: true)
    #expect(space.origin.isMissedBySearch)
    let repair = Repair(of: space, in: vault.vault, body: vault.body, slot: nil)
    #expect(!repair.plan.hasLosses && !repair.plan.isEmpty)
    #expect(try repair.carryOut().problems == [])
    let after = try vault.contents()
    #expect(before.keys.sorted() == after.keys.sorted())
    for (path, old) in before where old.bytes != nil {
      #expect(after[path]?.record == old.record)
      #expect(isSame(after[path]?.bytes ?? [], old.bytes ?? []))
    }
  }
}
