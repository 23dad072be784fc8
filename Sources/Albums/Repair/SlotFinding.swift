internal import Storage
internal import Vault

/// A problem of the two files of the slot that opened a space.
enum SlotFinding {
  /// A file that was written before is missing.
  case missing
  /// A file does not open.
  case damaged
  /// A file is not recorded in the space, so removing the space would leave it.
  case unrecorded
  /// A file was never written, because an older agonyfs wrote only one, or after a crash. This does not count as
  /// damage.
  case incomplete

  /// The problem; nil if both files are whole. `recorded` are the names of slot files that the space knows.
  static func of(_ slot: OpenedSlot, recorded: Set<SegmentIdentifier>) -> SlotFinding? {
    if !slot.damaged.isEmpty { return .damaged }
    if !slot.key.identifiers.allSatisfy({ recorded.contains($0) || slot.missing.contains($0) }) { return .unrecorded }
    if slot.missing.isEmpty { return nil }
    return slot.missing.contains { recorded.contains($0) } ? .missing : .incomplete
  }

  /// The problem, as a clause.
  var text: String {
    switch self {
    case .missing: "one of the two slot files of this password is missing; the other opens the space"
    case .damaged: "one of the two slot files of this password is damaged; the other opens the space"
    case .unrecorded: "the slot of this password is not recorded in the space"
    case .incomplete: "this password has one slot file; the next mount that writes adds the second"
    }
  }

  /// The repair of it, as a clause.
  var repair: String {
    switch self {
    case .unrecorded: "the slot of this password is recorded in the space"
    case .missing, .damaged, .incomplete: "the slot file of this password is written again"
    }
  }

  /// Whether it is damage.
  var isProblem: Bool { self != .incomplete }
}

extension CheckReport {
  /// Adds the problem of a slot, if there is one.
  mutating func add(_ finding: SlotFinding?) {
    guard let finding else { return }
    if finding.isProblem {
      problems.append(Problem(path: nil, text: finding.text))
    } else {
      notes.append(finding.text)
    }
  }
}
