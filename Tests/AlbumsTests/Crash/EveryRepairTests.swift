import AlbumsSupport
import FaultyStorage
import Library
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// One to three damages of every kind anywhere in the vault's files, and a repair.
@Suite struct EveryRepairTests {
  private static let ownFiles = 56

  /// With and without cover that the space owns.
  @Test(arguments: [0, ownFiles]) func afterARepairAllIsWellAndWhatIsNotNamedIsAsItWas(_ ownFiles: Int) throws {
    var cases = CaseCount("repaired vaults")
    var losses = 0
    for seed in TestLength.seeds(1, few: 1) {
      let work = try Workload(storage: FaultyStorage(), seed: seed, ownFiles: ownFiles)
      try work.run(15)
      try work.synchronize()
      let older = work.storage.copy()
      try work.run(20)
      try work.synchronize()
      try work.files.close()
      if ownFiles > 0 { #expect(work.storage.deletionCount > 4) }
      for number in TestLength.sample(0..<60, 24, failed: [31], name: "\(seed)") {
        // Of the case alone, so that it is the same in every sample.
        var generator = SeededGenerator(seed: seed << 32 | UInt64(number))
        let storage = work.storage.after(.keepsAll)
        var labels: [String] = []
        for part in 0...number % 3 {
          let damage = Damage.allCases[(number + part) % Damage.allCases.count]
          let label = damage.apply(to: storage, older, among: work.damageable(number), &generator)
          labels += label.map { [$0] } ?? []
        }
        let comment = Comment(rawValue: "seed \(seed), case \(number): \(labels)")
        guard let isLossy = try repair(storage, work, comment) else { continue }
        if isLossy { losses += 1 }
        cases.add()
      }
    }
    #expect(cases.count > (TestLength.isWhole ? 45 : 15))
    #expect(losses > (TestLength.isWhole ? 6 : 0))
  }

  /// Whether something was lost; nil where there is no state of the space any more.
  private func repair(_ storage: FaultyStorage, _ work: Workload, _ comment: Comment) throws -> Bool? {
    let vault = Vault(storage: storage, parameters: work.vault.parameters)
    let operations = storage.operationCount
    let bystander = work.bystanderContents(in: storage)
    var named: Set<String> = []
    var hasLosses = false
    do {
      guard let space = try? vault.openSpace(work.body, acceptOlder: true, scanning: true, copyWindow: 0) else {
        return nil
      }
      let repair = Repair(of: space, in: vault, body: work.body, slot: nil)
      #expect(storage.operationCount == operations, comment)
      guard repair.plan.unrepairable.isEmpty else {
        let left = try repair.carryOut()
        #expect(!left.isClean, comment)
        return true
      }
      #expect(repair.found.isClean == repair.plan.isEmpty, comment)
      let left = try repair.carryOut()
      #expect(left.problems == [], comment)
      named = Set(repair.plan.items.compactMap(\.path))
      hasLosses = repair.plan.hasLosses
    }
    // A mount finds the repaired state, and may write.
    let space = try vault.openSpace(work.body, copyWindow: 0)
    #expect(space.gate.reason == nil, comment)
    #expect(Checker.check(space, readData: true).problems == [], comment)
    let files = try FileSystem(
      space: space, options: FileSystemOptions(logger: quietLogger), changeSink: Library())
    let inodes = Set(named.compactMap { try? files.inode(at: $0) })
    var rest: [(path: String, folder: InodeNumber)] = [("", .root)]
    while let (path, folder) = rest.popLast() {
      for (name, inode) in try files.names(of: folder) where name != "lost+found" {
        let place = path + "/" + name
        let attributes = try files.attributes(of: inode)
        if attributes.mode & FileKind.mask == FileKind.directory {
          rest.append((place, inode))
        } else if !inodes.contains(inode) {
          let line = try Tree.line(of: inode, attributes, in: files)
          #expect(work.trees.contains { $0[place] == line }, "\(comment): \(place) is what it never was")
        }
      }
    }
    try files.put([1, 2, 3], files.make("written after the repair"))
    try files.close()
    work.expectBystander(bystander, in: storage, comment)
    if work.ownFiles > 0 { #expect(Workload.ownNames(of: space, in: storage).count == work.ownFiles, comment) }
    return hasLosses
  }
}
