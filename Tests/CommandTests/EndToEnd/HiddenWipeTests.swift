import TestSupport
import Testing

private let canRead =
  (try? Outcome("/usr/bin/python3", arguments: ["-c", "import argon2, cryptography"]).status) == 0

/// What is left on a disk of passwords of a hidden space, and of a whole one that was removed, whose files stay.
@Suite(
  .enabled(if: Workspace.isRoot, "needs root, to mount disks"),
  .enabled(if: canRead, "needs the Debian packages python3-argon2 and python3-cryptography"))
struct HiddenWipeTests {
  /// Of a hidden space with photos and old heads, with two passwords.
  private func hidden() throws -> Workspace {
    let workspace = try WipeTests.workspace(ownCover: "12M")
    try expectSuccess(
      workspace,
      """
      agonyfs password add --password-file password --new-password-file other disk/Vault
      for n in 1 2 3; do
        agonyfs mount --copy-window 0 --password-file password disk/Vault Albums
        head -c 3000000 /dev/urandom > Albums/photo$n
        agonyfs unmount Albums
      done
      sync
      """)
    return workspace
  }

  @Test func slotsHeadsAndDataOfAHiddenSpaceAreFound() throws {
    let workspace = try hidden()
    let count = try WipeTests.carved(workspace, "named password slots heads data")
    let all = try workspace.shell("echo $(($(stat -c %s before) / 168))")
    #expect("\(count)\n" == all.output && count > 8 * 8)
  }

  @Test func theSlotsOfAPasswordThatIsRemovedFromAHiddenSpaceAreGone() throws {
    let count = try WipeTests.carved(
      try hidden(),
      """
      number=$(files disk/Vault)
      named other slots
      agonyfs password remove --password-file other disk/Vault
      test $(files disk/Vault) = $number
      agonyfs check --password-file password disk/Vault
      """)
    #expect(count == 0)
  }

  @Test func theSlotsOfAnOldPasswordOfAHiddenSpaceAreGone() throws {
    let count = try WipeTests.carved(
      try hidden(),
      """
      number=$(files disk/Vault)
      named password slots
      echo 'the next password' > next
      agonyfs password change --password-file password --new-password-file next disk/Vault
      test $(files disk/Vault) = $number
      for password in next other first; do agonyfs check --password-file $password disk/Vault; done
      """)
    #expect(count == 0)
  }

  @Test(arguments: [("", "slots heads"), ("--wipe", "slots heads data")])
  func aHiddenSpaceThatIsRemovedLeavesNothingThatOpens(_ option: String, _ kinds: String) throws {
    let count = try WipeTests.carved(
      try hidden(),
      """
      number=$(files disk/Vault)
      named password \(kinds)
      cp before kept
      named other slots
      cat kept >> before
      agonyfs space remove --yes \(option) --password-file password disk/Vault
      test $(files disk/Vault) = $number
      agonyfs check --password-file first disk/Vault
      """)
    #expect(count == 0)
  }
}
