// Repairs a damaged space, so that `check` finds nothing wrong with it.
//
// Invariants
// 1. The walk of `check` proposes every step. Planning applies the steps in a transaction that is never committed,
//    walks again, and repeats this until nothing is wrong. So the plan that is shown is the one that is carried out,
//    and a plan that is not carried out leaves no trace.
// 2. Nothing is written before `carryOut()`, and then in one commit. Data that was copied out of damaged files of the
//    vault is durable before these are given up.
// 3. Only the things that a step names change: no other inode, and no byte that authenticates.
// 4. The space is locked for writing from the beginning to the end.

internal import Index
internal import Synchronization
internal import System
package import Vault

/// A repair of one space: its plan, and its execution.
package final class Repair {
  /// The most walks over the index. Each comes closer to a tree, so the bound only ends contradictions.
  private static let rounds = 16

  /// The findings of `check`, with every byte read.
  package private(set) var found = CheckReport()
  /// The plan.
  package private(set) var plan = RepairPlan()

  private let vault: Vault
  private let body: SlotBody
  private let slot: OpenedSlot?
  /// Whether the slot is recorded, and its files are written again.
  private var restoresSlot = false
  let space: Space
  /// The index, or the one that was rebuilt from it.
  private(set) var index: Index?
  /// The store of a rebuilt index until that is written; nil if none was rebuilt.
  private var rebuilt: RebuiltIndexStore?
  /// Segments that are given up after their readable parts were copied.
  private(set) var damaged: Set<SegmentNumber> = []
  /// Inodes of a rebuilt index that stand in for lost ones.
  private var replaced: Set<InodeNumber> = []
  /// The directory for everything without another place.
  var lostAndFound: InodeNumber?

  /// Checks all of a space that was opened for writing, and plans.
  init(of space: Space, in vault: Vault, body: SlotBody, slot: OpenedSlot?) {
    self.vault = vault
    self.body = body
    self.slot = slot
    self.space = space
    index = try? Index(space: space)
    let log = Checker.examineLog(of: space)
    found = CheckReport(log.problems)
    found.stateNumber = space.stateNumber
    do throws(IndexError) {
      if let index, log.lostPages.isEmpty, try index.integrityCheck().isEmpty {
        try makePlan(index, suspects: log.suspects)
      } else {
        try rebuild(suspects: log.suspects)
      }
    } catch {
      plan.unrepairable.append("the index cannot be read or changed")
    }
    if let finding = slot.flatMap({ SlotFinding.of($0, recorded: SlotRecords.names(of: space)) }) {
      found.add(finding)
      restoresSlot = finding.isProblem
      if restoresSlot { add(finding.repair) }
    }
    if let warning = space.origin.warning {
      found.problems.insert(CheckReport.Problem(path: nil, text: warning), at: 0)
      add("the newest state that can be read becomes the state of the space; later changes are lost", isLoss: true)
    }
    if let missing = log.missing {
      let files = missing.count.counted("file is", "files are")
      add("\(files) made as cover to replace the missing ones, whose content is lost", isLoss: true)
    }
    if space.origin.isMissedBySearch { add("a new path to the newest state is written") }
    if !found.isClean, !log.suspects.isEmpty {
      damaged = log.suspects
      let files = damaged.count.counted("damaged vault file")
      add("the readable parts of \(files) are copied, then \(damaged.count == 1 ? "it is" : "they are") given up")
    }
    if !plan.unrepairable.isEmpty { plan.items = [] }
    // Only the user can decide which branch is right. Neither is changed.
    if log.fork != nil {
      plan.unrepairable.append("the other state cannot be joined with this one; its files are not changed")
    }
  }

  private func add(_ text: String, isLoss: Bool = false) {
    plan.items.append(RepairPlan.Item(path: nil, text: text, isLoss: isLoss, lostBytes: nil))
  }

  /// Rebuilds the index from its readable parts, and plans with that.
  private func rebuild(suspects: Set<SegmentNumber>) throws(IndexError) {
    let lines = index.map { index in ((try? index.integrityCheck()) ?? []).map { "the index is inconsistent: \($0)" } }
    found.problems += CheckReport(lines ?? ["the index cannot be opened"]).problems
    let rows = SalvagedRows(reading: space)
    if rows.isEmpty {
      plan.unrepairable.append("no part of the index can be read")
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
      checker.run(suspects: isFirst ? suspects : [])
      if isFirst {
        let log = found.problems
        found = checker.report
        found.problems.insert(contentsOf: log, at: 0)
      }
      plan.unrepairable += checker.unrepairable
      if checker.planned.isEmpty || !plan.unrepairable.isEmpty { return }
      let changes = checker.planned.filter { !$0.step.isDerived }
      // Totals are counted last, when everything else is right.
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

  /// Carries out the plan, checks again, and returns the remaining problems. The space is closed then. Call it at most
  /// once.
  ///
  /// - Throws: `.damaged`; `.noSpace`; `.readOnly`; `.indexFailed`; `.system`.
  package func carryOut() throws(VaultError) -> CheckReport {
    guard let index, !plan.isEmpty else { return found }
    try space.cover.prepareFiles()
    try VaultError.ofIndex { () throws(IndexError) in try freeOrphans(index) }
    for segment in damaged.sorted() { try evacuate(segment, index) }
    try VaultError.ofIndex { () throws(IndexError) in
      // It follows from the files, and is filled again.
      if rebuilt == nil { try index.catalog.emptyCatalog() }
      // A commit counts the rows of segments.
      try index.commit()
      for segment in damaged where try index.liveBytes(in: segment) == 0 { try index.forgetSegment(segment) }
      try index.commit()
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
    var slot = slot
    if restoresSlot, let broken = slot {
      try SlotRecords.change(of: space, adding: broken.key.identifiers)
      try vault.restoreSlot(broken, replacingDamaged: true, of: space)
      try space.cover.restoreFileCount()
      slot = try vault.openSlot([broken.key])
    }
    try space.close()
    let again = try vault.openSpace(body, readOnly: true)
    defer { try? again.close() }
    return Checker.check(again, readData: false, slot: slot)
  }
}

/// The store of a rebuilt index. It has no page until `goOn(in:)`: the index keeps its commits in memory until the log
/// of a space has them. There it replaces all pages of the old index.
final class RebuiltIndexStore: PageStore {
  private let space = Mutex<Space?>(nil)

  var databasePageCount: UInt32 { 0 }

  /// Reads pages from the space from now on, because the log of the space has them.
  func goOn(in space: Space) { self.space.withLock { $0 = space } }

  func readPage(_ number: PageNumber, into page: UnsafeMutableRawBufferPointer) throws(VaultError) {
    guard let space = space.withLock({ $0 }) else { throw .damaged("a page was never written") }
    try unsafe space.readPage(number, into: page)
  }
}
