import TestSupport
import Testing

@testable import agonyfs

/// The key derivations in `agonyfs.json`: added by `kdf add`, or by somebody else.
@Suite struct KeyDerivationTests {
  /// A program that adds a derivation to `Vault/agonyfs.json`, and one that takes the first or the last away.
  private static let functions = """
    edit() { python3 -c '
    import json, sys
    path = "Vault/agonyfs.json"
    facts = json.load(open(path))
    ways = facts["keyDerivations"]
    exec(sys.argv[1])
    json.dump(facts, open(path, "w"))' "$1"; }
    add_weak() { edit 'ways.append(dict(algorithm="argon2id13", operations=1, memory=8 << 20, salt="00" * 16))'; }

    """

  /// What the tests load into the program (Tests/DerivationCache) makes the salts of their vaults the same, and nothing
  /// else; without it no two vaults have the same.
  @Test func onlyTheSaltsOfTestsAreTheSame() throws {
    try expectSuccess(
      #"""
      agonyfs create --kdf interactive --segment-size 1M --cover 0 --password-file password Second
      for name in Third Fourth; do
        "$AGONYFS" create --kdf interactive --segment-size 1M --cover 0 --password-file password $name
      done
      of() { sed -n "s/.*\"$1\" : \"\(.*\)\".*/\1/p" $2/agonyfs.json; }
      for vault in Vault Second Third Fourth; do
        test -n "$(of salt $vault)"
        of vault $vault
      done | sort -u | wc -l | grep -qx 4
      test -z "${AGONYFS_TEST_DERIVATIONS:-}" || test "$(of salt Vault)" = "$(of salt Second)"
      test "$(of salt Third)" != "$(of salt Fourth)"
      test "$(of salt Third)" != "$(of salt Vault)"
      find Vault Second Third Fourth -path '*/segments/*' -type f -printf '%f\n' | sort | uniq -d > twice
      find Third Fourth -path '*/segments/*' -type f -printf '%f\n' | sort | uniq -d | cmp - /dev/null
      # Files that hold what a password opens have names of that password and the salt.
      test "$(wc -l < twice)" -lt 10
      """#)
  }

  @Test func aNewPasswordGetsTheDerivationThatWasAdded() throws {
    let workspace = try Workspace.withVault()
    try expectSuccess(
      workspace,
      Self.functions + """
        test "$(agonyfs kdf list Vault)" = 'argon2id13, 2 passes over 64 MiB'
        agonyfs kdf add Vault | grep -q '3 passes over 256 MiB: [0-9.]* s for each password'
        agonyfs kdf list Vault | grep -c passes | grep -qx 2
        agonyfs info --password-file password Vault
        echo 'the next password' > next
        agonyfs password change --password-file password --new-password-file next Vault
        cp Vault/agonyfs.json both
        edit 'del ways[0]'
        agonyfs info --password-file next Vault
        cp both Vault/agonyfs.json
        edit 'del ways[1]'
        not agonyfs info --password-file next Vault
        """)
    #expect(try workspace.shell("cp both Vault/agonyfs.json").status == 0)
    #expect(try workspace.shell("agonyfs mount --password-file next Vault Albums").status == 0)
    expectFailure(try workspace.agonyfs("kdf", "add", workspace.at("Vault")), .spaceInUse)
    #expect(try workspace.unmount().status == 0)
    expectFailure(try workspace.agonyfs("kdf", "add", "--kdf", "interactive", workspace.at("Vault")), .usage)
  }

  @Test func aWeakOneThatSomebodyAddedIsSaidAndNotUsed() throws {
    try expectSuccess(
      Self.functions + """
        cp Vault/agonyfs.json good
        add_weak
        agonyfs kdf list Vault | grep 'too weak'
        echo 'another password' | agonyfs space add --cover 0 Vault 2> said
        grep -q 'another person changed that file' said
        agonyfs mount --password-file password Vault Albums 2> said
        test "$(grep -c 'another person changed that file' said)" = 1
        agonyfs unmount Albums
        cp good Vault/agonyfs.json
        echo 'another password' | agonyfs info Vault
        """)
  }

  @Test func oneThatSomebodyTookAwayIsSaid() throws {
    let workspace = try Workspace.withVault()
    try expectSuccess(
      workspace,
      Self.functions + """
        agonyfs kdf add Vault
        agonyfs mount --password-file password Vault Albums 2> said
        not grep '^agonyfs:' said
        grep -q '"warnings": \\[\\]' Albums/.agonyfs/status
        agonyfs unmount Albums
        edit 'del ways[1]'
        agonyfs mount --password-file password Vault Albums 2> said
        grep -q 'lacks a key derivation that it had' said
        grep -q '"warnings": \\[".*lacks a key derivation' Albums/.agonyfs/status
        agonyfs unmount Albums
        agonyfs check --password-file password Vault | grep -q 'note: .*lacks a key derivation'
        """)
    let change = try workspace.shell(
      "agonyfs password change --password-file password --new-password='the next password' Vault")
    expectFailure(change, .failure, "too weak")
  }

  @Test func aVaultWithWeakOnesOnlyIsOpenedWhenTold() throws {
    let workspace = try Workspace.withVault()
    let edit = Self.functions + "add_weak; edit 'del ways[0]'\n"
    let outcome = try workspace.shell(edit + "agonyfs info --password-file password Vault")
    expectFailure(outcome, .failure, "too weak", "kdf add", "--weak-derivations")
    // No slot is there under that derivation.
    expectFailure(
      try workspace.shell("agonyfs info --weak-derivations --password-file password Vault"), .noSpaceOpens)
    let adding = try workspace.shell("echo 'another password' | agonyfs space add --cover 0 --weak-derivations Vault")
    expectFailure(adding, .failure, "too weak")
  }
}
