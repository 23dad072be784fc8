import TestSupport
import Testing

/// `agonyfs doctor` and `mount --tidy` in a made home.
@Suite struct DoctorTests {
  /// Runs with the made home as their own.
  private static let start = """
    set -e
    unset XDG_CACHE_HOME XDG_DATA_HOME XDG_CONFIG_HOME XDG_STATE_HOME
    mkdir -p home
    export HOME="$W/home"
    count() { find home/.cache/thumbnails -name '*.png' | wc -l; }

    """

  /// A thumbnail that says which file it is of. Nobody decodes it, so it has no picture.
  private func thumbnail(of uri: String) -> [UInt8] {
    let body = Array("Thumb::URI\0\(uri)".utf8)
    let length = UInt32(body.count)
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + Array("tEXt".utf8) + body + [0, 0, 0, 0]
  }

  /// Makes a home with two thumbnails, of which one is of the mount, and a list of recent files of one each; and a copy
  /// of the other thumbnail, `second.png`.
  private func makeHome(in workspace: Workspace) throws -> Workspace {
    let made = try workspace.shell(
      "mkdir -p home/.cache/thumbnails/large home/.local/share/Trash/info home/.local/share/Trash/files")
    #expect(made.status == 0)
    let own = thumbnail(of: "file://\(workspace.at("Albums"))/Iceland/a.jpg")
    let other = thumbnail(of: "file://\(workspace.at("Other"))/a.jpg")
    let folder = "home/.cache/thumbnails/large/"
    for (name, bytes) in [(folder + "1.png", own), (folder + "2.png", other), ("second.png", other)] {
      try HostFile.write(bytes, to: workspace.at(name))
    }
    try workspace.write(
      """
      <xbel>
        <bookmark href="file://\(workspace.at("Albums"))/a.jpg"></bookmark>
        <bookmark href="file://\(workspace.at("Other"))/a.jpg"></bookmark>
      </xbel>

      """, to: "home/.local/share/recently-used.xbel")
    try workspace.write("cd \(workspace.at("Albums"))/Iceland\n", to: "home/.bash_history")
    try workspace.write(
      "[Trash Info]\nPath=\(workspace.at("Albums"))/b.jpg\n", to: "home/.local/share/Trash/info/b.jpg.trashinfo")
    try workspace.write("photo", to: "home/.local/share/Trash/files/b.jpg")
    return workspace
  }

  /// What is not of the mount is what it was.
  private static let othersStay = """
    cmp "$W/home/.cache/thumbnails/large/2.png" "$W/second.png"
    test "$(tr -d '\\n' < home/.local/share/recently-used.xbel)" = \\
      "<xbel>  <bookmark href=\\"file://$W/Other/a.jpg\\"></bookmark></xbel>"
    test "$(cat home/.local/share/Trash/files/b.jpg)" = photo
    grep -q Iceland home/.bash_history

    """

  private static let isTidy = "test ! -e \"$W/home/.cache/thumbnails/large/1.png\"\n" + othersStay

  @Test func findsRemovesAndTells() throws {
    try expectSuccess(
      makeHome(in: Workspace()),
      Self.start
        + """
        find home -type f -newermt 1970-01-01 -printf '%p %s %T@\\n' | sort > before
        gives 19 agonyfs doctor --dry-run Albums > told
        grep -q '^thumbnails: 1 thumbnail; shows photos' told
        grep -q 'recently-used.xbel' told
        grep -q '.bash_history, line 1' told
        grep -q 'May be the only copy' told
        gives 19 agonyfs doctor Albums < /dev/null > told
        gives 19 agonyfs doctor --json Albums > told
        grep '"kind":"thumbnail"' told | grep -q '"removed":false'
        grep '"kind":"history"' told | grep -q '"lines":\\[1\\]'
        agonyfs doctor --json Albums/None > told || true
        not grep -q '"kind":"thumbnail"' told
        find home -type f -newermt 1970-01-01 -printf '%p %s %T@\\n' | sort | cmp - before
        # The trash is left, which a quiet one says without names.
        "$AGONYFS" doctor --yes --quiet Albums 2> error > told || test $? = 19
        test ! -s told
        grep -q '1 trace of the mount stays' error
        not grep -qE 'Albums|b.jpg' error
        \(Self.isTidy)
        gives 0 agonyfs doctor --yes --quiet --trash Albums
        test -z "$(find home/.local/share/Trash -type f)"
        gives 2 agonyfs doctor "$HOME"
        gives 2 agonyfs doctor /
        gives 2 agonyfs doctor ''
        gives 2 agonyfs doctor --quiet Albums
        """)
  }

  /// The list is cut, and says how to see the rest.
  @Test func aLongListIsCut() throws {
    let workspace = try makeHome(in: Workspace())
    for number in 3..<9 {
      let uri = "file://\(workspace.at("Albums"))/\(number).jpg"
      try HostFile.write(thumbnail(of: uri), to: workspace.at("home/.cache/thumbnails/large/\(number).png"))
    }
    try expectSuccess(
      workspace,
      Self.start
        + """
        gives 19 agonyfs doctor --dry-run Albums > told
        grep -q '^thumbnails: 7 thumbnails; shows photos' told
        grep -q '^  and 2 more; agonyfs doctor --json lists all$' told
        gives 19 agonyfs doctor --dry-run --json Albums > told
        test "$(grep -c '"kind":"thumbnail"' told)" = 7
        """)
  }

  /// A mount point tells which vault histories are searched for.
  @Test func historiesTellOfTheVaultOfAMount() throws {
    let workspace = try Workspace.withVault()
    try expectSuccess(
      workspace,
      Self.start + """
        printf '%s\n' "agonyfs create --hidden $W/Vault" ls "agonyfs space grow 1G $W/Vault" "ls $W/Vault2" \
          > home/.bash_history
        agonyfs mount --password-file password Vault Albums
        gives 19 agonyfs doctor --dry-run Albums > told
        grep -q '^bash: 2 entries of a history; names the vault' told
        grep -q '.bash_history, lines 1, 3$' told
        agonyfs doctor --dry-run --json Albums > told || test $? = 19
        grep '"kind":"history"' told | grep -q '"reveals":"vault"'
        agonyfs unmount Albums
        agonyfs doctor --dry-run Albums > told || true
        not grep -q '^bash' told
        agonyfs doctor --dry-run Albums Vault > told || test $? = 19
        grep -q '^bash: 2 entries of a history' told
        """)
  }

  /// What a program saved at the place of a mount while there was none is told, and stays.
  @Test func filesWhereNothingIsMounted() throws {
    try expectSuccess(
      Workspace.withVault(),
      Self.start + """
        echo photo > Albums/b.jpg
        gives 19 agonyfs doctor --yes Albums > told
        grep -q '^mount point: 1 file or folder that is not encrypted' told
        grep -q 'Albums/b.jpg$' told
        gives 19 agonyfs doctor --json Albums > told
        grep '"kind":"plain"' told | grep -q '"removable":false'
        agonyfs doctor --yes --quiet Albums
        test "$(cat Albums/b.jpg)" = photo
        agonyfs doctor Vault > told || test $? = 19
        not grep '^mount point' told
        agonyfs mount -o nonempty --password-file password Vault Albums
        echo photo > Albums/c.jpg
        agonyfs doctor --dry-run Albums > told || test $? = 19
        not grep '^mount point' told
        agonyfs unmount Albums
        """)
  }

  /// Without a name, mount points that are known are looked at.
  @Test(.enabled(if: Workspace.isRoot, "needs root, for a table of mounts of its own"))
  func filesInKnownMountPoints() throws {
    try expectSuccess(
      inNamespaceOf: Workspace(), isAlone: true,
      Self.start + """
        export XDG_RUNTIME_DIR="$W/runtime"
        mkdir -p home/Albums runtime/agonyfs/Vault
        # Nobody said that a space is mounted here.
        echo photo > home/Albums/a.jpg
        echo photo > runtime/agonyfs/Vault/b.jpg
        gives 19 agonyfs doctor > told
        grep -q '^mount point: 1 file or folder that is not encrypted' told
        grep -q 'runtime/agonyfs/Vault/b.jpg$' told
        rm runtime/agonyfs/Vault/b.jpg
        gives 14 agonyfs doctor > told
        """)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, to become another user"))
  func mountPointsOfOthersArePassedOver() throws {
    try expectSuccess(
      Self.start + """
        chmod 0755 "$W"
        cp "$AGONYFS" agonyfs-copy
        chown 65534:65534 home
        mkdir -m 0700 roots
        setpriv --reuid 65534 --regid 65534 --clear-groups ./agonyfs-copy doctor roots > told 2>&1 || test $? = 19
        not grep -q 'roots was not searched' told
        """)
  }

  @Test func asksForEachThatMayBeTheOnlyCopy() throws {
    let workspace = try makeHome(in: Workspace())
    let script = """
      unset XDG_CACHE_HOME XDG_DATA_HOME XDG_CONFIG_HOME XDG_STATE_HOME
      HOME="$W/home" exec script -qec "$AGONYFS doctor $W/Albums" /dev/null
      """
    let refused = try workspace.shell(script, input: "n\nn\n")
    #expect(refused.output.contains("Remove 1 thumbnail, 1 recent file? [y/N]"), "\(refused)")
    #expect(refused.output.contains("b.jpg may be the only copy. Delete it for good? [y/N]"), "\(refused)")
    #expect(HostFile.names(in: workspace.at("home/.cache/thumbnails/large")) == ["1.png", "2.png"])
    let agreed = try workspace.shell(script, input: "y\nn\n")
    #expect(agreed.output.contains("Deleting is not erasing"), "\(agreed)")
    #expect(HostFile.names(in: workspace.at("home/.cache/thumbnails/large")) == ["2.png"])
    #expect(HostFile.names(in: workspace.at("home/.local/share/Trash/files")) == ["b.jpg"])
    let all = try workspace.shell(script, input: "y\n")
    #expect(HostFile.names(in: workspace.at("home/.local/share/Trash/files")) == [], "\(all)")
  }

  /// Whatever ends the mount, its traces go, and nothing else.
  @Test(
    arguments: TestLength.sample(
      [
        "agonyfs unmount Albums", "kill $daemon", "fusermount3 -u Albums", "idle", "agonyfs unmount --force Albums",
      ], 3))
  func tidyMounts(_ end: String) throws {
    try expectSuccess(
      makeHome(in: Workspace.withVault()),
      Self.start + """
        agonyfs mount --tidy \(end == "idle" ? "--idle 1s" : "") --password-file password Vault Albums
        daemon=$(pgrep -f "^agonyfs mount .*$W/Albums" || true)
        test \(end == "idle") = true || test "$(count)" = 2
        \(end == "idle" ? ":" : end)
        gone $daemon
        \(Self.isTidy)
        """)
  }

  /// With `agonyfs unmount` it is done on return, and not begun before; a mount without the option leaves everything.
  @Test func onlyIfAsked() throws {
    try expectSuccess(
      makeHome(in: Workspace.withVault()),
      Self.start + """
        agonyfs mount --password-file password Vault Albums
        agonyfs unmount Albums
        test "$(count)" = 2
        agonyfs mount -o tidy,ro --password-file password Vault Albums
        test "$(count)" = 2
        agonyfs unmount Albums
        \(Self.isTidy)
        """)
  }

  /// Also of all mounts at once.
  @Test(.enabled(if: Workspace.isRoot, "needs root, for a table of mounts of its own"))
  func lockedMountsAreTidy() throws {
    // Mounts and sessions of other tests are not to be locked.
    try expectSuccess(
      inNamespaceOf: makeHome(in: Workspace.withVault()), isAlone: true,
      Self.start + """
        "$AGONYFS" mount --tidy --password-file password Vault Albums
        "$AGONYFS" lock
        \(Self.isTidy)
        """)
  }

  /// What fails is logged, and nothing else comes of it.
  @Test func failuresChangeNothing() throws {
    try expectSuccess(
      makeHome(in: Workspace.withVault()),
      Self.start + """
        HOME="$W/nothing" agonyfs mount --foreground --tidy --password-file password Vault Albums 2> log &
        daemon=$!
        wait_for 600 'the mount is ready' mounted
        echo kept > Albums/file
        agonyfs unmount Albums
        wait $daemon
        grep -q 'Removing the traces of the mount failed: .*home directory' log
        test "$(count)" = 2
        agonyfs mount --password-file password Vault Albums
        test "$(cat Albums/file)" = kept
        agonyfs unmount Albums
        """)
  }

  /// A mount of root, as a line of /etc/fstab makes it, is tidied in the home of whoever owns the mount point, by that user.
  @Test(.enabled(if: Workspace.isRoot, "needs root, to mount for another user"))
  func mountsOfRootForOthers() throws {
    try expectSuccess(
      inNamespaceOf: makeHome(in: Workspace.withVault()),
      Self.start + """
        { cat /etc/passwd; echo "photographer:x:54321:54321::$W/home:/bin/sh"; } > passwd
        chmod 644 passwd
        mount --bind passwd /etc/passwd
        chown -R 54321:54321 home
        chown 54321 Albums
        chmod 755 "$W" home
        # What is root's in that home stays, even if it is of the mount.
        cp home/.cache/thumbnails/large/1.png home/.cache/thumbnails/large/3.png
        # Root does not work there itself.
        HOME="$W/home" "$AGONYFS" doctor Albums 2> error && exit 1
        grep -q 'belongs to another user' error
        HOME=/root "$AGONYFS" mount -o tidy --password-file password Vault Albums
        HOME=/root "$AGONYFS" unmount Albums
        test -e home/.cache/thumbnails/large/3.png
        test "$(stat -c %u home/.local/share/recently-used.xbel)" = 54321
        \(Self.isTidy)
        """)
  }

  /// Of what Xfce's thumbnail service kept of files at the place of the mount, everything goes, and others stay.
  @Test func tumblersThumbnails() throws {
    try expectSuccess(
      Self.start + TumblerTests.asking + """
        vips gaussnoise "one two.jpg" 900 700 --seed 1
        vips gaussnoise outside.jpg 900 700 --seed 2
        cp "one two.jpg" Albums
        test "$(ask normal "$W/Albums/one two.jpg" "$W/outside.jpg")" = 2
        cp -a home/.cache kept
        rm "Albums/one two.jpg"
        agonyfs mount -o tidy --password-file password Vault Albums
        find home/.cache/thumbnails -name '*.png' -printf '%p %i %T@ %s\\n' | sort > before
        agonyfs doctor --json Albums > told || test $? = 19
        test "$(grep -c '"kind":"thumbnail"' told)" = 1
        agonyfs doctor --yes --quiet Albums
        find home/.cache/thumbnails -name '*.png' -printf '%p %i %T@ %s\\n' | sort > after
        test "$(wc -l < after)" = 1
        # That one line is as before.
        test "$(comm -12 before after | wc -l)" = 1
        cp -a kept/. home/.cache
        test "$(count)" = 2
        agonyfs unmount Albums
        test "$(count)" = 1
        """)
  }
}
