import AlbumsSupport
import FaultyStorage
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// Damage of every kind anywhere in the vault's files.
@Suite struct EveryDamageTests {
  private static let ownFiles = 56

  @Test func noWrongByteIsEverReturnedAndTheCheckNamesWhatIsHurt() throws {
    var cases = CaseCount("damaged vaults")
    var (hurt, deleted) = (0, 0)
    for seed in TestLength.seeds(2, few: 2) {
      let work = try Workload(
        storage: FaultyStorage(), seed: seed, ownFiles: Workload.ownFiles(Self.ownFiles, seed: seed))
      try work.run(15)
      try work.synchronize()
      let older = work.storage.copy()
      try work.run(15)
      try work.synchronize()
      try work.files.close()
      deleted += work.storage.deletionCount
      var generator = SeededGenerator(seed: seed)
      for number in 0..<120 {
        let damage = Damage.allCases[number % Damage.allCases.count]
        let storage = work.storage.after(.keepsAll)
        guard let label = damage.apply(to: storage, older, among: work.damageable(number), &generator)
        else { continue }
        if try check(storage, work, "seed \(seed), case \(number): \(label)") { hurt += 1 }
        try goOn(storage, work, "seed \(seed), case \(number): \(label), goes on")
        cases.add()
      }
    }
    #expect(cases.count > 150)
    // Where damage hurts nothing it lies in what is not used; keys are drawn, and so is where that is.
    #expect(hurt > 3)
    #expect(deleted > 4)
  }

  /// Where a space that owns cover may still be written, it has as many files as before after the next mount, and goes
  /// on.
  private func goOn(_ storage: FaultyStorage, _ work: Workload, _ comment: Comment) throws {
    let vault = Vault(storage: storage, parameters: work.vault.parameters)
    let bystander = work.bystanderContents(in: storage)
    guard work.ownFiles > 0, let space = try? vault.openSpace(work.body, copyWindow: 0), space.gate.isOpen,
      let files = try? Workload.mount(space)
    else { return }
    #expect(Workload.ownNames(of: space, in: storage).count == work.ownFiles, comment)
    do {
      if let inode = try? files.make("after") { try files.put(pattern(40_000, 9), inode) }
      try files.close()
    } catch {
      // A page of the index that a commit needs is damaged: it says so, and nothing is changed any more.
      #expect(error as? Errno == .ioError, comment)
      #expect(space.gate.reason != nil, comment)
    }
    #expect(Workload.ownNames(of: space, in: storage).count == work.ownFiles, comment)
    work.expectBystander(bystander, in: storage, comment)
  }

  private func expectDamage(_ comment: Comment, _ body: () throws -> Void) {
    do {
      try body()
    } catch {
      let text = "\(error)"
      #expect(text.hasPrefix("damaged"), comment)
    }
  }

  /// True when a file was hurt.
  private func check(_ storage: FaultyStorage, _ work: Workload, _ label: String) throws -> Bool {
    let comment = Comment(rawValue: label)
    let vault = Vault(storage: storage, parameters: work.vault.parameters)
    guard let space = try? vault.openSpace(work.body, readOnly: true, copyWindow: 0) else {
      expectDamage(comment) { _ = try vault.openSpace(work.body, readOnly: true, copyWindow: 0) }
      return false
    }
    let report = Checker.check(space, readData: true)
    guard let files = try? Workload.mount(space, readOnly: true) else {
      #expect(!report.isClean, comment)
      return false
    }
    defer { try? files.close() }
    // An older state is never shown as the newest.
    var right = work.trees[(work.trees.count - 1)...]
    if space.origin.warning != nil { right = work.trees[...] }
    // A photo whose thumbnail is hurt is whole itself; the thumbnail is made anew.
    let problemsOfFiles = report.problems.filter { !$0.text.hasPrefix("only its thumbnail is damaged") }
    var named = Set(problemsOfFiles.compactMap(\.path))
    var broken: [String] = []
    var isIndexHurt = false
    var rest: [(path: String, folder: InodeNumber)] = [("", .root)]
    while let (path, folder) = rest.popLast() {
      guard let names = try? files.names(of: folder) else {
        isIndexHurt = true
        continue
      }
      for (name, inode) in names {
        let place = path + "/" + name
        guard let attributes = try? files.attributes(of: inode) else {
          isIndexHurt = true
          continue
        }
        if attributes.mode & FileKind.mask == FileKind.directory {
          rest.append((place, inode))
          continue
        }
        do {
          let line = try Tree.line(of: inode, attributes, in: files)
          let isRight = right.contains { $0[place] == line }
          #expect(isRight, "\(label): \(place) shows what it never was")
        } catch {
          #expect(error as? Errno == .ioError, comment)
          broken.append(place)
        }
      }
    }
    if isIndexHurt {
      #expect(!report.isClean, comment)
      return true
    }
    // Where the index itself is hurt the check says that it could not see everything.
    if !report.problems.contains(where: { $0.text.contains("the index cannot be") }) {
      // A file with several names is named by one of them.
      for place in broken where !named.contains(place) {
        let inode = try files.inode(at: place)
        let isNamed = try named.contains { try files.inode(at: $0) == inode }
        #expect(isNamed, "\(label): \(place) is broken, but not named")
      }
      named.subtract(broken)
      #expect(named.isEmpty, "\(label): named, but not broken: \(named)")
    }
    return !broken.isEmpty
  }
}
