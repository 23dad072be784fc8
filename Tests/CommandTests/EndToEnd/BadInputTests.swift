import TestSupport
import Testing

@testable import agonyfs

/// Vaults and mount points that cannot be used.
@Suite struct BadInputTests {
  private static let commands = [
    "info Vault", "check Vault", "mount Vault Albums", "space add --cover 0 Vault", "space remove Vault",
    "password change Vault",
  ]

  func all(_ workspace: Workspace) throws -> [Outcome] {
    try Self.commands.map { try workspace.shell("agonyfs \($0)", input: Workspace.password + "\nsomething new here\n") }
  }

  @Test func missingVault() throws {
    let workspace = try Workspace()
    _ = try workspace.shell("mkdir Albums")
    for outcome in try all(workspace) {
      expectFailure(outcome, .noVault, "There is no vault at \(workspace.at("Vault"))")
    }
    #expect(try workspace.shell("test -e Vault").status == 1)
  }

  @Test(arguments: ["mkdir Vault; touch Vault/a", "echo text > Vault", "mkdir Vault; mkdir Vault/agonyfs.json"])
  func notAVault(_ preparation: String) throws {
    let workspace = try Workspace()
    _ = try workspace.shell("mkdir Albums; " + preparation)
    for outcome in try all(workspace) { #expect([1, 10].contains(outcome.status), "\(outcome)") }
  }

  @Test func vaultWithoutSegments() throws {
    let workspace = try Workspace.withVault()
    _ = try workspace.shell("mv Vault/segments elsewhere")
    for outcome in try all(workspace) { expectFailure(outcome, .noVault, "segments") }
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, to become another user"))
  func unreadableVault() throws {
    let outcome = try Workspace.withVault().shell(
      """
      chmod 0755 "$W"; cp "$AGONYFS" agonyfs-copy
      setpriv --reuid 65534 --regid 65534 --clear-groups ./agonyfs-copy info Vault
      """, input: Workspace.password)
    expectFailure(outcome, .failure, "agonyfs.json", "permission denied")
  }

  /// Its locks on the parameters could keep no other writer out.
  @Test(.enabled(if: Workspace.isRoot, "needs root, to become another user"))
  func vaultWhoseParametersMayNotBeWrittenIsReadOnly() throws {
    try expectSuccess(
      """
      chmod 0755 "$W"; cp "$AGONYFS" agonyfs-copy
      chown -R 65534:65534 Vault
      chown 0:0 Vault/agonyfs.json
      chmod 0644 Vault/agonyfs.json password
      user() { setpriv --reuid 65534 --regid 65534 --clear-groups ./agonyfs-copy "$@"; }
      user info --password-file password Vault
      user check --password-file password Vault
      not user space add --cover 0 --password-command 'echo another word' Vault 2> error
      grep -q 'read-only' error
      chown 65534:65534 Vault/agonyfs.json
      user space add --cover 0 --password-command 'echo another word' Vault
      """)
  }

  /// A refresh by root was killed before it gave its directory to the vault's owner, in a directory of root's.
  @Test(.enabled(if: Workspace.isRoot, "needs root, to become another user"))
  func whatARefreshByRootLeftHindersNoOwner() throws {
    try expectSuccess(
      """
      chmod 0755 "$W" Vault; cp "$AGONYFS" agonyfs-copy
      chown -R 65534:65534 Vault
      chown 0:0 Vault
      mkdir -m 0700 Vault/refreshing
      echo 'another word' > next
      chmod 0644 password next
      user() { setpriv --reuid 65534 --regid 65534 --clear-groups ./agonyfs-copy "$@"; }
      user password change --password-file password --new-password-file next Vault
      not user info --password-file password Vault
      user info --password-file next Vault
      """)
  }

  @Test(arguments: [(3, "newer"), (1, "new vault")]) func anotherFormat(_ format: Int, _ words: String) throws {
    let workspace = try Workspace.withVault()
    _ = try workspace.shell("sed -i -E 's/\"format\" *: *2/\"format\" : \(format)/' Vault/agonyfs.json")
    for outcome in try all(workspace) { expectFailure(outcome, .failure, "format \(format)", words) }
  }

  @Test(
    arguments: TestLength.sample(
      [
        "truncate -s 40 Vault/agonyfs.json", "truncate -s 0 Vault/agonyfs.json", "echo '[]' > Vault/agonyfs.json",
        "sed -i -E 's/argon2id13/argon2id14/' Vault/agonyfs.json", "sed -i -E 's/67108864/1024/' Vault/agonyfs.json",
        "sed -i -E 's/67108864/99999999999999/' Vault/agonyfs.json",
        "sed -i -E 's/1048576/1048577/' Vault/agonyfs.json",
        "sed -i -E 's/1048576/-1/' Vault/agonyfs.json",
      ], 3))
  func damagedParameters(_ damage: String) throws {
    let workspace = try Workspace.withVault()
    _ = try workspace.shell(damage)
    for outcome in try all(workspace) { expectFailure(outcome, .noVault, "agonyfs.json") }
  }

  @Test func changedParametersOpenNothing() throws {
    let workspace = try Workspace.withVault()
    _ = try workspace.shell("sed -i -E 's/1048576/2097152/' Vault/agonyfs.json")
    expectFailure(try workspace.agonyfs("info", workspace.at("Vault"), input: Workspace.password), .noSpaceOpens)
  }

  @Test(arguments: [
    ("", ["does not exist", "mkdir"]), ("touch Albums", ["not a directory"]),
    ("ln -s b Albums; ln -s Albums b", ["cannot be used"]), ("ln -s $PWD/Albums Albums", ["cannot be used"]),
  ])
  func mountPointThatIsNoDirectory(_ preparation: String, _ words: [String]) throws {
    let workspace = try Workspace.withVault()
    _ = try workspace.shell("rmdir Albums\n" + preparation)
    let outcome = try workspace.mount()
    for word in words { expectFailure(outcome, .mountPointUnusable, word) }
  }

  @Test func mountPointThatIsNotEmpty() throws {
    let workspace = try Workspace.withVault()
    _ = try workspace.shell("touch Albums/file")
    expectFailure(try workspace.mount(), .mountPointUnusable, "not empty", "nonempty")
    #expect(try workspace.mount("-o nonempty").status == 0)
    #expect(try workspace.shell("ls Albums").output.isEmpty)
    #expect(try workspace.unmount().status == 0)
    #expect(try workspace.shell("ls Albums").output == "file\n")
  }

  @Test func mountPointThatIsMountedAlready() throws {
    let workspace = try Workspace.withVault()
    #expect(try workspace.mount().status == 0)
    expectFailure(try workspace.mount(), .mountPointUnusable, "mounted")
    try expectSuccess(workspace, "echo another password | agonyfs space add --cover 0 Vault")
    let other = try workspace.shell("agonyfs mount Vault Albums", input: "another password\n")
    expectFailure(other, .mountPointUnusable, "mounted")
  }

  @Test func mountPointWhosePathIsTooLong() throws {
    let workspace = try Workspace.withVault()
    for command in ["mount --password-file password Vault", "unmount"] {
      let outcome = try workspace.shell(
        "agonyfs \(command) $(printf '%0300d' 0); echo $?; agonyfs \(command) $(yes d | head -n 3000 | paste -sd /)")
      expectFailure(outcome, .mountPointUnusable)
      #expect(outcome.output == "14\n")
    }
  }

  @Test(arguments: ["", "/segments", "/segments/3f", "/segments/3f/new"])
  func mountPointInsideTheVault(_ place: String) throws {
    let workspace = try Workspace.withVault()
    let script = """
      mkdir -p "$W/Vault\(place)"
      ln -s "$W/Vault\(place)" link
      for place in "$W/Vault\(place)" link; do
        agonyfs mount -o nonempty --password-file password Vault $place && exit
      done
      grep " $W/" /proc/mounts
      # Nothing waits for itself.
      agonyfs info --password-file password Vault > /dev/null && exit 14
      """
    expectFailure(try workspace.shell(script), .mountPointUnusable, "is inside the vault; choose")
  }

  @Test func vaultInsideTheMountPoint() throws {
    let workspace = try Workspace.withVault()
    let script = "mkdir -p Albums/a; mv Vault Albums/a; ln -s Albums/a/Vault Vault; ln -s Albums link;"
    let mount = "agonyfs mount -o nonempty --password-file password"
    for command in ["Vault Albums", "Albums/a/Vault link", "--create Albums/a/New Albums/a"] {
      let outcome = try workspace.shell("\(script) \(mount) \(command)")
      expectFailure(outcome, .mountPointUnusable, "The vault is inside the mount point")
    }
    #expect(try workspace.shell("test -e Albums/a/New").status == 1)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, for a bind mount"))
  func mountPointInsideTheVaultByABindMount() throws {
    let workspace = try Workspace.withVault()
    for (place, point, words) in [
      ("Vault/segments/00", "Albums", "is inside the vault"), ("Vault/segments", "Albums", "is inside the vault"),
      ("Vault", "Albums", "is inside the vault"), (".", "Albums/Vault/segments/00", "is inside the vault"),
      (".", "Albums", "The vault is inside"),
    ] {
      let outcome = try workspace.shell(
        """
        mount --bind \(place) Albums
        agonyfs mount -o nonempty --password-file password Vault \(point)
        status=$?
        umount Albums
        exit $status
        """)
      expectFailure(outcome, .mountPointUnusable, words)
    }
  }

  /// Somebody else may own a directory on the way to the mount point.
  @Test(arguments: [
    "rmdir Albums; ln -s precious Albums", "mv Albums gone; ln -s precious Albums", "mv Albums gone; mkdir Albums",
  ])
  func mountPointThatIsReplacedWhileThePasswordIsAsked(_ replacement: String) throws {
    let workspace = try Workspace.withVault()
    let outcome = try workspace.shell(
      "mkdir precious; agonyfs mount --password-command '\(replacement); cat password' Vault Albums")
    expectFailure(outcome, .mountPointUnusable, "Another directory replaced the mount point")
    #expect(try workspace.shell("grep \" $W/\" /proc/mounts").output.isEmpty)
  }

  @Test func badMountPointIsSaidBeforeThePasswordIsAsked() throws {
    let workspace = try Workspace.withVault()
    let outcome = try workspace.shell("agonyfs mount --password-command 'touch asked; echo x' Vault absent")
    expectFailure(outcome, .mountPointUnusable)
    #expect(try workspace.shell("test -e asked").status == 1)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, to hide /dev/fuse"))
  func missingDeviceIsSaid() throws {
    let outcome = try Workspace.withVault().shell(
      """
      unshare -m sh -c 'mkdir dev; mount -t tmpfs none dev; cp -a /dev/null dev/; mount --bind dev /dev
        exec "$AGONYFS" mount --password-file password Vault Albums'
      """)
    expectFailure(outcome, .failure, "/dev/fuse")
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, to hide fusermount3"))
  func missingHelperIsSaid() throws {
    let outcome = try Workspace.withVault().shell(
      """
      chmod 0755 "$W"; chmod -R a+rX Vault password; chown 65534 Albums; cp "$AGONYFS" agonyfs-copy
      unshare -m sh -c '
        mkdir dev; mount -t tmpfs none dev; cp -a /dev/null /dev/fuse dev/; chmod 0666 dev/fuse; mount --bind dev /dev
        cp /bin/true "$W/nothing"; chmod 0644 "$W/nothing"
        for p in /usr/bin/fusermount3 /bin/fusermount3 /usr/local/bin/fusermount3; do
          if [ -e "$p" ]; then mount --bind "$W/nothing" "$p"; fi
        done
        exec setpriv --reuid 65534 --regid 65534 --clear-groups ./agonyfs-copy mount --password-file password Vault Albums'
      """)
    expectFailure(outcome, .failure, "fusermount3", "package fuse3")
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, for a read-only file system"))
  func vaultThatCannotBeWrittenIsMountedReadOnly() throws {
    let workspace = try Workspace.withVault()
    try expectSuccess(
      workspace,
      """
      agonyfs mount --password-file password Vault Albums
      echo text > Albums/file
      agonyfs unmount Albums
      mkdir Frozen
      mount --bind -o ro Vault Frozen
      agonyfs mount --password-file password Frozen Albums 2> said
      grep -q 'read-only' said
      test "$(cat Albums/file)" = text
      not touch Albums/other
      agonyfs unmount Albums
      umount Frozen
      """)
    let frozen = "mount --bind -o ro Vault Frozen; "
    expectFailure(
      try workspace.shell(frozen + "agonyfs space add --cover 0 --password=anotherpassword Frozen"), .failure,
      "cannot be written"
    )
  }
}

/// What is said about the command line, the output and the machine.
@Suite struct SurroundingsTests {
  @Test(arguments: [
    "info ''", "check ''", "create ''", "mount '' Albums", "space add --cover 0 ''", "space remove ''",
    "password change ''",
  ])
  func anEmptyPathIsNoVault(_ command: String) throws {
    let workspace = try Workspace()
    _ = try workspace.shell("mkdir Albums")
    expectFailure(
      try workspace.shell("agonyfs \(command)", input: "password\n"), .usage, "The path of the vault is empty")
    #expect(try workspace.shell("ls -A").output == "Albums\n")
  }

  @Test(arguments: ["mount --password-file ../password ../Vault ''", "unmount ''"])
  func anEmptyPathIsNoMountPoint(_ command: String) throws {
    let workspace = try Workspace.withVault()
    let outcome = try workspace.shell("mkdir empty; cd empty; agonyfs \(command)")
    expectFailure(outcome, .mountPointUnusable)
    #expect(try workspace.shell("grep \" $W/\" /proc/mounts").output.isEmpty)
  }

  /// /dev/full gives ENOSPC for every write.
  @Test(
    arguments: TestLength.sample(
      [
        "info --password-file password Vault", "info --json --password-file password Vault",
        "check --password-file password Vault", "check --json --password-file password Vault", "--help", "--version",
        "info --help", "speed", "--generate-completion-script bash",
      ], 3))
  func outputThatGetsLostIsAFailure(_ command: String) throws {
    let workspace = try Workspace.withVault()
    let outcome = try workspace.shell("agonyfs \(command) > /dev/full")
    expectFailure(outcome, .failure, "Writing the output failed: No space left on device.")
    let closed = try workspace.shell("agonyfs \(command) >&-")
    expectFailure(closed, .failure, "Writing the output failed: Bad file descriptor.")
  }

  /// A library that used OpenSSL first, as on some systems: keys work, and it is said that they are not locked.
  @Test func openSSLMayHaveBeenUsedBefore() throws {
    try expectSuccess(
      """
      export LD_PRELOAD='\(builtProgram("libearly-openssl.so"))'
      for command in 'mount Vault Albums' 'info Vault'; do
        "$AGONYFS" ${command%% *} --password-file password ${command#* } 2> errors
        grep -c 'Keys may get into the swap space, because another library' errors | grep -x 1
      done
      unset LD_PRELOAD
      seq 1 100000 > Albums/numbers
      agonyfs unmount Albums
      agonyfs mount --password-file password Vault Albums
      seq 1 100000 | cmp - Albums/numbers
      agonyfs unmount Albums
      """)
  }

  /// Without the privilege only the limit counts, for root too.
  @Test func keysThatCannotBeLockedAreSaidOnce() throws {
    let workspace = try Workspace.withVault()
    let start = "\(Workspace.isRoot ? "setpriv --bounding-set -ipc_lock" : "") sh -c"
    for limit in [0, 64] {
      try expectSuccess(
        workspace,
        """
        \(start) 'ulimit -l \(limit); "$AGONYFS" mount --password-file password Vault Albums' 2> errors
        grep -c 'Keys may get into the swap space' errors | grep -x 1
        echo text > Albums/file
        agonyfs unmount Albums
        """)
    }
    try expectSuccess(
      workspace,
      """
      \(start) 'ulimit -l 8192; "$AGONYFS" info --password-file password Vault' 2> errors
      test ! -s errors
      """)
  }
}
