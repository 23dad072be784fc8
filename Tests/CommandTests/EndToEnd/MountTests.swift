import TestSupport
import Testing

@testable import agonyfs

/// Mounting in the background and in the foreground, and the ways to end a mount.
@Suite struct MountTests {
  @Test func filesAreThereAfterMountingAgain() throws {
    try expectSuccess(
      """
      agonyfs mount --password-file password Vault Albums
      grep -q " $W/Albums fuse.agonyfs " /proc/mounts
      mkdir -p Albums/Summer/Beach
      head -c 3000000 /dev/urandom > photo
      cp -a photo Albums/Summer/Beach/IMG_1.jpg
      agonyfs unmount Albums
      not grep -q " $W/Albums " /proc/mounts
      test -z "$(ls Albums)"
      agonyfs mount --password-file password Vault Albums
      cmp photo Albums/Summer/Beach/IMG_1.jpg
      agonyfs unmount Albums
      """)
  }

  /// As some supervisors and cron jobs start programs.
  @Test(arguments: TestLength.drawn(["<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"], 2))
  func standardDescriptorsMayBeClosed(_ closed: String) throws {
    // What cannot say what it did says that by its status.
    let orSilent = closed.contains(">&-") ? "|| test $? = 1" : ""
    try expectSuccess(
      """
      agonyfs mount --password-file password Vault Albums \(closed)
      echo text > Albums/file
      agonyfs list Albums \(closed)
      agonyfs thumbnails Albums > /dev/null
      agonyfs unmount Albums \(closed)
      agonyfs mount --password-file password -o fsname=x Vault Albums \(closed)
      test "$(cat Albums/file)" = text
      # What starts the decoder, a shell or another program.
      vips gaussnoise a.jpg 64 48
      python3 -c "import zipfile; zipfile.ZipFile('a.zip', 'w').write('a.jpg')"
      agonyfs import a.zip Albums/new \(closed) \(orSilent)
      test -n "$(find Albums -name a.jpg)"
      agonyfs export --resize 32 Albums out \(closed) \(orSilent)
      test -n "$(find out -name a.jpg)"
      agonyfs unmount Albums \(closed)
      agonyfs info --password-command 'cat password' Vault \(closed) \(orSilent)
      agonyfs run --password-file password Vault -- true \(closed)
      """)
  }

  /// As systemd's `Type=notify` wants it.
  @Test func aServiceManagerIsToldWhenItIsMounted() throws {
    try expectSuccess(
      """
      cat > manager <<'END'
      import os, socket
      receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
      receiver.bind("notify")
      open("ready", "w")
      said = receiver.recv(100)
      assert said == b"READY=1", said
      assert os.path.ismount("Albums")
      END
      timeout 600 python3 manager & manager=$!
      until test -e ready; do kill -0 $manager; sleep 0.05; done
      echo wrong > wrong
      not env NOTIFY_SOCKET="$W/notify" "$AGONYFS" mount --foreground --password-file wrong Vault Albums
      kill -0 $manager
      env NOTIFY_SOCKET="$W/notify" "$AGONYFS" mount --foreground --password-file password Vault Albums & service=$!
      wait $manager
      agonyfs unmount Albums
      wait $service
      """)
  }

  /// While the kernel's table of descriptors grows, opening a file takes 10 to 20 ms.
  @Test func thereIsRoomForDescriptorsFromTheStart() throws {
    try expectSuccess(
      """
      agonyfs mount --password-file password Vault Albums
      pid=$(pgrep -of "^agonyfs mount .*$W/Albums")
      test "$(awk '/^FDSize/ { print $2 }' /proc/$pid/status)" -ge 1024
      agonyfs unmount Albums
      """)
  }

  @Test func processIsNamedWithoutThePassword() throws {
    try expectSuccess(
      """
      agonyfs mount --password='\(Workspace.password)' -o noexec Vault Albums
      # This shell and other tests hold the words, too, so only lines of this mount are looked at.
      ps -eo args= | grep -F "$W/Albums" | grep '^agonyfs mount' > processes
      grep -E "^agonyfs mount -o noexec .*$W/Vault $W/Albums" processes
      not grep -q 'horse battery' processes
      agonyfs unmount Albums
      ps -eo args= > processes
      not grep -E "^agonyfs mount .*$W/Albums" processes
      """)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, to look at a process that may not be looked at"))
  func daemonHoldsNothingOfItsCaller() throws {
    try expectSuccess(
      """
      mkdir here; cd here
      exec 9> "$W/inherited"
      agonyfs mount --password-file ../password ../Vault ../Albums
      exec 9>&-
      pid=$(pgrep -of "^agonyfs mount .*$W/Albums")
      test "$(readlink /proc/$pid/cwd)" = /
      for n in 0 1 2; do test "$(readlink /proc/$pid/fd/$n)" = /dev/null; done
      ls -l /proc/$pid/fd > "$W/open"
      not grep -e inherited -e password -e pipe:.*here "$W/open"
      test "$(ps -o sid= -p $pid | tr -d ' ')" = $pid
      agonyfs unmount ../Albums
      """)
  }

  @Test(
    arguments: TestLength.sample(
      ["fusermount3 -u Albums", "umount Albums", "kill -TERM $pid", "kill -INT $pid", "kill -HUP $pid"], 3))
  func everyWayToEndWritesEverything(_ ending: String) throws {
    try expectSuccess(
      """
      agonyfs mount --password-file password Vault Albums
      pid=$(pgrep -of "^agonyfs mount .*$W/Albums")
      echo last words > Albums/file
      \(ending)
      gone $pid
      not grep -q " $W/Albums " /proc/mounts
      agonyfs mount --password-file password Vault Albums
      test "$(cat Albums/file)" = 'last words'
      agonyfs unmount Albums
      """)
  }

  /// Unmounting does not wait for the process, which writes what is left; a mount right after it waits.
  @Test(arguments: ["fusermount3 -u Albums", "umount Albums"])
  func mountWaitsForTheOneThatEnds(_ ending: String) throws {
    let rounds = TestLength.count(6, few: 2)
    try expectSuccess(
      """
      agonyfs mount --password-file password Vault Albums
      for i in $(seq \(rounds)); do
        pid=$(pgrep -of "^agonyfs mount .*$W/Albums")
        head -c 5000000 /dev/urandom > photo
        cp photo Albums/photo$i
        sync Albums/photo$i
        for n in 1 2 3 4 5 6 7 8 9; do echo $n > Albums/note$i.$n; done
        # It goes on a little later than it could, as on a machine that has much to do.
        halt $pid
        \(ending)
        agonyfs mount --password-file password Vault Albums & mounting=$!
        two() { test "$(pgrep -cf "^agonyfs mount .*$W/Albums")" -ge 2; }
        wait_for 600 'the other process' two
        kill -CONT $pid
        wait $mounting
        cmp photo Albums/photo$i
        test "$(cat Albums/note$i.9)" = 9
      done
      not agonyfs check --password-file password Vault
      \(ending)
      agonyfs check --password-file password Vault
      """)
  }

  @Test func foregroundServesUntilTerminated() throws {
    try expectSuccess(
      """
      "$AGONYFS" mount --foreground --password-file password Vault Albums &
      wait_for 600 'the mount' mounted
      echo written > Albums/file
      kill -TERM $!
      wait $!
      agonyfs mount --password-file password Vault Albums
      test "$(cat Albums/file)" = written
      agonyfs unmount Albums
      """)
  }

  /// In a mount namespace without the mounts of other tests.
  @Test(.enabled(if: Workspace.isRoot, "needs root, for a mount namespace"))
  func severalAreUnmountedAndLocked() throws {
    let workspace = try Workspace.withVault()
    let outcome = try workspace.shell(
      """
      cat > script <<'END'
      set -e
      agonyfs() { "$AGONYFS" "$@"; }
      mount --make-rprivate /
      types=$(awk '$3 ~ /^fuse/ {print $3}' /proc/mounts | sort -u | paste -sd ,)
      test -z "$types" || umount -al -t "$types"
      mkdir A B C
      agonyfs space add --cover 0 --password-command 'echo another word' Vault 2> /dev/null
      agonyfs mount --password-file password Vault A
      agonyfs mount --password-command 'echo another word' Vault B
      cat /proc/$(pgrep -f "mount .*$W/B")/comm
      exec 5> A/open
      agonyfs unmount C A B || echo status $?
      grep -c "$W/" /proc/mounts
      agonyfs mount --password-command 'echo another word' -o subtype=other Vault B
      agonyfs unmount --all || echo status $?
      grep -c "$W/" /proc/mounts
      echo text >&5
      agonyfs lock
      grep -c "$W/" /proc/mounts || true
      echo text >&5 || echo cut off
      agonyfs lock
      agonyfs mount --password-file password Vault A
      cat A/open
      agonyfs unmount --all
      END
      unshare -m -p -f --mount-proc --kill-child sh script
      """)
    #expect(
      outcome.output == """
        agonyfs
        status 14
        1
        status 1
        1
        0
        cut off
        text
        """ + "\n")
    #expect(outcome.status == 0)
    expectFailure(try workspace.agonyfs("unmount"), .usage)
    expectFailure(try workspace.agonyfs("unmount", "--all", workspace.at("A")), .usage)
  }

  @Test func nothingIsMountedThere() throws {
    let workspace = try Workspace()
    _ = try workspace.shell("mkdir Albums")
    expectFailure(try workspace.unmount(), .mountPointUnusable, "No agonyfs space is mounted")
    expectFailure(try workspace.agonyfs("unmount", workspace.at("absent")), .mountPointUnusable)
  }

  @Test func oneSpaceIsMountedOnce() throws {
    let workspace = try Workspace.withVault()
    #expect(try workspace.mount().status == 0)
    let second = try workspace.shell("mkdir Second; agonyfs mount --password-file password Vault Second")
    expectFailure(second, .spaceInUse, "in use")
    for command in ["space remove", "password change --new-password=somethingelse"] {
      let outcome = try workspace.shell("agonyfs \(command) --password-file password Vault")
      expectFailure(outcome, .spaceInUse)
    }
    #expect(try workspace.unmount().status == 0)
    #expect(try workspace.shell("agonyfs mount --password-file password Vault Second").status == 0)
  }

  /// To whoever has its password, and after one derivation.
  @Test func aSpaceThatIsMountedIsToldWithItsPlace() throws {
    try expectSuccess(
      """
      export AGONYFS_TEST_DERIVATION_COUNT="$W/derivations"
      derives() { test "$(wc -c < derivations)" = $1; rm derivations; }
      place="$W/Albums 2"
      mkdir "$place" Second
      agonyfs mount --password-file password Vault "$place"
      derives 1
      for way in '' --foreground; do
        tells 15 '^agonyfs: This space is in use: it is mounted at ' agonyfs mount $way --password-file password Vault Second
        printf '%s\\n' "$place" | cmp - out
        derives 1
        # A program that asks gets the mount's process, too.
        gives 15 agonyfs mount $way --tell-server --password-file password Vault Second > out
        printf '%s\\n%s\\n' "$place" "$(getfattr --only-values -n system.agonyfs.daemon "$place")" | cmp - out
        rm derivations
        echo 'no space has this' > wrong
        says 12 'No space in' agonyfs mount $way --password-file wrong Vault Second
        test ! -s out
        not grep -q Albums err
        derives 1
      done
      agonyfs list --password-file password Vault
      derives 1
      agonyfs unmount "$place"
      # A mount that is ready holds nobody's output.
      test -z "$(agonyfs mount --password-file password Vault Second)"
      agonyfs unmount Second
      """)
  }

  private static let canTrace =
    Workspace.isRoot && (try? Outcome("/usr/bin/strace", arguments: ["-o", "/dev/null", "/bin/true"]).status) == 0

  /// In a namespace without mounts of spaces, as on another machine. On some network file systems a read of what the other
  /// machine writes never ends.
  @Test(.enabled(if: canTrace, "needs root, strace, and leave to trace"))
  func ofASpaceInUseElsewhereNoFileIsReadAfterTheRefusal() throws {
    try expectSuccess(
      """
      mkdir Second
      agonyfs mount --password-file password Vault Albums
      echo text > Albums/file
      cat > elsewhere <<'END'
      umount -al -t "$(awk '$3 ~ /^fuse/ { print $3 }' /proc/mounts | sort -u | paste -sd ,)"
      exec strace -f -qq -o trace -e trace=openat,fcntl \
        "$AGONYFS" mount --foreground --password-file password Vault Second
      END
      gives 15 unshare -m sh ./elsewhere
      # The slot's files are opened again, to take them out of memory.
      awk '/F_OFD_SETLK/ && /EAGAIN/ { refused = 1 }
        match($0, /"[0-9a-f][0-9a-f][/][0-9a-f]+"/) {
          name = substr($0, RSTART, RLENGTH)
          files += refused && !(name in known)
          known[name]
        }
        END { exit !(refused && files == 0) }' trace
      test "$(cat Albums/file)" = text
      agonyfs unmount Albums
      """)
  }

  /// Ceph 16 keeps a lock that was taken twice.
  @Test(.enabled(if: canTrace, "needs root, strace, and leave to trace"))
  func theEndOfALeaseIsAnnouncedOnce() throws {
    try expectSuccess(
      """
      strace -f -qq -o trace -e trace=fcntl "$AGONYFS" mount --foreground --password-file password Vault Albums &
      served=$!
      wait_for 600 'the space is mounted' mounted
      echo text > Albums/file
      agonyfs unmount Albums
      wait $served
      test "$(grep -c 'F_OFD_SETLK.*l_start=1099511627777' trace)" = 1
      """)
  }

  /// On a disk on which the cover is small.
  @Test(.enabled(if: Workspace.isRoot, "needs root, for a small file system"))
  func createMakesTheVaultFirst() throws {
    try expectSuccess(
      Workspace(),
      """
      mkdir Albums disk
      mount -t tmpfs -o size=1000m none disk
      echo 'correct horse battery staple' > password
      agonyfs mount --create --password-file password disk/Vault Albums
      echo first > Albums/file
      agonyfs unmount Albums
      agonyfs mount --create --password-file password disk/Vault Albums
      test "$(cat Albums/file)" = first
      agonyfs unmount Albums
      """)
  }

  @Test func readOnlyMountRefusesChanges() throws {
    try expectSuccess(
      """
      agonyfs mount --password-file password Vault Albums
      echo text > Albums/file
      agonyfs unmount Albums
      find Vault -type f | sort | xargs sha256sum > before
      agonyfs mount -o ro --password-file password Vault Albums
      test "$(cat Albums/file)" = text
      not touch Albums/other
      not rm -f Albums/file
      agonyfs unmount Albums
      find Vault -type f | sort | xargs sha256sum | cmp before
      """)
  }

  @Test func mountThatWritesNothingCreatesNothing() throws {
    try expectSuccess(
      """
      agonyfs mount --password-file password Vault Albums
      # What might be a photo would still be looked at by the next mount, which writes down what it found.
      echo 'a text, and no photo' > Albums/file
      agonyfs unmount Albums
      find Vault -type f -printf '%p %s %T@ %C@\\n' | sort > before
      agonyfs mount --password-file password Vault Albums
      cat Albums/file; ls -lR Albums
      agonyfs unmount Albums
      find Vault -type f -printf '%p %s %T@ %C@\\n' | sort | cmp before
      """)
  }

  @Test func idleMountUnmountsItself() throws {
    try expectSuccess(
      """
      agonyfs mount --idle 1s --password-file password Vault Albums
      # On a busy machine it has ended by now.
      if pid=$(pgrep -of "^agonyfs mount .*$W/Albums"); then gone $pid; fi
      not grep -q " $W/Albums " /proc/mounts
      """)
  }
}
