import TestSupport
import Testing

/// `agonyfs lock` in a mount namespace without the mounts of others: whatever uses the mounts, everything is written, and
/// the processes with the keys have ended when it returns.
@Suite(.enabled(if: Workspace.isRoot, "needs root, for a namespace without the mounts of others"))
struct CommandLockTests {
  private func expect(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let start = """
      export LC_ALL=C
      keys() { pgrep -fc '^agonyfs mount' || true; }
      lock_ended() { agonyfs lock; test "$(keys)" = 0; not grep -q " $W/" /proc/mounts; }
      open() { agonyfs mount --password-file password "$@"; }

      """
    try expectSuccess(
      inNamespaceOf: Workspace.withVault(), isAlone: true, start + script, sourceLocation: sourceLocation)
  }

  /// Each holder makes `Albums/held` while it works, if it writes, with 3,000,000 times an x; and `ready` when it has.
  @Test(
    "programs that use a mount do not keep it open",
    arguments: TestLength.sample(
      [
        "exec 5> Albums/held; head -c 3000000 /dev/zero | tr '\\0' x >&5; : > ready; exec sleep 300",
        "cd Albums; head -c 3000000 /dev/zero | tr '\\0' x > held; : > ../ready; exec sleep 300",
        "exec \"$MAPWRITER\" Albums/held 3000000 ready",
        // It goes on writing the whole time.
        "yes x | tr -d '\\n' | head -c 3000000 > Albums/held; : > ready; while echo y; do :; done > Albums/other",
      ].flatMap { [(false, $0), (true, $0)] }, 4, kind: { $0.1 }))
  func holders(isStopped: Bool, _ holder: String) throws {
    try expect(
      """
      open Vault Albums
      cat > holder <<'END'
      \(holder)
      END
      setsid sh holder 2> holder.log &
      holder=$!
      wait_for 600 'the mount is held' test -e ready
      \(isStopped ? "kill -s STOP -- -$holder" : "")
      lock_ended
      # One that was not stopped may have ended by itself.
      kill -s KILL -- -$holder || true
      open Vault Albums
      head -c 3000000 /dev/zero | tr '\\0' x | cmp - Albums/held
      agonyfs unmount Albums
      agonyfs check --password-file password Vault
      """)
  }

  /// What is somebody else's, such as sshfs without a network, is not waited for.
  @Test func othersThatHangHoldUpNothing() throws {
    try expect(
      """
      mkdir B
      cp -r Vault Second
      for source in host:/photos "$W/Second"; do
        open Vault Albums
        echo text > Albums/file
        open -o "subtype=sshfs,fsname=$source" Second B
        other=$(pgrep -f "^agonyfs mount .*$W/B")
        halt $other
        not agonyfs lock 2> said
        not mountpoint -q Albums
        test "$(keys)" = 1
        # It may be a space.
        grep -q 'does not answer' said
        kill -CONT $other
        agonyfs unmount B
      done
      """)
  }

  /// One process that hangs, as with a vault on a disk that does not answer, leaves no other space open.
  @Test func whatHangsHoldsUpNoOther() throws {
    try expect(
      """
      mkdir B C
      cp -r Vault Second
      cp -r Vault Third
      open Vault Albums
      first=$(pgrep -f "^agonyfs mount .*$W/Albums")
      open Second B
      second=$(pgrep -f "^agonyfs mount .*$W/B")
      open Third C
      third=$(pgrep -f "^agonyfs mount .*$W/C")
      exec 5> Albums/file 6> C/file
      echo text | tee /dev/fd/5 >&6
      halt $second
      agonyfs lock &
      lock=$!
      wait_for 600 'the others are locked' ends $first
      wait_for 600 'the others are locked' ends $third
      kill -0 $lock
      kill -CONT $second
      wait $lock
      test "$(keys)" = 0
      open Third C
      test "$(cat C/file)" = text
      lock_ended
      """)
  }

  /// The vault of one space is in another space, which is mounted first.
  @Test func aVaultInASpaceIsWrittenBeforeThatSpaceGoes() throws {
    try expect(
      """
      mkdir Inner
      cp -r Vault Copy
      open Vault Albums
      cp -r Copy Albums/Vault
      ln -s Albums link
      open link/Vault Inner
      exec 5> Inner/file
      head -c 20000000 /dev/zero | tr '\\0' x >&5
      lock_ended
      not echo more >&5
      open Vault Albums
      open -o fsname=other,subtype=another Albums/Vault Inner
      head -c 20000000 /dev/zero | tr '\\0' x | cmp - Inner/file
      exec 6> Inner/second
      head -c 20000000 /dev/zero | tr '\\0' y >&6
      lock_ended
      open Vault Albums
      open Albums/Vault Inner
      head -c 20000000 /dev/zero | tr '\\0' y | cmp - Inner/second
      lock_ended
      """)
  }
}
