internal import Albums
internal import ArgumentParser
internal import Crypto
internal import Vault

/// `agonyfs check --repair`: shows the damage and the planned steps, asks, repairs, and shows the remaining damage.
struct RepairDialogue {
  let vault: Vault
  let isAgreedTo: Bool
  let isJSON: Bool

  func run(_ password: Password) throws {
    let repair = try SpaceManager.planRepair(in: vault, password: password)
    var result = RepairResult(repair)
    if !isJSON { result.planLines.forEach(Output.line) }
    if !repair.plan.isEmpty, isAgreedTo || !isJSON && Terminal()?.confirm("Do that?") ?? false {
      result.add(try repair.carryOut(), losses: repair.plan.hasLosses)
      if !isJSON { result.endLines.forEach(Output.line) }
    } else if !repair.plan.isEmpty {
      Output.note("Nothing was changed; to repair, answer y at a terminal or add --yes.")
    } else if !result.unrepairable.isEmpty {
      Output.note("Nothing was changed; restore from a backup what cannot be repaired.")
    }
    if isJSON { try Output.json(result) }
    if !result.isWell { throw ExitCode(CommandStatus.damage.rawValue) }
  }
}

/// The output of `check --repair`. The names of its fields are those of `--json` and never change.
struct RepairResult: Encodable {
  struct Step: Encodable {
    /// The path inside the space; null if the step concerns no file.
    var path: String?
    var step: String
    /// Whether data is lost that only a backup has.
    var isLoss: Bool
    /// The range of the lost bytes; null if the step loses no range.
    var lostFrom: Int64?
    var lostTo: Int64?
  }

  var found: CheckResult
  var steps: [Step]
  var unrepairable: [String]
  var isDone = false
  var hasLosses = false
  /// The check after the repair; null if nothing was done.
  var left: CheckResult?

  init(_ repair: Repair) {
    found = CheckResult(repair.found, readData: true)
    steps = repair.plan.items.map {
      Step(
        path: $0.path, step: $0.text, isLoss: $0.isLoss, lostFrom: $0.lostBytes?.lowerBound,
        lostTo: $0.lostBytes?.upperBound)
    }
    unrepairable = repair.plan.unrepairable
  }

  mutating func add(_ report: CheckReport, losses: Bool) {
    isDone = true
    hasLosses = losses
    left = CheckResult(report, readData: false)
  }

  /// Whether nothing is damaged and nothing was lost.
  var isWell: Bool { left.map { $0.isClean && !hasLosses } ?? found.isClean }

  /// The damage and the planned steps, for users.
  var planLines: [String] {
    found.lines
      + steps.map { step in
        let text = step.path.map { "\($0): \(step.step)" } ?? step.step
        return step.isLoss ? "lost: \(text)" : "repair: \(text)"
      } + unrepairable.map { "cannot be repaired: \($0)" }
  }

  /// The outcome, for users.
  var endLines: [String] {
    guard let left else { return [] }
    if !left.isClean { return ["Repaired as far as possible. These problems are left:"] + left.lines }
    return [hasLosses ? "Repaired; everything listed as lost is lost." : "Repaired; nothing was lost."]
  }
}
