import TestSupport
import Testing

@testable import agonyfs

/// Unmounted is locked: whatever took the mount from its place, everything is written, the program ends, and whoever
/// still holds the mount gets no answer.
@Suite struct UnmountTests {
  /// Functions for the scripts. A holder works in the mount, from a mount namespace of its own if it is started so: it
  /// has `Albums/dir` as its directory, `Albums/dir/file` open, and has written `Albums/mapped` through a memory map
  /// that it keeps.
  private static let functions = """
    export LC_ALL=C
    open() {
      agonyfs mount --password-file password Vault Albums
      pid=$(pgrep -of "^agonyfs mount .*$W/Albums")
    }
    serves() { ps -o args= -p $pid | grep -q '^agonyfs mount'; }
    ended() { gone $pid; }
    hold() {
      rm -f mapped held
      enter=
      setsid "$@" sh -c '
        "$MAPWRITER" Albums/mapped 3000000 mapped &
        timeout 600 sh -c "until [ -e mapped ]; do sleep 0.05; done" || exit
        cd Albums/dir; exec 7< file 8>> more
        # The last thing done, so that the kernel has it all in its caches: listings, contents, attributes.
        ls -R "$W/Albums"; cat file; stat -c "%s %X" "$W/Albums"/* . .. file; : > "$W/held"
        exec sleep 300' &
      holder=$!
      wait_for 600 'the mount is held' test -e held
    }
    copy() {
      hold unshare -m --propagation private
      enter="nsenter -t $holder -m"
    }
    is_copy() { test "$(readlink /proc/$holder/ns/mnt)" != "$(readlink /proc/self/ns/mnt)"; }
    # A copy of the table of mounts, and nothing open in it.
    unused_copy() {
      setsid unshare -m --propagation private sleep 300 &
      holder=$!
      wait_for 600 'there is a copy' is_copy
      enter="nsenter -t $holder -m"
    }
    let_go() { kill -- -$holder; wait $holder || true; holder=; }
    trap 'test -z "${holder-}" || kill -- -$holder' EXIT
    trap 'exit 1' TERM
    # What the holder sees.
    cut_off() { not $enter "$@" 2> errors; grep -q 'not connected' errors; }
    all_cut_off() {
      for path in cwd/.. cwd/ cwd/file; do
        cut_off stat -c %s /proc/$holder/$path
        cut_off ls /proc/$holder/$path
      done
      cut_off cat /proc/$holder/fd/7
    }
    # The mount as it was left.
    as_it_was() {
      open
      test "$(cat Albums/dir/file)" = words
      head -c 3000000 /dev/zero | tr '\\0' x | cmp - Albums/mapped
      agonyfs unmount Albums
    }

    """

  private func expect(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let start = """
      open
      mkdir Albums/dir
      echo words > Albums/dir/file

      """
    try expectSuccess(Self.functions + start + script, sourceLocation: sourceLocation)
  }

  @Test(
    .enabled(if: Workspace.isRoot, "needs root, to hold a copy of the table of mounts"),
    arguments: TestLength.drawn(
      [
        "agonyfs unmount Albums; not serves", "agonyfs unmount --force Albums; not serves",
        "agonyfs unmount --lazy Albums", "umount Albums", "umount -l Albums", "fusermount3 -u Albums",
        "fusermount3 -uz Albums", "kill -TERM $pid", "kill -INT $pid", "kill -HUP $pid",
      ], 2))
  func whoeverHoldsACopyIsLockedOut(_ ending: String) throws {
    // With --lazy the copy's open files end first.
    let isLazy = ending.contains("--lazy")
    try expect(
      """
      copy
      \(ending)
      \(isLazy ? "serves; let_go; ended" : "ended; all_cut_off; cut_off ls $W/Albums")
      as_it_was
      """)
  }

  @Test(arguments: ["agonyfs unmount --force Albums; not serves", "fusermount3 -uz Albums", "kill -TERM $pid"])
  func openFilesAreCutOff(_ ending: String) throws {
    try cutOff(ending)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, as umount does"))
  func umountCutsOpenFilesOff() throws {
    try cutOff("umount -l Albums")
  }

  private func cutOff(_ ending: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try expect(
      """
      hold
      \(ending)
      ended
      all_cut_off
      as_it_was
      """, sourceLocation: sourceLocation)
  }

  /// More names than are forgotten at a time, and more files than the file system has in memory.
  @Test(.enabled(if: Workspace.isRoot, "needs root, to hold a copy of the table of mounts"))
  func everythingThatTheKernelCachedIsForgotten() throws {
    try expect(
      """
      (cd Albums && seq 6000 | xargs touch)
      copy
      agonyfs unmount Albums
      seq -f "$W/Albums/%.0f" 6000 > paths
      test -z "$($enter xargs stat -c %s < paths 2> errors)"
      test "$(grep -c 'not connected' errors)" = 6000
      """)
  }

  /// Ctrl-C while it starts goes to the whole group: who asked for the password ends, the other opens and closes the space.
  @Test func whatIsTypedWhileItStartsKillsNoProcessThatWrites() throws {
    try expectSuccess(
      Workspace.withVault("--segment-size 1M --kdf moderate"),
      """
      # A shell has its background processes ignore SIGINT.
      setsid env --default-signal=INT "$AGONYFS" mount --password-file password Vault Albums & starter=$!
      daemon() { pgrep -f "as-daemon $PWD/Vault"; }
      # SIGHUP, SIGINT and SIGQUIT are 1, 2 and 4 in the mask, SIGTSTP is 0x80000.
      ignores() { grep -Eq 'SigIgn:.*8.{3}[7f]$' /proc/$(daemon)/status 2> none; }
      wait_for 600 'the second process' ignores
      kill -INT -$starter
      wait $starter || true
      not_there() { not daemon; }
      wait_for 600 'its end' not_there
      not grep -q " $W/Albums " /proc/mounts
      agonyfs check --password-file password Vault
      """)
  }

  /// The daemon signals its decoders by number.
  @Test func aParentThatIgnoresItsChildrenDoesNotTakeThoseOfTheDaemon() throws {
    try expectSuccess(
      Workspace.withVault("--segment-size 1M --kdf moderate"),
      """
      env --ignore-signal=CHLD "$AGONYFS" mount --password-file password Vault Albums
      # SIGCHLD is 0x10000 in the mask.
      grep -Eq 'SigIgn:.*[02468ace].{4}$' "/proc/$(pgrep -f "as-daemon $PWD/Vault")/status"
      agonyfs unmount Albums
      """)
  }

  @Test func openFilesEndFirst() throws {
    try expect(
      """
      exec 5> Albums/open 6< Albums/dir/file
      echo before >&5
      agonyfs unmount --lazy Albums
      not grep -q " $W/Albums " /proc/mounts
      # A second in which nothing happens does not end it.
      sleep 1.5
      serves
      echo after >&5
      test "$(cat <&6)" = words
      gives \(CommandStatus.spaceInUse.rawValue) agonyfs mount --password-file password Vault Albums
      exec 5>&- 6<&-
      ended
      open
      test "$(cat Albums/open)" = "before
      after"
      agonyfs unmount Albums
      """)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, to hold a copy of the table of mounts"))
  func aCopyThatNobodyUsesDoesNotKeepTheSpaceOpen() throws {
    try expect(
      """
      unused_copy
      exec 5> Albums/open
      agonyfs unmount --lazy Albums
      echo after >&5
      exec 5>&-
      ended
      cut_off ls "$W/Albums"
      open
      test "$(cat Albums/open)" = after
      agonyfs unmount Albums
      """)
  }

  @Test func aBusyMountIsRefusedAndStays() throws {
    let workspace = try Workspace.withVault()
    #expect(try workspace.mount().status == 0)
    let busy = try workspace.shell("exec 5> Albums/open; agonyfs unmount Albums; status=$?; echo on >&5; exit $status")
    expectFailure(busy, .failure, "in use", "--lazy", "--force")
    #expect(try workspace.shell("cat Albums/open").output == "on\n")
    #expect(try workspace.unmount().status == 0)
    expectFailure(try workspace.agonyfs("unmount", "--lazy", "--force", workspace.at("Albums")), .usage)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, to abort the connection"))
  func anAbortedMountIsTakenAway() throws {
    try expect(
      """
      exec 5< Albums/dir/file
      not umount -f Albums
      ended
      not grep -q " $W/Albums " /proc/mounts
      open
      test "$(cat Albums/dir/file)" = words
      agonyfs unmount Albums
      """)
  }

  /// Whatever others mount in the same moment.
  @Test(.enabled(if: Workspace.isRoot, "only root may mount a tmpfs"))
  func anAbortedMountIsTakenAwayWhenOthersMount() throws {
    try expect(
      """
      exec 5< Albums/dir/file
      halt $pid
      not umount -f Albums
      mkdir other
      mount -t tmpfs none other
      kill -CONT $pid
      ended
      umount other
      not grep -q " $W/Albums " /proc/mounts
      """)
  }

  /// A mount that is made after another one left gets its device number, before the other's process may have noticed.
  @Test func theNextMountIsLeftAlone() throws {
    try expect(
      """
      cp -r Vault Second
      halt $pid
      fusermount3 -u Albums
      mkdir Others
      agonyfs mount --password-file password Second Others
      kill -CONT $pid
      ended
      test "$(stat -c %m Others)" = "$W/Others"
      agonyfs unmount Others
      """)
  }

  /// Runs a script in a mount namespace of its own, since mounts cannot be moved where they are shared.
  private func expectInNamespace(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let start = """
      open
      echo words > Albums/file

      """
    try expectSuccess(
      inNamespaceOf: Workspace.withVault(), Self.functions + start + script, sourceLocation: sourceLocation)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, to move mounts"))
  func movingIsNoLeaving() throws {
    try expectInNamespace(
      """
      mkdir Other
      mount --move Albums Other
      sleep 0.5
      test "$(cat Other/file)" = words
      echo more > Other/more
      agonyfs unmount Other
      not serves
      open
      test "$(cat Albums/more)" = more
      mount --move Albums Other
      kill -TERM $pid
      ended
      not grep " $W/" /proc/self/mounts
      """)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, to bind mounts"))
  func itServesAsLongAsItIsMountedAnywhere() throws {
    try expectInNamespace(
      """
      mkdir Other
      mount --bind Albums Other
      umount Albums
      sleep 0.5
      test "$(cat Other/file)" = words
      umount Other
      ended
      open
      mount --bind Albums Other
      agonyfs unmount Albums
      not serves
      not grep " $W/" /proc/self/mounts
      """)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, to mount over a mount"))
  func whatIsMountedOverItIsNoLeaving() throws {
    try expectInNamespace(
      """
      exec 5< Albums/file
      mount -t tmpfs none Albums
      sleep 0.5
      test "$(cat <&5)" = words
      exec 5<&-
      gives \(CommandStatus.mountPointUnusable.rawValue) agonyfs unmount Albums
      umount Albums
      test "$(cat Albums/file)" = words
      agonyfs unmount Albums
      not serves
      """)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, to hold a copy of the table of mounts"))
  func aCopyIsNotUnmountedForTheOthers() throws {
    try expect(
      """
      unused_copy
      says \(CommandStatus.failure.rawValue) 'another mount namespace' \\
        nsenter -t $holder -m "$AGONYFS" unmount "$W/Albums"
      serves
      test "$(cat Albums/dir/file)" = words
      agonyfs unmount Albums
      not serves
      """)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, to hold a copy of the table of mounts"))
  func anIdleMountIsLockedToo() throws {
    try expectSuccess(
      Self.functions + """
        agonyfs mount --idle 2s --password-file password Vault Albums
        pid=$(pgrep -of "^agonyfs mount .*$W/Albums")
        unused_copy
        ended
        cut_off ls "$W/Albums"
        """)
  }

  @Test func aRootDirectoryThatCannotBeReadIsUnmountedAllTheSame() throws {
    try expect(
      """
      chmod 0 Albums
      agonyfs unmount Albums
      not serves
      open
      chmod 700 Albums
      agonyfs unmount Albums
      """)
  }
}
