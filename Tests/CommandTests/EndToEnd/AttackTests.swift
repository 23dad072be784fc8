import TestSupport
import Testing

/// `Tests/Attacks/attacks.py` tries every known attack on the program.
@Suite struct AttackTests {
  private static let ext4 = CrashLoad.canMount("ext4")

  /// How many lines say that an attack fails, and that one that is declared works.
  private typealias Attack = (name: String, fail: Int, declared: Int)
  /// Those of which one is declared to work.
  private static let declared: [Attack] = [
    ("piled_backup", 0, 1), ("old_list", 0, 1), ("page_cache", 1, 1), ("old_slot", 1, 1), ("carved_slots", 2, 1),
  ]
  /// The others that tell vaults from each other: by many vaults, what chance would tell seldom; by few, what is equal.
  private static let looks: [Attack] =
    TestLength.isWhole ? [("looks", 15, 3), ("added_cover", 7, 0)] : [("looks", 8, 1)]
  private static let others: [Attack] = [
    ("short_length", 1, 0), ("weak_derivation", 1, 0), ("redirected_mount", 1, 0), ("cloned_mount_table", 1, 0),
    ("shell_history", 1, 0),
  ]

  private static let folder = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/Attacks/"

  private static func expectOnlyDeclaredOnesWork(_ attacks: [Attack]) throws {
    let outcome = try Outcome(
      "/usr/bin/python3",
      arguments: ["-B", folder + "attacks.py"] + (TestLength.isWhole ? [] : ["--exact"]) + [Workspace.program]
        + attacks.map(\.name), limit: 3600)
    print(outcome.output)
    #expect(outcome.status == 0, "\(outcome)")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("fails: ") } == attacks.reduce(0) { $0 + $1.fail }, "\(outcome)")
    #expect(lines.count { $0.hasPrefix("DECLARED: ") } == attacks.reduce(0) { $0 + $1.declared }, "\(outcome)")
  }

  @Test(.enabled(if: ext4, "needs root, loop devices and ext4"))
  func looksAtOneVaultTellNothing() throws { try Self.expectOnlyDeclaredOnesWork(Self.looks) }

  @Test(.enabled(if: ext4, "needs root, loop devices and ext4"))
  func declaredAttacksWork() throws { try Self.expectOnlyDeclaredOnesWork(TestLength.drawn(Self.declared, 1)) }

  @Test(.enabled(if: ext4, "needs root, loop devices and ext4"))
  func otherAttacksFail() throws { try Self.expectOnlyDeclaredOnesWork(Self.others) }

  /// `Tests/Attacks/hosts.py`: what file systems keep tells what the threat model says, and nothing else. A sample only
  /// looks at two vaults on one of them.
  @Test(
    .enabled(
      if: ext4 && CrashLoad.canMount("xfs") && CrashLoad.canMount("btrfs"), "needs root, loop devices, XFS and btrfs"))
  func whatHostsKeepTellsWhatIsDeclared() throws {
    let hosts = TestLength.drawn(["ext4", "xfs", "btrfs"], 1)
    let number = TestLength.isWhole ? "15" : "1"
    let outcome = try Outcome(
      "/usr/bin/python3", arguments: ["-B", Self.folder + "hosts.py", Workspace.program, number] + hosts, limit: 7200)
    print(outcome.output)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output.split(separator: "\n").count == hosts.count * (TestLength.isWhole ? 3 : 1), "\(outcome)")
  }
}
