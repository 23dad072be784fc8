import Glibc
import System
import TestSupport
import Testing

/// What is done with one password does not depend on what others have stored: `Tests/Attacks/trace.py` looks at the system
/// calls.
@Suite(.serialized) struct TracedTests {
  /// For root alone: a program that somebody else traces takes no password.
  private static let canTrace =
    geteuid() == 0 && (try? Outcome("/usr/bin/strace", arguments: ["-o", "/dev/null", "/bin/true"]).status) == 0

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

  @Test(.enabled(if: canTrace, "needs root, strace, and leave to trace"))
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

  /// A tracer that is not root's gets no password; root needs no tracing to read one.
  @Test(.enabled(if: canTrace, "needs root, strace, and leave to trace")) func whoeverTracesGetsNoPassword() throws {
    try expectSuccess(
      """
      cp "$AGONYFS" program
      chmod 0755 . program
      chown -R 65534:65534 Vault Albums password
      person() { setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$W" "$@"; }
      person ./program info --password-file password Vault
      says 1 'traces this one' person strace -f -qq -o /dev/null ./program info --password-file password Vault
      says 1 'traces this one' person strace -f -qq -o /dev/null ./program mount --password-file password Vault Albums
      not mounted
      strace -f -qq -o /dev/null ./program info --password-file password Vault
      """)
  }

  /// Nor one that need not exist, which is the first that `space add` asks for.
  @Test(.enabled(if: canTrace, "needs root, strace, and leave to trace"))
  func whoeverTracesIsAskedForNoPassword() throws {
    let workspace = try Workspace.withVault()
    try expectSuccess(workspace, "cp \"$AGONYFS\" program; chmod 0755 . program; chown -R 65534:65534 Vault")
    let traced = """
      exec setpriv --reuid 65534 --regid 65534 --clear-groups strace -f -qq -o /dev/null \
        '\(workspace.at("program"))' "$@"
      """
    let terminal = try PseudoTerminal(
      ["space", "add", "--cover", "1M", workspace.at("Vault")], by: ["/bin/sh", "-c", traced])
    #expect(try terminal.waits(for: "traces this one"), "\(terminal.screen)")
    #expect(try terminal.ending() == .exited(1))
  }

  /// The process that serves a private session asks before it enters the session, whose /proc may not show its tracer.
  @Test(.enabled(if: canTrace, "needs root, strace, and leave to trace")) func noTracedProcessServesASession() throws {
    try expectSuccess(
      """
      cp "$AGONYFS" program
      chmod 0755 . program
      chown -R 65534:65534 Vault Albums
      person() { setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$W" "$@"; }
      gives 1 person strace -f -qq -o /dev/null ./program mount --session=private --as-daemon "$W/Vault" "$W/Albums" \
        3< password 4> answer 5< /dev/null
      grep -q 'traces this one' answer
      """)
  }

  /// The process that gets the key of a private session makes no namespaces, as whoever makes them can be traced.
  @Test(.enabled(if: canTrace, "needs root, strace, and leave to trace")) func noSessionCanBeTraced() throws {
    try expectSuccess(
      as: .root,
      #"""
      person strace -f -qq -o calls -e trace=execve,prctl ./program run --require-private \
        --password-file password home/Vault true
      server=$(awk '/execve\(.*--session=private/ {print $1; exit}' calls)
      test -n "$server"
      grep -q "^$server .*PR_SET_DUMPABLE, SUID_DUMP_DISABLE" calls
      not grep -q "^$server .*PR_SET_DUMPABLE, SUID_DUMP_USER" calls
      # This is how the maker of namespaces shows.
      grep -q 'PR_SET_DUMPABLE, SUID_DUMP_USER' calls
      """#)
  }

  /// A vault with another number of files, or with a file that a crash left short, is told, and so are other words.
  @Test(
    .enabled(if: canTrace, "needs root, strace, and leave to trace"),
    arguments: TestLength.drawn([("number", "info"), ("short", "mount"), ("text", "info")], 1))
  func aVaultThatDiffersIsTold(leak: String, operation: String) throws {
    let outcome = try trace(leak)
    #expect(outcome.status == 1 && outcome.output.contains("DIFFERS: \(operation):"), "\(outcome)")
  }
}
