import TestSupport
import Testing

@testable import agonyfs

/// Files of a vault that are damaged: what they hold answers with an error, everything else works, and `check` names
/// what is hurt.
@Suite struct DamageTests {
  /// How to damage, and whether that is found without reading the data.
  private static let damages: [(String, Bool)] = [
    ("rm $first", true),
    ("truncate -s 500000 $first", true),
    ("truncate -s 0 $first", true),
    (
      """
      byte=$(od -An -tu1 -j 400000 -N 1 $first)
      printf "\\\\$(printf %o $((byte ^ 1)))" | dd of=$first bs=1 seek=400000 conv=notrunc
      """, false
    ),
    ("cp $first other; cp $second $first; cp other $second", true),
  ]

  @Test(arguments: TestLength.sample(damages, 4, kind: { $0.1 }))
  func onlyDamagedFilesAreHurt(_ damage: String, _ isSeen: Bool) throws {
    try expectSuccess(
      Workspace.withLargeFile(),
      """
      agonyfs check --read-data --password-file password Vault
      first=$(sed -n 1p middle); second=$(sed -n 2p middle)
      \(damage)
      find Vault -type f | sort | xargs sha256sum > damaged
      says 16 'what a repair would do with: agonyfs check --repair /' \
        agonyfs check --read-data --password-file password Vault
      mv out found
      grep -q 'damaged: /large' found
      not grep -q small found
      gives \(isSeen ? 16 : 0) agonyfs check --password-file password Vault > seen
      # Looking changed nothing.
      find Vault -type f | sort | xargs sha256sum | cmp damaged
      agonyfs mount --password-file password Vault Albums
      not cat Albums/large > copy 2> error
      grep -q 'Input/output error' error
      # What was read before the damage is right.
      head -c "$(stat -c %s copy)" large | cmp copy
      cmp small Albums/good/small
      echo works > Albums/new
      rm Albums/large
      sync -f Albums
      agonyfs unmount Albums
      # The damaged file of the vault may still belong to an older state, but no file in the space is hurt any more.
      agonyfs check --read-data --password-file password Vault > after || true
      not grep -q 'damaged: /' after
      grep -q '2 files' after
      """)
  }

  @Test func theLogNamesNoFile() throws {
    try expectSuccess(
      try Workspace.withLargeFile(),
      """
      rm $(sed -n 1p middle)
      "$AGONYFS" mount --foreground --password-file password Vault Albums 2> log &
      wait_for 600 'the mount' mounted
      not cat Albums/large > copy
      kill -TERM $!
      wait $!
      grep -q 'damaged: inode' log
      not grep -q large log
      """)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, to have a /dev/log of its own"))
  func aMountInTheBackgroundWritesToTheSystemLog() throws {
    let workspace = try Workspace.withLargeFile()
    let log = try SystemLog(at: workspace.at("log"))
    try expectSuccess(
      inNamespaceOf: workspace,
      """
      rm $(sed -n 1p middle)
      open_device
      ln -s "$W/log" dev/log
      "$AGONYFS" mount --password-file password Vault Albums 2> said
      not cat Albums/large > copy
      "$AGONYFS" unmount Albums
      not grep -q -e damaged -e large said
      """)
    let lines = try log.lines()
    // <27> is an error of a daemon.
    let errors = lines.filter { $0.hasPrefix("<27>") && $0.contains("agonyfs[") }
    #expect(errors.contains { $0.contains("damaged: inode") }, "\(lines)")
    #expect(!lines.contains { $0.contains("large") || $0.contains(workspace.path) }, "\(lines)")
  }

  @Test func damageAsJSON() throws {
    let workspace = try Workspace.withLargeFile()
    try expectSuccess(workspace, "rm $(sed -n 1p middle)")
    let outcome = try workspace.shell("agonyfs check --json --password-file password Vault")
    expectFailure(outcome, .damage)
    let result = try JSON.decode(CheckAnswer.self, outcome.output)
    #expect(!result.isClean)
    #expect(result.problems.contains { $0.path == "/large" })
    #expect(result.problems.allSatisfy { !$0.problem.isEmpty })
  }
}
