// Brings a damaged space back to one that `check` finds nothing wrong with.
//
// Invariants
// 1. The walk of `check` proposes every step; planning applies them to the index in a transaction that nothing commits,
//    walks again, and goes on until nothing is wrong. So what is shown is what is done, and what is not agreed to is
//    gone with the object.
// 2. Nothing is written before `carryOut()`, and then in one commit; what was copied out of damaged files of the vault
//    is durable before these are given up.
// 3. Only what is named in a step changes: no other inode, and no byte that authenticates.
// 4. The space is locked for writing from the beginning to the end.

internal import Index
package import Vault

/// A repair of one space, planned and perhaps done.
package final class Repair {
  /// Walks over the index; every one comes closer to a tree, so the bound only ends what contradicts itself.
  private static let rounds = 16

  /// What `check` finds, every byte read.
  package private(set) var found = CheckReport()
  /// What is done about it.
  package private(set) var plan = RepairPlan()

  private let vault: Vault
  private let body: SlotBody
  private let slot: [UInt8]?
  let space: Space
  /// The index, or what was made of it in `rebuilt`.
  private(set) var index: Index?
  /// Where an index is that was made anew, until it is written; nil where none had to be.
  private var rebuilt: RebuiltIndexStore?
  /// Segments that are given up after what can be read in them was copied.
  private(set) var damaged: Set<SegmentNumber> = []
  /// Inodes of an index made anew that stand in for lost ones.
  private var replaced: Set<InodeNumber> = []
  /// The directory for what has no other place.
  var lostAndFound: InodeNumber?

  /// Looks at all of a space that was opened for writing, and plans.
  init(of space: Space, in vault: Vault, body: SlotBody, slot: [UInt8]?) {
    self.vault = vault
    self.body = body
    self.slot = slot
    self.space = space
    index = try? Index(space: space)
    let log = Checker.examineLog(of: space)
    found.problems = log.problems
    do throws(IndexError) {
      if let index, log.lostPages.isEmpty, try index.integrityCheck().isEmpty {
        try makePlan(index, suspects: log.suspects)
      } else {
        try rebuild(suspects: log.suspects)
      }
    } catch {
      plan.unrepairable.append("the index cannot be read or changed")
    }
    if let warning = space.origin.warning {
      found.problems.insert(CheckReport.Problem(path: nil, text: warning), at: 0)
      add("the newest state that can be read becomes the state of the space; what came after it is lost", isLoss: true)
    }
    if space.origin.isMissedBySearch { add("a new path to the newest state is written") }
    if !found.isClean, !log.suspects.isEmpty {
      damaged = log.suspects
      add("the readable parts of \(damaged.count) damaged vault files are copied, then these files are given up")
    }
    if !plan.unrepairable.isEmpty { plan.items = [] }
    // Which of the two is the right one nobody but the user can say; nothing is done to either.
    if log.fork != nil {
      plan.unrepairable.append("the other state cannot be joined with this one; its files are left alone")
    }
  }

  private func add(_ text: String, isLoss: Bool = false) {
    plan.items.append(RepairPlan.Item(path: nil, text: text, isLoss: isLoss, lostBytes: nil))
  }

  /// Makes the index anew from what can be read of it, and plans with that.
  private func rebuild(suspects: Set<SegmentNumber>) throws(IndexError) {
    if let index {
      for line in (try? index.integrityCheck()) ?? [] {
        found.problems.append(CheckReport.Problem(path: nil, text: "the index is inconsistent: \(line)"))
      }
    } else {
      found.problems.append(CheckReport.Problem(path: nil, text: "the index cannot be opened"))
    }
    let rows = SalvagedRows(reading: space)
    if rows.isEmpty {
      plan.unrepairable.append("nothing of the index can be read")
      return
    }
    let store = RebuiltIndexStore()
    let made = try Index.rebuilt(from: rows, in: store)
    guard made.index.unlogged?.pageCount ?? 0 <= space.maximumPagesInCommit else {
      plan.unrepairable.append("the index is too large to be rebuilt")
      return
    }
    index = made.index
    rebuilt = store
    replaced = made.recreated
    add("the index is rebuilt from its readable parts", isLoss: rows.lostPages > 0)
    try makePlan(made.index, suspects: suspects)
  }

  private func makePlan(_ index: Index, suspects: Set<SegmentNumber>) throws(IndexError) {
    for round in 0..<Self.rounds {
      let isFirst = round == 0
      var checker = Checker(space: space, index: index, readData: isFirst)
      if rebuilt != nil { checker.replaced = isFirst ? replaced : [] }
      checker.run(suspects: isFirst ? suspects : [], slot: slot)
      if isFirst {
        let log = found.problems
        found = checker.report
        found.problems.insert(contentsOf: log, at: 0)
      }
      plan.unrepairable += checker.unrepairable
      if checker.planned.isEmpty || !plan.unrepairable.isEmpty { return }
      let changes = checker.planned.filter { !$0.step.isDerived }
      // What follows from the rest is counted when the rest is right.
      for planned in changes.isEmpty ? checker.planned : changes {
        guard try apply(planned.step, to: index) else { continue }
        plan.items.append(
          RepairPlan.Item(
            path: planned.path, text: planned.step.text, isLoss: planned.step.isLoss,
            lostBytes: planned.step.lostBytes))
      }
    }
    plan.unrepairable.append("parts of the index contradict each other")
  }

  /// Does what is planned, and checks again; gives what is wrong now. The space is closed then. Call it once, or not at
  /// all.
  ///
  /// - Throws: `.noSpace`; `.readOnly`; `.system`; `.damaged`.
  package func carryOut() throws(VaultError) -> CheckReport {
    guard let index, !plan.isEmpty else { return found }
    do throws(IndexError) {
      try freeOrphans(index)
    } catch {
      throw FileSystemError(error).asVaultError
    }
    for segment in damaged.sorted() { try evacuate(segment, index) }
    do throws(IndexError) {
      // The rows of segments are counted in a commit.
      try index.commit()
      for segment in damaged where try index.liveBytes(in: segment) == 0 { try index.forgetSegment(segment) }
      try index.commit()
    } catch {
      throw FileSystemError(error).asVaultError
    }
    var transaction = LogTransaction()
    transaction.database = index.unlogged
    // A rebuilt index replaces every page.
    if rebuilt == nil { transaction.moving = Set(damaged.flatMap { space.databasePages(in: $0) }) }
    transaction.retiring = damaged.sorted()
    try space.commit(transaction)
    try space.sync()
    rebuilt?.goOn(in: space)
    if let changes = transaction.database { index.noteLogged(changes) }
    try space.close()
    let again = try vault.openSpace(body, readOnly: true)
    defer { try? again.close() }
    return Checker.check(again, readData: false, slot: slot)
  }
}
