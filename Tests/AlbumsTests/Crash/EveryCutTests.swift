import AlbumsSupport
import FaultyStorage
import Storage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// Power fails at every operation of the storage, in several ways.
@Suite struct EveryCutTests {
  /// How often each operation is cut: once with all that was not flushed lost, once with nothing lost, and else with
  /// some of it.
  private static let ways: UInt64 = TestLength.isLong ? 4 : 3
  private static let ownFiles = 64
  /// Power cuts in a sample.
  private static let few = 60
  private static let fewOnPlainHosts = 14

  @Test func everyCutLeavesAPrefixWithAllThatWasPromised() throws {
    var cases = CaseCount("power cuts")
    var thumbnails = CaseCount("thumbnails after power cuts")
    var deleted = CaseCount("files deleted before power cuts")
    for seed in TestLength.seeds(2, few: 1) {
      let storage = FaultyStorage()
      storage.record()
      let work = try Workload(storage: storage, seed: seed, ownFiles: Workload.ownFiles(Self.ownFiles, seed: seed))
      try work.run(60)
      try goOn(work)
      deleted.add(storage.deletionCount)
      if work.ownFiles > 0 { #expect(storage.deletionCount > 0) }
      try cutEverywhere(work, Self.few, "\(seed)", seed, &cases, &thumbnails)
    }
    #expect(TestLength.isWhole ? cases.count > 2000 : cases.count == Self.few)
    #expect(thumbnails.count > (TestLength.isWhole ? 1000 : 0))
    if TestLength.isWhole { #expect(deleted.count > 12) }
  }

  /// The same on hosts that cannot be mounted in a test. Where no births are kept, or no room is held, the space owns no
  /// cover: else it would hold no room anyway.
  @Test(arguments: PlainHosts.all)
  func everyCutOnAPlainHostLeavesAllThatWasPromised(_ lacking: Set<HostAbility>) throws {
    var cases = CaseCount("power cuts on a host without \(PlainHosts.name(lacking))")
    var thumbnails = CaseCount("thumbnails after them")
    let seed: UInt64 = lacking.isDisjoint(with: [.births, .allocation]) ? 2 : 1
    let storage = FaultyStorage(clock: { 1 })
    storage.lack(lacking)
    storage.record()
    let work = try Workload(storage: storage, seed: seed, ownFiles: Workload.ownFiles(Self.ownFiles, seed: seed))
    try work.run(20)
    try goOn(work)
    try cutEverywhere(work, Self.fewOnPlainHosts, PlainHosts.name(lacking), seed, &cases, &thumbnails)
    #expect(TestLength.isWhole ? cases.count > 200 : cases.count == Self.fewOnPlainHosts)
  }

  /// What happens at the end of a workload.
  private func goOn(_ work: Workload) throws {
    try work.useOtherSpace()
    try work.changePassword()
    try work.importAlbum()
    work.abandon()
  }

  private func cutEverywhere(
    _ work: Workload, _ few: Int, _ name: String, _ seed: UInt64, _ cases: inout CaseCount,
    _ thumbnails: inout CaseCount
  ) throws {
    let player = TapePlayer(work.storage.recording)
    // Cover is made by the same calls as in a space that is cut while it is made.
    let first = work.ownFiles == 0 ? 1 : work.opens[0].from
    let all = (first...work.storage.operationCount).flatMap { operation in
      (0..<Self.ways).map { (operation: operation, way: $0) }
    }
    for (operation, way) in TestLength.sample(all, few, kind: { $0.way }, name: name) {
      player.wind(to: operation)
      let tear = UInt64(operation) * 64 + way
      let cut: PowerCut = way == 0 ? .losesAll : way == 1 ? .keepsAll : .mixed(seed: tear ^ seed << 32)
      let found = player.cut(cut, seed: tear)
      let trial = Trial(
        work: work, storage: found, operation: operation, label: "\(name), operation \(operation), way \(way)")
      if way == 1 { trial.expectNumber() }
      let number = UInt64(operation) + way
      // The last is in every sample, and has more thumbnails than most.
      let checks = TestLength.isLong || number % 3 == 0 || operation == work.storage.operationCount
      thumbnails.add(try trial.check(goesOn: number % 10 == 0, checks: checks))
      cases.add()
    }
  }
}

/// One power cut.
private struct Trial {
  let work: Workload
  let storage: FaultyStorage
  let operation: Int
  let label: String
  var comment: Comment { Comment(rawValue: label) }
  var vault: Vault { Vault(storage: storage, parameters: work.vault.parameters) }

  /// Looks at the whole tree and at what was promised. With `checks` at all that a check looks at, and at thumbnails;
  /// with `goesOn` something is written afterwards, and must survive another loss.
  ///
  /// - Returns: how many thumbnails there were.
  func check(goesOn: Bool, checks: Bool) throws -> Int {
    let isNear = { (at: Int) in abs(at - operation) < 12 }
    try checkPasswords(all: work.opens.contains { isNear($0.from) || isNear($0.to) })
    // While the space is being made there need not be one.
    guard let promise = work.promises.last(where: { $0.operation < operation }) else { return 0 }
    let space = try vault.openSpace(work.body, readOnly: true, copyWindow: 0)
    expectNoWarning(space)
    if checks { #expect(Checker.check(space, readData: true).problems == [], comment) }
    let files = try Workload.mount(space, readOnly: true)
    let tree = try Tree(of: files)
    var thumbnails = checks ? try checkThumbnails(files, tree) : 0
    let last = work.begun.lastIndex { $0 < operation } ?? 0
    let isPrefix = work.trees[promise.step...max(promise.step, last)].contains(tree)
    #expect(isPrefix, comment)
    try files.close()
    if goesOn {
      thumbnails += try goOn(tree)
    } else if checks {
      try work.expectOwnFiles(in: storage, alone: isAlone, comment)
    }
    return thumbnails
  }

  /// Where no births are kept, a vault counts as a copy: what a power cut lost that was not promised may make it an
  /// unfinished one.
  private func expectNoWarning(_ space: Space) {
    let mayBeUnfinished = isCopy && space.origin.isUnfinishedCopy
    #expect(space.origin.warning == nil || mayBeUnfinished, comment)
  }

  private var isCopy: Bool { storage.lacks(.births) }

  /// At every moment there are nearly as many files as ever: those of a segment or a head are made before as many go, and
  /// some go before as many are made.
  func expectNumber() {
    if work.ownFiles == 0 || !isAlone { return }
    let found = storage.names.count { !FaultyStorage.isTemporary($0) }
    let number = work.ownFiles + work.bystander.count
    #expect((number - NewFile.replacingStep...number + 4).contains(found), comment)
  }

  /// Whether no space is there that comes and goes.
  private var isAlone: Bool {
    !work.otherSpace.contains { $0.making.lowerBound <= operation && operation <= $0.removing.upperBound }
  }

  private func checkThumbnails(_ files: FileSystem, _ tree: Tree) throws -> Int {
    var found = 0
    for (path, line) in tree where line != "folder" {
      if try files.expectThumbnail(of: try files.inode(at: path), comment) { found += 1 }
    }
    return found
  }

  /// Makes all thumbnails that are still missing, too.
  private func goOn(_ tree: Tree) throws -> Int {
    let files = try Workload.mount(try vault.openSpace(work.body, acceptOlder: isCopy, copyWindow: 0))
    let thumbnails = try checkThumbnails(files, tree)
    try files.make("after", with: pattern(40_000, operation))
    try files.synchronize()
    files.stopThreads()
    let left = storage.after(.losesAll)
    let vault = Vault(storage: left, parameters: work.vault.parameters)
    let again = try Workload.mount(work.body, in: vault)
    var shown = try Tree(of: again)
    let content = try again.get(try again.find("after").inode)
    #expect(isSame(content, pattern(40_000, operation)), comment)
    shown["/after"] = nil
    let isSameTree = shown == tree
    #expect(isSameTree, comment)
    try again.close()
    try work.expectOwnFiles(in: left, alone: isAlone, comment)
    try vault.expectSound(work.body, comment)
    return thumbnails
  }

  /// Only near where something happens to them.
  private func checkPasswords(all: Bool) throws {
    if all {
      var openings = 0
      for password in 0...1 {
        guard (try? vault.openSlot(try vault.slotKeys(for: Workload.passwords[password]))) != nil else { continue }
        openings += 1
      }
      if work.opens.contains(where: { $0.from < operation }) { #expect(openings > 0, comment) }
      for period in work.opens where period.from < operation && operation < period.to {
        #expect(throws: Never.self, comment) {
          _ = try vault.openSlot(try vault.slotKeys(for: Workload.passwords[period.password]))
        }
      }
    }
    for other in work.otherSpace where operation >= other.making.lowerBound && operation <= other.removing.upperBound {
      try checkOther(mustOpen: operation > other.making.upperBound && operation < other.removing.lowerBound)
    }
  }

  private func checkOther(mustOpen: Bool) throws {
    let slots = try vault.slotKeys(for: Workload.passwords[2])
    guard let body = try? vault.openSlot(slots).body else {
      #expect(!mustOpen, comment)
      return
    }
    let space = try vault.openSpace(body, readOnly: true, copyWindow: 0)
    expectNoWarning(space)
    #expect(Checker.check(space, readData: true).problems == [], comment)
  }
}
