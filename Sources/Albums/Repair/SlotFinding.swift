internal import Storage
internal import Vault

/// What is wrong with the two files of the slot that opened a space.
enum SlotFinding {
  /// One that was written once is missing.
  case missing
  /// One does not open.
  case damaged
  /// One is not recorded in the space, so removing the space would leave it.
  case unrecorded
  /// One was never written: an older agonyfs wrote only one, or a crash came between. That is no damage.
  case incomplete

  /// What is wrong; nil if both files are whole. `recorded` are the names that the space has of slot files.
  static func of(_ slot: OpenedSlot, recorded: Set<SegmentIdentifier>) -> SlotFinding? {
    if !slot.damaged.isEmpty { return .damaged }
    if !slot.key.identifiers.allSatisfy({ recorded.contains($0) || slot.missing.contains($0) }) { return .unrecorded }
    if slot.missing.isEmpty { return nil }
    return slot.missing.contains { recorded.contains($0) } ? .missing : .incomplete
  }

  /// What is wrong, as a clause.
  var text: String {
    switch self {
    case .missing: "one of the two slot files of this password is missing; the other opens the space"
    case .damaged: "one of the two slot files of this password is damaged; the other opens the space"
    case .unrecorded: "the slot of this password is not recorded in the space"
    case .incomplete: "this password has one slot file; the next mount that writes adds the second"
    }
  }

  /// What a repair does about it, as a clause.
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
  /// Adds what is wrong with a slot, if something is.
  mutating func add(_ finding: SlotFinding?) {
    guard let finding else { return }
    if finding.isProblem {
      problems.append(Problem(path: nil, text: finding.text))
    } else {
      notes.append(finding.text)
    }
  }
}
