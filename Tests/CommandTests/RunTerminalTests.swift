import System
import TestSupport
import Testing

/// `agonyfs run` at a terminal.
@Suite(.enabled(if: Workspace.isRoot, "needs root, since the device may be closed to others"))
struct RunTerminalTests {
  private func run(_ workspace: Workspace, _ script: String) throws -> PseudoTerminal {
    try PseudoTerminal(["run", "--require-private", "--password", workspace.at("Vault"), "sh", "-c", script])
  }

  /// Types the password, and waits until the program says that it is ready.
  private func begin(_ terminal: PseudoTerminal) throws {
    try terminal.answer("Password for ", with: Workspace.password)
    #expect(try terminal.waits(for: "ready"))
  }

  /// What vanishes is said once, and not before the password is typed.
  @Test func theNoticeFollowsThePassword() throws {
    let workspace = try Workspace.withVault()
    let terminal = try run(workspace, "echo ready")
    #expect(try terminal.waits(for: "Password for "))
    #expect(terminal.passed?.contains("vanish") == false, "\(terminal.passed ?? "")")
    try terminal.type(Workspace.password + "\n")
    #expect(try terminal.waits(for: "vanish when this session ends"))
    #expect(try terminal.waits(for: "ready"))
    #expect(terminal.passed?.contains("vanish") == false, "\(terminal.passed ?? "")")
    #expect(try terminal.ending() == .exited(0))
  }

  /// A place that the program needs is not hidden without a question.
  @Test func aPlaceThatTheProgramNeedsIsAskedFor() throws {
    let workspace = try Workspace.withVault()
    let words = ["run", "--require-private", "--at", "/usr", "--password", workspace.at("Vault"), "true"]
    let terminal = try PseudoTerminal(words)
    try terminal.answer("the space would hide /usr/", with: "n")
    #expect(try terminal.waits(for: "Nothing was started."))
    #expect(try terminal.ending() == .exited(125))
    let outcome = try workspace.agonyfs(
      "run", "--at", "/usr", "--password-file", workspace.at("password"), workspace.at("Vault"), "true")
    #expect(outcome.status == 125 && outcome.errors.contains("choose another place with --at"), "\(outcome)")
  }

  @Test func interruptionIsTheProgramsBusiness() throws {
    let workspace = try Workspace.withVault()
    let terminal = try run(
      workspace, "trap 'echo interrupted' INT; echo ready; until read line; do :; done; echo read $line; exit 4")
    try begin(terminal)
    try terminal.type("\u{3}")
    try terminal.answer("interrupted", with: "words")
    #expect(try terminal.waits(for: "read words"))
    #expect(try terminal.ending() == .exited(4))
  }

  @Test func interruptionEndsAProgramThatDoesNotCatchIt() throws {
    let workspace = try Workspace.withVault()
    let terminal = try run(workspace, "echo words > file; echo ready; exec sleep 100")
    try begin(terminal)
    try terminal.type("\u{3}")
    #expect(try terminal.ending() == .exited(130))
    try expectSuccess(
      workspace, #"agonyfs mount --password-file password Vault Albums; test "$(cat Albums/file)" = words"#)
  }

  @Test func closingTheTerminalEndsTheSessionAndWritesEverything() throws {
    let workspace = try Workspace.withVault()
    var terminal: PseudoTerminal? = try run(workspace, "echo words > file; echo ready; sleep 100")
    if let terminal { try begin(terminal) }
    terminal = nil
    try expectSuccess(
      workspace,
      #"""
      serves() { pgrep -f "agonyfs mount .*$W/" > /dev/null; }
      ended() { not serves; }
      wait_for 600 'the mount is gone' ended
      agonyfs mount --password-file password Vault Albums
      test "$(cat Albums/file)" = words
      """#)
  }
}
