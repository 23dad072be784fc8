import TestSupport
import Testing

@testable import agonyfs

/// `agonyfs create`, and command lines that cannot be understood.
@Suite struct CreateTests {
  @Test func makesFilesOfOneSizeAndTime() throws {
    try expectSuccess(
      Workspace(),
      """
      echo 'correct horse battery staple' > password
      agonyfs create --kdf interactive --segment-size 2M --cover 10M --password-file password Vault
      test "$(find Vault -mindepth 1 -maxdepth 1 -printf '%f\\n' | sort | tr '\\n' ' ')" = 'agonyfs.json segments '
      test "$(find Vault/segments -mindepth 1 -type d | wc -l)" = 256
      test "$(find Vault/segments -type f | wc -l)" -ge 9
      test "$(find Vault/segments -type f -printf '%s %T@\\n' | sort -u | wc -l)" = 1
      test -z "$(find Vault/segments -type f ! -size 2097152c)"
      """)
  }

  @Test func defaultsAreModerateWorkAndTheFasterCipher() throws {
    try expectSuccess(
      Workspace(),
      """
      echo 'correct horse battery staple' > password
      agonyfs create --cover 0 --password-file password Vault
      tr -d ' \\n' < Vault/agonyfs.json | grep -E '"memory":268435456[,}]'
      tr -d ' \\n' < Vault/agonyfs.json | grep -E '"operations":3[,}]'
      test -z "$(find Vault/segments -type f ! -size 4194304c)"
      # Processors that have AES in hardware are several times faster with it.
      if grep -qw -e aes -e vaes /proc/cpuinfo; then agonyfs info --password-file password Vault | grep -w aes-256-gcm; fi
      """)
  }

  @Test func secondVaultAtOnePathIsRefused() throws {
    let workspace = try Workspace.withVault()
    let before = try workspace.shell("find Vault -type f | sort | xargs sha256sum").output
    let outcome = try workspace.agonyfs("create", "--password-file", workspace.at("password"), workspace.at("Vault"))
    expectFailure(outcome, .vaultExists, workspace.at("Vault"))
    #expect(try workspace.shell("find Vault -type f | sort | xargs sha256sum").output == before)
  }

  @Test(arguments: ["touch Vault", "mkdir Vault; touch Vault/file", "ln -s nowhere Vault"])
  func nothingElseIsOverwritten(_ preparation: String) throws {
    let workspace = try Workspace()
    _ = try workspace.shell(preparation)
    expectFailure(try workspace.agonyfs("create", workspace.at("Vault"), input: "password\n"), .vaultExists)
  }

  @Test func emptyDirectoryBecomesAVault() throws {
    let workspace = try Workspace()
    _ = try workspace.shell("mkdir Vault")
    try workspace.makeVault()
    #expect(try workspace.agonyfs("info", workspace.at("Vault"), input: Workspace.password).status == 0)
  }

  @Test func missingParentIsSaid() throws {
    let workspace = try Workspace()
    let outcome = try workspace.agonyfs(
      "create", "--kdf", "interactive", workspace.at("a/b/Vault"), input: "some long password\n")
    expectFailure(outcome, .failure, "There is no directory \(workspace.at("a/b"));")
  }

  @Test(arguments: [
    "create", "create /a /b", "create --segment-size 3M /a", "create --segment-size 512K /a", "create --kdf none /a",
    "create --cipher rot13 /a", "create --cover much /a", "create --password --password-file /x /a",
    "create --nonsense /a", "nonsense", "chekc Vault", "nonsense Vault Albums", "mount /a", "mount -o nonsense /a /b",
    "mount --idle soon /a /b",
    "mount --copy-window x /a /b", "space add", "password change", "unmount",
  ])
  func commandLinesThatCannotBeUnderstood(_ arguments: String) throws {
    let outcome = try Workspace().shell("agonyfs \(arguments)")
    #expect(outcome.status == 2, "\(outcome)")
    #expect(!outcome.errors.isEmpty)
    #expect(outcome.output.isEmpty)
  }

  @Test func versionNamesTheFormatOfNewVaults() throws {
    let workspace = try Workspace.withVault()
    let format = try workspace.shell("grep '\"format\"' Vault/agonyfs.json | tr -dc 0-9").output
    let version = try workspace.agonyfs("--version").output
    #expect(!format.isEmpty && version.hasSuffix("vault format \(format)\n"), "\(version)")
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func completions(_ shell: String) throws {
    let outcome = try Workspace().agonyfs("--generate-completion-script", shell)
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("unmount"))
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, for a small file system"))
  func fullDiskIsSaid() throws {
    let workspace = try Workspace()
    _ = try workspace.shell("mkdir disk; mount -t tmpfs -o size=3m none disk")
    let outcome = try workspace.agonyfs(
      "create", "--kdf", "interactive", "--cover", "0", workspace.at("disk/Vault"), input: "some long password\n")
    expectFailure(outcome, .noRoom, "full")
    #expect(try workspace.shell("ls -A disk").output.isEmpty)
  }

  /// Before a password is asked for, and before the first byte.
  @Test(arguments: ["9999T", "8388607T"])
  func coverThatDoesNotFitIsRefusedAtOnce(_ size: String) throws {
    let workspace = try Workspace()
    expectFailure(try workspace.agonyfs("create", "--cover", size, workspace.at("Vault")), .noRoom, "full")
    #expect(try workspace.shell("ls -A").output.isEmpty)
  }

  @Test func noCoverSaysWhatItGivesUp() throws {
    let workspace = try Workspace()
    let outcome = try workspace.agonyfs(
      "create", "--kdf", "interactive", "--segment-size", "1M", "--cover", "0", workspace.at("Vault"),
      input: "some long password\n")
    #expect(outcome.status == 0)
    #expect(outcome.errors.hasPrefix("agonyfs: With --cover 0 "))
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, for a small file system"))
  func coverIsDrawnUnlessItIsChosen() throws {
    try expectSuccess(
      Workspace(),
      """
      mkdir disk
      mount -t tmpfs -o size=1000m none disk
      echo 'correct horse battery staple' > password
      "$AGONYFS" create --kdf interactive --segment-size 1M --password-file password disk/Vault 2> errors
      grep -Eq '^agonyfs: The cover is (large enough for a hidden space that can store|too small)' errors
      test $(wc -l < errors) = 1
      # From a fortieth to a twentieth of the room, and the first space.
      count=$(find disk/Vault/segments -type f | wc -l)
      test $count -ge 28 -a $count -le 64
      """)
  }

  /// Cover is not read: it would only take the place of what is, and deleting what is in memory takes long.
  @Test(.enabled(if: Workspace.isRoot, "needs root, for a small file system"))
  func coverIsNotKeptInMemory() throws {
    try expectSuccess(
      Workspace(),
      """
      make_disk 200M ext4
      echo 'correct horse battery staple' > password
      agonyfs create --kdf interactive --segment-size 1M --cover 8M --password-file password disk/Vault
      # So what is counted is there at all.
      cat disk/Vault/agonyfs.json > /dev/null
      test $(fincore -n -o PAGES disk/Vault/agonyfs.json) -gt 0
      test $(fincore -n -o PAGES disk/Vault/segments/*/* | awk '{ pages += $1 } END { print pages }') -eq 0
      """)
  }
}

/// What happens to a creation that does not come to its end.
@Suite struct UnfinishedCreationTests {
  /// Starts a creation that takes a while, and waits until it writes cover. `$creator` is its process.
  private static let begin = #"""
    echo 'correct horse battery staple' > password
    # A shell has its background processes ignore SIGINT.
    env --default-signal=INT \
      "$AGONYFS" create --kdf interactive --segment-size 1M --cover 8G --password-file password Vault 2> errors &
    creator=$!
    set +x
    writes() { kill -0 $creator || exit; test -n "$(find Vault/segments -type f 2> /dev/null | head -n 1)"; }
    wait_for 600 'cover is written' writes
    set -x

    """#

  @Test(arguments: [("INT", 130), ("TERM", 143), ("HUP", 129)])
  func aSignalLeavesNothing(_ signal: String, status: Int) throws {
    try expectSuccess(
      Workspace(),
      Self.begin + """
        kill -\(signal) $creator
        ended=0
        wait $creator || ended=$?
        test $ended = \(status)
        test ! -e Vault
        """)
  }

  @Test func whatAKilledOneLeftIsTakenAway() throws {
    try expectSuccess(
      Workspace(),
      Self.begin + """
        kill -KILL $creator
        wait $creator || true
        test -e Vault/creating -a ! -e Vault/agonyfs.json
        not agonyfs info --password-file password Vault
        mkdir Albums
        agonyfs create --kdf interactive --segment-size 1M --cover 1M --password-file password Vault
        test "$(ls -A Vault | tr '\\n' ' ')" = 'agonyfs.json segments '
        agonyfs info --password-file password Vault
        """)
  }

  @Test func theSecondOfTwoIsToldSo() throws {
    try expectSuccess(
      Workspace(),
      Self.begin + """
        second=0
        agonyfs create --password-file password Vault 2> said || second=$?
        test $second = 11
        grep 'Another agonyfs is creating a vault' said
        second=0
        agonyfs mount --create --password-file password Vault . 2> said || second=$?
        test $second = 11
        kill -TERM $creator
        wait $creator || true
        test ! -e Vault
        """)
  }
}
