// Checks spaces.
//
// Invariants
// 1. A check with one password reveals nothing about files that belong to no space of that password.

package import Crypto
internal import Storage
package import Vault

/// The results of the checks of several spaces of a vault, and the rest of the vault.
package struct JointCheckReport: Sendable {
  /// One for each password, in their order; nil for one that opens the same space as an earlier one.
  package let reports: [CheckReport?]
  /// Files of the vault that belong to more than one of the spaces, which is an error.
  package let claimedTwice: Int
  /// Files of the vault that belong to one of the spaces.
  package let explainedFiles: Int
  /// Files that belong to none of the spaces, and their bytes: cover without an owner, and files of spaces of other
  /// passwords.
  package let unexplainedFiles: Int
  package let unexplainedBytes: Int64

  /// Whether nothing is wrong.
  package var isClean: Bool { claimedTwice == 0 && reports.allSatisfy { $0?.isClean ?? true } }
}

extension SpaceManager {
  /// Verifies everything that a password reaches: the log's segments and chain, the database's pages, the integrity of
  /// the index, names, link counts, extents and counters. With `readData`, also every byte of every file. Changes
  /// nothing.
  ///
  /// - Throws: `.noSpaceOpens`; `.spaceInUse` while the space is mounted; `.damaged` when no state of the space is
  ///   found; `.system`.
  package static func check(in vault: Vault, password: Password, readData: Bool) throws(VaultError) -> CheckReport {
    let slot = try vault.openSlot(try vault.slotKeys(for: password))
    let space = try vault.openSpace(slot.body, readOnly: true, scanning: true)
    return report(on: space, slot, in: vault, readData: readData)
  }

  /// Checks the space of each password, and counts the files of the vault that belong to none of them.
  ///
  /// - Throws: the errors of a check with one password, for any of them.
  package static func check(
    in vault: Vault, passwords: [Password], readData: Bool
  ) throws(VaultError) -> JointCheckReport {
    var slots: [OpenedSlot] = []
    for password in passwords { slots.append(try vault.openSlot(try vault.slotKeys(for: password))) }
    // All stay open to the end, so that no process writes them before the files are counted.
    var spaces: [(space: Space, body: SlotBody)] = []
    var reports: [CheckReport?] = []
    var claims: [SegmentIdentifier: Set<Int>] = [:]
    for slot in slots {
      var number = spaces.firstIndex { $0.body.opensSameSpace(as: slot.body) }
      reports.append(nil)
      if number == nil {
        let space = try vault.openSpace(slot.body, readOnly: true, scanning: true)
        reports[reports.count - 1] = report(on: space, slot, in: vault, readData: readData)
        number = spaces.count
        spaces.append((space, slot.body))
      }
      for name in slot.key.identifiers { claims[name, default: []].insert(number ?? 0) }
    }
    for (number, space) in spaces.map(\.space).enumerated() {
      for name in try space.attributableFiles().union(SlotRecords.names(of: space)) {
        claims[name, default: []].insert(number)
      }
    }
    let sizes = try vault.fileSizes()
    let unexplained = sizes.filter { claims[$0.key] == nil }
    return JointCheckReport(
      reports: reports, claimedTwice: sizes.keys.count { (claims[$0]?.count ?? 0) > 1 },
      explainedFiles: sizes.count - unexplained.count, unexplainedFiles: unexplained.count,
      unexplainedBytes: unexplained.reduce(0) { $0 + Int64($1.value) })
  }

  private static func report(on space: Space, _ slot: OpenedSlot, in vault: Vault, readData: Bool) -> CheckReport {
    var report = Checker.check(space, readData: readData, slot: slot)
    report.notes += KnownDerivations(of: space, in: vault).warnings
    if let warning = space.origin.warning, space.origin.isUnfinishedCopy {
      report.notes.append(warning)
    } else if let warning = space.origin.warning {
      report.problems.insert(CheckReport.Problem(path: nil, text: warning), at: 0)
    }
    return report
  }
}
