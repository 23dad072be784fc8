import System
import TestSupport
import Testing

@testable import agonyfs

/// What `check --repair --json` promises to other programs.
struct RepairAnswer: Decodable {
  struct Step: Decodable {
    var path: String?
    var step: String
    var isLoss: Bool
    var lostFrom: Int64?
    var lostTo: Int64?
  }
  var found: CheckAnswer
  var steps: [Step]
  var unrepairable: [String]
  var isDone: Bool
  var hasLosses: Bool
  var left: CheckAnswer?
}

/// `agonyfs check --repair`: asks, repairs, and says what is lost.
@Suite struct RepairCommandTests {
  /// A vault of which one file is gone that held nothing but data of the file `large`.
  private func damaged() throws -> Workspace {
    let workspace = try Workspace.withLargeFile()
    try expectSuccess(
      workspace,
      """
      agonyfs check --repair --password-file password Vault
      rm $(sed -n 2p middle)
      find Vault -type f | sort | xargs sha256sum > state
      """)
    return workspace
  }

  @Test func nothingIsChangedUnasked() throws {
    let workspace = try damaged()
    // Away from any terminal; `setsid` runs programs, not functions of the shell.
    let outcome = try workspace.shell("setsid --wait \"$AGONYFS\" check --repair --password-file password Vault")
    expectFailure(outcome, .damage, "Nothing was changed", "--yes")
    #expect(outcome.output.contains("lost: /large: bytes "))
    #expect(!outcome.output.contains("small"))
    try expectSuccess(workspace, "find Vault -type f | sort | xargs sha256sum | cmp state")
    expectFailure(try workspace.shell("agonyfs check --yes --password-file password Vault"), .usage, "--repair")
  }

  @Test func asksAtATerminal() throws {
    let workspace = try damaged()
    let command = ["check", "--repair", "--password-file", workspace.at("password"), workspace.at("Vault")]
    let terminal = try PseudoTerminal(command)
    #expect(try terminal.waits(for: "lost: /large: bytes "))
    try terminal.answer("Do that? [y/N]", with: "n")
    #expect(try terminal.ending() == .exited(16))
    try expectSuccess(workspace, "find Vault -type f | sort | xargs sha256sum | cmp state")
    let again = try PseudoTerminal(command)
    try again.answer("Do that? [y/N]", with: "y")
    #expect(try again.waits(for: "Repaired; everything listed as lost is lost."))
    #expect(try again.ending() == .exited(16))
    try expectSuccess(workspace, "agonyfs check --read-data --password-file password Vault")
  }

  @Test func whatIsLostIsAHoleAndNothingElseChanges() throws {
    let workspace = try damaged()
    let planned = try workspace.shell("setsid --wait \"$AGONYFS\" check --repair --json --password-file password Vault")
    expectFailure(planned, .damage, "Nothing was changed")
    #expect(try !JSON.decode(RepairAnswer.self, planned.output).isDone)
    let outcome = try workspace.shell("agonyfs check --repair --yes --json --password-file password Vault")
    #expect(outcome.status == CommandStatus.damage.rawValue, "\(outcome)")
    let answer = try JSON.decode(RepairAnswer.self, outcome.output)
    #expect(answer.isDone && answer.hasLosses && answer.unrepairable == [] && answer.left?.isClean == true)
    let losses = answer.steps.filter(\.isLoss)
    #expect(!losses.isEmpty && losses.allSatisfy { $0.path == "/large" })
    var holes = ""
    for loss in losses {
      let from = try #require(loss.lostFrom)
      let to = try #require(loss.lostTo)
      holes += "head -c \(to - from) /dev/zero | dd of=large bs=65536 oflag=seek_bytes seek=\(from) conv=notrunc\n"
    }
    try expectSuccess(
      workspace,
      """
      \(holes)
      agonyfs check --read-data --password-file password Vault
      agonyfs check --repair --password-file password Vault
      agonyfs mount --password-file password Vault Albums
      cmp large Albums/large
      cmp small Albums/good/small
      echo works > Albums/new
      says 15 'in use' agonyfs check --repair --yes --password-file password Vault
      agonyfs unmount Albums
      agonyfs check --read-data --password-file password Vault
      """)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, to mount the vault read-only"))
  func aVaultThatCannotBeWrittenIsNotRepaired() throws {
    try expectSuccess(
      inNamespaceOf: damaged(),
      """
      mount --bind Vault Vault
      mount -o remount,bind,ro Vault
      says 1 'cannot be written' agonyfs check --repair --yes --password-file password Vault
      gives 16 agonyfs check --password-file password Vault
      find Vault -type f | sort | xargs sha256sum | cmp state
      """)
  }
}
