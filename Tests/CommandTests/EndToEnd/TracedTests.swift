import Glibc
import TestSupport
import Testing

/// What is done with one password does not depend on what others have stored: `Tests/Attacks/trace.py` looks at the system
/// calls.
@Suite(.serialized) struct TracedTests {
  private static let canTrace =
    (try? Outcome("/usr/bin/strace", arguments: ["-o", "/dev/null", "/bin/true"]).status) == 0

  private func trace(_ leak: String...) throws -> Outcome {
    let root = #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 }
    // In a mount namespace of its own, of which other tests make no copy: a mount of which there is one ends otherwise.
    let command = geteuid() == 0 ? ["/usr/bin/unshare", "-m", "/usr/bin/python3"] : ["/usr/bin/python3"]
    let arguments = command.dropFirst() + [root + "/Tests/Attacks/trace.py", Workspace.program] + leak
    return try Outcome(command[0], arguments: Array(arguments), limit: 3600)
  }

  /// The groups of trace.py, and how many operations it traces of each.
  private static let groups: [(name: String, operations: Int)] =
    [("create", 1)] + (geteuid() == 0 ? [("cover", 1), ("spaces", 7)] : [])
    + [("info", 1), ("info, wrong password", 1), ("check", 1), ("check --read-data", 1), ("mount", 2)]
    + [("space add, refused", 1), ("check --repair", 1), ("passwords", 2), ("writing", 2), ("change", 2)]

  @Test(.enabled(if: canTrace, "needs strace, and leave to trace"))
  func workDependsOnNoOtherSpace() throws {
    var random = TestLength.generator()
    // Of many operations in a row a sample has one.
    let groups = TestLength.drawn(Self.groups, 2).map { group -> (name: String, operations: Int) in
      TestLength.isWhole || group.operations < 3
        ? group : ("\(group.name):\(Int.random(in: 1...group.operations, using: &random))", 1)
    }
    let outcome = try trace("--only", groups.map(\.name).joined(separator: ";"))
    #expect(outcome.status == 0, "\(outcome)")
    let operations = groups.reduce(0) { $0 + $1.operations }
    #expect(outcome.output.split(separator: "\n").count { $0.hasPrefix("the same: ") } == operations, "\(outcome)")
  }

  /// A vault with another number of files, or with a file that a crash left short, is told, and so are other words.
  @Test(
    .enabled(if: canTrace, "needs strace, and leave to trace"),
    arguments: TestLength.drawn([("number", "info"), ("short", "mount"), ("text", "info")], 1))
  func aVaultThatDiffersIsTold(leak: String, operation: String) throws {
    let outcome = try trace(leak)
    #expect(outcome.status == 1 && outcome.output.contains("DIFFERS: \(operation):"), "\(outcome)")
  }
}
