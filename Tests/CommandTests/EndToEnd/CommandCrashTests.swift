import Testing

/// The program in the background is killed.
@Suite struct CommandCrashTests {
  @Test func whatWasSyncedIsThereWithoutRepair() throws {
    try expectSuccess(
      """
      head -c 5000000 /dev/urandom > photo
      agonyfs mount --password-file password Vault Albums
      dd if=photo of=Albums/synced bs=1M conv=fsync
      cp photo Albums/perhaps
      \(Self.kill)
      fusermount3 -u Albums
      agonyfs mount --password-file password Vault Albums
      cmp photo Albums/synced
      # Of what was not synced a prefix may be there, and nothing else.
      if [ -e Albums/perhaps ]; then head -c "$(stat -c %s Albums/perhaps)" photo | cmp - Albums/perhaps; fi
      agonyfs unmount Albums
      agonyfs check --read-data --password-file password Vault
      """)
  }

  /// And the dead mount is taken away.
  @Test func whatWasNotSyncedIsCommittedByItself() throws {
    try expectSuccess(
      """
      agonyfs mount --password-file password Vault Albums
      echo text > Albums/file
      # What another process sees of the space while it is mounted is what was committed.
      is_committed() { agonyfs info --json --password-file password Vault | grep -Eq '"dataBytes" *: *5\\b'; }
      wait_for 600 'the commit' is_committed
      kill -9 "$(pgrep -f "^agonyfs mount .*$W/Albums")"
      agonyfs unmount Albums
      not grep -q " $W/Albums " /proc/mounts
      agonyfs mount --password-file password Vault Albums
      test "$(cat Albums/file)" = text
      agonyfs unmount Albums
      """)
  }

  /// Kills the program in the background, and waits until it has ended.
  private static let kill = """
    killed=$(pgrep -f "^agonyfs mount .*$W/Albums")
    kill -9 $killed
    gone $killed
    """

  /// As a supervisor does it that starts a service again, also while somebody still works there, and where it is called
  /// otherwise.
  @Test(arguments: ["", "-o subtype=gocryptfs"]) func whoMountsAgainTakesADeadMountAway(options: String) throws {
    try expectSuccess(
      """
      agonyfs mount \(options) --password-file password Vault Albums
      echo text > Albums/file
      sync Albums/file
      (cd Albums && exec sleep 1000) & works=$!
      in_place() { test "$(readlink /proc/$works/cwd)" = "$W/Albums"; }
      wait_for 600 'somebody works there' in_place
      \(Self.kill)
      agonyfs mount \(options) --password-file password Vault Albums
      test "$(cat Albums/file)" = text
      test "$(grep -c " $W/Albums " /proc/mounts)" = 1
      kill $works
      agonyfs unmount Albums
      """)
  }

  @Test func callerThatGoesAwayLeavesNoMount() throws {
    // Deriving the key takes so long that the program in the background is stopped before the mount answers.
    try expectSuccess(
      Workspace.withVault("--kdf moderate"),
      """
      appears() { pid=$(pgrep -f "^agonyfs mount .*$W/Albums"); }
      # Stops the program in the background, and says whether that was before it mounted.
      catch() {
        nice -n 19 "$AGONYFS" mount --password-file password Vault Albums & caller=$!
        wait_for 600 'a process in the background' appears
        halt $pid
        not mounted
      }
      tries=0
      until catch; do
        kill -CONT $pid
        wait $caller
        agonyfs unmount Albums
        tries=$((tries + 1)); test $tries -lt 100
      done
      kill -9 $caller
      kill -CONT $pid
      gone $pid
      not mounted
      """)
  }
}
