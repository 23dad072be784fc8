import TestSupport
import Testing

@testable import agonyfs

/// `agonyfs password change --rekey`, as a person uses it.
@Suite struct RekeyTests {
  /// A vault whose hidden space has files and two passwords, and a copy of the vault from then.
  private func workspace() throws -> Workspace {
    let workspace = try Workspace()
    try expectSuccess(
      workspace,
      """
      for name in first hidden other new; do echo the $name password > $name; done
      agonyfs create --kdf interactive --segment-size 1M --password-file first --cover 60M \
        --hidden-password-file hidden Vault
      agonyfs password add --password-file hidden --new-password-file other Vault
      mkdir Albums
      agonyfs mount --password-file hidden Vault Albums
      for i in 1 2 3 4 5; do head -c 5M /dev/urandom > Albums/$i.bin; done
      (cd Albums; sha256sum *) > sums
      agonyfs unmount Albums
      cp -a Vault Old
      """)
    return workspace
  }

  private func expectEverything(_ workspace: Workspace, with password: String) throws {
    try expectSuccess(
      workspace,
      """
      agonyfs mount --password-file \(password) Vault Albums 2> said || { cat said; exit 1; }
      (cd Albums; sha256sum --quiet -c ../sums)
      agonyfs unmount Albums
      agonyfs check --read-data --password-file \(password) Vault
      agonyfs check --password-file first Vault
      """)
  }

  @Test func onlyTheNewPasswordOpensTheSpace() throws {
    let workspace = try workspace()
    let before = HostFile.segments(of: workspace.at("Vault"))
    try expectSuccess(
      workspace, "agonyfs password change --rekey --yes --password-file hidden --new-password-file new Vault")
    let after = HostFile.segments(of: workspace.at("Vault"))
    #expect(after.count == before.count)
    try expectEverything(workspace, with: "new")
    for old in ["hidden", "other"] {
      expectFailure(try workspace.shell("agonyfs info --password-file \(old) Vault"), .noSpaceOpens, "No space in")
    }
    // Files of before that are put back show what was there before, and nothing that came later.
    try expectSuccess(
      workspace,
      """
      agonyfs mount --password-file new Vault Albums
      echo later > Albums/later
      agonyfs unmount Albums
      (cd Old/segments; find . -type f | while read f; do cp -an "$f" "../../Vault/segments/$f"; done)
      agonyfs mount -o ro --password-file hidden Vault Albums
      test ! -e Albums/later
      (cd Albums; sha256sum --quiet -c ../sums)
      agonyfs unmount Albums
      agonyfs mount --password-file new Vault Albums
      test "$(cat Albums/later)" = later
      agonyfs unmount Albums
      """)
  }

  /// Another person's password does not go without a word.
  @Test func otherPasswordsEndOnlyIfThatIsWanted() throws {
    let workspace = try workspace()
    let change = "agonyfs password change --rekey --password-file hidden --new-password-file new Vault"
    let before = HostFile.segments(of: workspace.at("Vault"))
    expectFailure(try workspace.shell(change), .usage, "1 other password or key opens this space", "--yes")
    #expect(HostFile.segments(of: workspace.at("Vault")) == before)
    try expectSuccess(workspace, "agonyfs info --password-file other Vault; agonyfs info --password-file hidden Vault")
    expectFailure(
      try workspace.shell("agonyfs password change --yes --password-file hidden --new-password-file new Vault"), .usage,
      "--yes needs --rekey")
    let outcome = try workspace.shell(change + " --yes")
    #expect(outcome.status == 0 && outcome.errors.contains("The other password or key of this space no longer opens"))
    #expect(outcome.errors.contains("agonyfs password add \(workspace.at("Vault"))"), "\(outcome)")
    try expectEverything(workspace, with: "new")
    // Nobody is asked where there is nothing to lose.
    let alone = try workspace.shell(
      "agonyfs password change --rekey --password-file new --new-password-file hidden Vault")
    #expect(alone.status == 0 && alone.errors.isEmpty, "\(alone)")
  }

  /// A signal, and a kill, at any time: the same command goes on, also when the space was mounted meanwhile.
  @Test(arguments: ["INT", "KILL"]) func whatIsInterruptedGoesOn(_ signal: String) throws {
    let workspace = try workspace()
    let count = HostFile.segments(of: workspace.at("Vault")).count
    var password = "hidden"
    // At its beginning, and when so many files have come.
    for files in [0, 1, 8, 20] {
      try expectSuccess(
        workspace,
        """
        list() { find Vault/segments -type f | sort; }
        list > before
        # A shell has its background processes ignore SIGINT.
        env --default-signal=INT "$AGONYFS" password change --rekey --yes --password-file \(password) --new-password-file new \
          Vault & change=$!
        is_there() { ends $change || test "$(list | comm -13 before - | wc -l)" -ge \(files); }
        set +x
        wait_for 600 '\(files) files' is_there
        set -x
        kill -\(signal) $change || true
        wait $change || true
        """)
      if try workspace.shell("agonyfs info --password-file new Vault").status == 0 { password = "new" }
      try expectEverything(workspace, with: password)
      if password == "new" { break }
    }
    if password == "new" {
      // Unless it had ended before the kill: then the mount said nothing.
      try expectSuccess(
        workspace,
        """
        status=0
        grep -q 'still has its old key' said || status=\(CommandStatus.noSpaceOpens.rawValue)
        same=0
        agonyfs password change --rekey --yes --password-file hidden --new-password-file new Vault || same=$?
        test $same = $status
        """)
      try expectEverything(workspace, with: "new")
      try expectSuccess(workspace, "not grep -q 'still has its old key' said; mv new hidden; echo another one > new")
    }
    try expectSuccess(
      workspace, "agonyfs password change --rekey --yes --password-file hidden --new-password-file new Vault")
    try expectEverything(workspace, with: "new")
    #expect(HostFile.segments(of: workspace.at("Vault")).count == count)
  }

  /// Killed wherever it waits for the disk: a file that is not whole has no name, so that none is left.
  @Test(.enabled(if: Workspace.isRoot, "needs root, to trace a program that takes a password"))
  func aKilledChangeOfPasswordsLeavesNoFile() throws {
    let workspace = try workspace()
    // A sample has every other wait.
    let step = TestLength.isWhole ? 1 : 2
    var random = TestLength.generator()
    let first = Int.random(in: 1...step, using: &random)
    try expectSuccess(
      workspace,
      """
      count=$(find Vault/segments -type f | wc -l)
      mv Vault Whole
      kills=0
      for call in fsync fdatasync syncfs; do
        for time in $(seq \(first) \(step) 40); do
          rm -rf Vault; cp -a Whole Vault
          status=0
          strace -f -qq -o /dev/null -e trace=$call -e inject=$call:signal=SIGKILL:when=$time \
            "$AGONYFS" password add --password-file hidden --new-password-file new Vault || status=$?
          if test $status = 0; then break; fi
          test $status = 137
          kills=$((kills + 1))
          agonyfs mount --password-file hidden Vault Albums
          agonyfs unmount Albums
          test "$(find Vault/segments -type f | wc -l)" = $count
        done
        test $status = 0
      done
      test $kills -gt \(8 / step - 1)
      """)
  }

  @Test func whatCannotBeIsRefused() throws {
    let workspace = try workspace()
    let change = "agonyfs password change --rekey --yes --password-file hidden --new-password-file"
    expectFailure(try workspace.shell("\(change) first Vault"), .passwordInUse, "already opens a space")
    expectFailure(try workspace.shell("\(change) other Vault"), .passwordInUse, "already opens a space")
    try expectSuccess(workspace, "agonyfs mount --password-file hidden Vault Albums")
    expectFailure(try workspace.shell("\(change) new Vault"), .spaceInUse, "in use")
    try expectSuccess(workspace, "agonyfs unmount Albums")
    try expectEverything(workspace, with: "hidden")
  }
}
