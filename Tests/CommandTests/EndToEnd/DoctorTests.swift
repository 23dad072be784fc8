import Glibc
import System
import TestSupport
import Testing

@testable import agonyfs

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

  /// A home with two thumbnails, of which one is of the mount, and a list of recent files of one each.
  private func makeHome(_ workspace: Workspace) throws {
    let made = try workspace.shell(
      "mkdir -p home/.cache/thumbnails/large home/.local/share/Trash/info home/.local/share/Trash/files")
    #expect(made.status == 0)
    try HostFile.write(
      thumbnail(of: "file://\(workspace.at("Albums"))/Iceland/a.jpg"),
      to: workspace.at("home/.cache/thumbnails/large/1.png"))
    try HostFile.write(
      thumbnail(of: "file://\(workspace.at("Other"))/a.jpg"), to: workspace.at("home/.cache/thumbnails/large/2.png"))
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
    let workspace = try Workspace()
    try makeHome(workspace)
    try expectSuccess(
      workspace,
      Self.start
        + """
        cp home/.cache/thumbnails/large/2.png second.png
        ended() { wanted=$1; shift; status=0; "$@" || status=$?; test $status = $wanted; }
        find home -type f -newermt 1970-01-01 -printf '%p %s %T@\\n' | sort > before
        ended 19 agonyfs doctor --dry-run Albums > told
        grep -q '^thumbnails: 1 thumbnail; shows photos' told
        grep -q 'recently-used.xbel' told
        grep -q '.bash_history, line 1' told
        grep -q 'May be the only copy' told
        ended 19 agonyfs doctor Albums < /dev/null > told
        ended 19 agonyfs doctor --json Albums > told
        grep '"kind":"thumbnail"' told | grep -q '"removed":false'
        grep '"kind":"history"' told | grep -q '"lines":\\[1\\]'
        agonyfs doctor --json Albums/None > told || true
        not grep -q '"kind":"thumbnail"' told
        find home -type f -newermt 1970-01-01 -printf '%p %s %T@\\n' | sort | cmp - before
        # The trash is left, which a quiet one says without names.
        "$AGONYFS" doctor --yes --quiet Albums 2> error > told || test $? = 19
        test ! -s told
        grep -q '1 traces\\? of the mount' error
        not grep -qE 'Albums|b.jpg' error
        \(Self.isTidy)
        ended 0 agonyfs doctor --yes --quiet --trash Albums
        test -z "$(find home/.local/share/Trash -type f)"
        ended 2 agonyfs doctor "$HOME"
        ended 2 agonyfs doctor /
        ended 2 agonyfs doctor ''
        ended 2 agonyfs doctor --quiet Albums
        """)
  }

  @Test func asksForEachThatMayBeTheOnlyCopy() throws {
    let workspace = try Workspace()
    try makeHome(workspace)
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
    let workspace = try Workspace()
    try workspace.makeVault()
    try makeHome(workspace)
    try expectSuccess(
      workspace,
      Self.start + """
        cp home/.cache/thumbnails/large/2.png second.png
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
    let workspace = try Workspace()
    try workspace.makeVault()
    try makeHome(workspace)
    try expectSuccess(
      workspace,
      Self.start + """
        cp home/.cache/thumbnails/large/2.png second.png
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
    let workspace = try Workspace()
    try workspace.makeVault()
    try makeHome(workspace)
    // Mounts and sessions of other tests are not to be locked.
    try workspace.write(
      Workspace.functions + """
        set -e
        without_mounts
        "$AGONYFS" mount --tidy --password-file password Vault Albums
        "$AGONYFS" lock
        """, to: "script")
    try expectSuccess(
      workspace,
      Self.start + """
        cp home/.cache/thumbnails/large/2.png second.png
        unshare -m -p -f --mount-proc --kill-child --propagation private sh ./script
        \(Self.isTidy)
        """)
  }

  /// What fails is logged, and nothing else comes of it.
  @Test func failuresChangeNothing() throws {
    let workspace = try Workspace()
    try workspace.makeVault()
    try makeHome(workspace)
    try expectSuccess(
      workspace,
      Self.start + """
        HOME="$W/nothing" agonyfs mount --foreground --tidy --password-file password Vault Albums 2> log &
        daemon=$!
        wait_for 600 'the mount is ready' mounted
        echo kept > Albums/file
        agonyfs unmount Albums
        wait $daemon
        grep -q 'Removing what programs left of the mount failed: .*home directory' log
        test "$(count)" = 2
        agonyfs mount --password-file password Vault Albums
        test "$(cat Albums/file)" = kept
        agonyfs unmount Albums
        """)
  }

  /// A mount of root, as a line of /etc/fstab makes it, is tidied in the home of whoever owns the mount point, by that user.
  @Test(.enabled(if: Workspace.isRoot, "needs root, to mount for another user"))
  func mountsOfRootForOthers() throws {
    let workspace = try Workspace()
    try workspace.makeVault()
    try makeHome(workspace)
    try workspace.write(
      """
      set -e
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
      """, to: "script")
    try expectSuccess(
      workspace,
      Self.start + """
        cp home/.cache/thumbnails/large/2.png second.png
        unshare -m --propagation private sh ./script
        \(Self.isTidy)
        """)
  }

  /// Of what Xfce's thumbnail service kept of files at the place of the mount, everything goes, and others stay.
  @Test func tumblersThumbnails() throws {
    let workspace = try Workspace()
    try workspace.makeVault()
    try expectSuccess(
      workspace,
      Self.start + """
        vips gaussnoise "one two.jpg" 900 700 --seed 1
        vips gaussnoise outside.jpg 900 700 --seed 2
        cp "one two.jpg" Albums
        cat > ask <<'END'
        uri() { printf "'file://%s'" "$1" | sed 's/ /%20/g'; }
        dbus-monitor --session "interface='org.freedesktop.thumbnails.Thumbnailer1'" > signals &
        i=0
        until grep -q 'member=NameLost' signals; do i=$((i + 1)); test $i -lt 6000; sleep 0.1; done
        for file in "$W/Albums/one two.jpg" "$W/outside.jpg"; do
          before=$(grep -c 'member=Finished' signals || true)
          gdbus call --session --dest org.freedesktop.thumbnails.Thumbnailer1 \\
            --object-path /org/freedesktop/thumbnails/Thumbnailer1 \\
            --method org.freedesktop.thumbnails.Thumbnailer1.Queue \\
            "[$(uri "$file")]" "['image/jpeg']" normal default 0 > /dev/null
          i=0
          while [ "$(grep -c 'member=Finished' signals || true)" = "$before" ]; do
            i=$((i + 1)); test $i -lt 6000; sleep 0.1
          done
        done
        END
        ask() { env -i HOME="$HOME" PATH="$PATH" W="$W" LC_ALL=C.UTF-8 dbus-run-session -- sh -e ask; }
        ask
        test "$(count)" = 2
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
