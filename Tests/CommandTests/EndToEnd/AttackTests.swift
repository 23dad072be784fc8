import TestSupport
import Testing

@testable import agonyfs

/// `Tests/Attacks/attacks.py` tries every known attack on the program.
@Suite struct AttackTests {
  private static let ext4 = CrashLoad.canMount("ext4")

  /// Those of which one is declared to work: how many do not.
  private static let declared = [
    ("looks", 32), ("piled_backup", 0), ("short_length", 0), ("old_slot", 1), ("carved_slots", 2),
  ]
  /// The others.
  private static let others = [
    ("weak_derivation", 1), ("added_cover", 7), ("redirected_mount", 1), ("cloned_mount_table", 1),
  ]

  @Test(.enabled(if: ext4, "needs root, loop devices and ext4"))
  func onlyDeclaredAttacksWork() throws {
    let attacks = Self.declared + TestLength.sample(Self.others, 3)
    let root = #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 }
    let outcome = try Outcome(
      "/usr/bin/python3",
      arguments: [root + "/Tests/Attacks/attacks.py", Workspace.program] + attacks.map(\.0), limit: 3600)
    print(outcome.output)
    #expect(outcome.status == 0, "\(outcome)")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("fails: ") } == attacks.reduce(0) { $0 + $1.1 })
    #expect(lines.count { $0.hasPrefix("DECLARED: ") } == 6)
  }
}
