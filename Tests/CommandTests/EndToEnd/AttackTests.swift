import TestSupport
import Testing

@testable import agonyfs

/// `Tests/Attacks/attacks.py` tries every known attack on the program.
@Suite struct AttackTests {
  private static let ext4 = CrashLoad.canMount("ext4")

  @Test(.enabled(if: ext4, "needs root, loop devices and ext4"))
  func onlyDeclaredAttacksWork() throws {
    let root = #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 }
    let outcome = try Outcome(
      "/usr/bin/python3", arguments: [root + "/Tests/Attacks/attacks.py", Workspace.program], limit: 900)
    print(outcome.output)
    #expect(outcome.status == 0, "\(outcome)")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("fails: ") } >= 45)
    #expect(lines.count { $0.hasPrefix("DECLARED: ") } == 6)
  }
}
