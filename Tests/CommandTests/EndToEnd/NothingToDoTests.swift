import TestSupport
import Testing

@testable import agonyfs

/// Commands that have nothing to do say so.
@Suite struct NothingToDoTests {
  @Test func anEmptyListIsSaid() throws {
    try expectSuccess(
      """
      export XDG_STATE_HOME="$W/state"
      agonyfs password list > out 2> err
      test ! -s out
      grep -q '^agonyfs: No key is enrolled on this machine.$' err
      agonyfs password list Vault > out 2> err
      test ! -s out
      grep -q '^agonyfs: No key is enrolled on this machine for Vault.$' err
      """)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, for a namespace without the mounts of others"))
  func lockingNothingIsSaid() throws {
    try expectSuccess(
      inNamespaceOf: Workspace.withVault(), isAlone: true,
      """
      agonyfs lock 2> said
      grep -q 'You have not mounted anything' said
      agonyfs mount --password-file password Vault Albums
      agonyfs lock 2> said
      not grep '^agonyfs:' said
      not mounted
      """)
  }

  /// At a terminal only: elsewhere, a journal may keep it.
  @Test(.enabled(if: Workspace.isRoot, "needs root, for a namespace without the mounts of others"))
  func lockingTellsWhatWasLockedAndWhatRuns() throws {
    try expectSuccess(
      inNamespaceOf: Workspace.withVault(), isAlone: true,
      """
      # Stands for a server: only its arguments are looked at.
      bash -c 'exec -a agonyfs-web sh -c "sleep 300; :" --vault /V' &
      server=$!
      stands() { tr '\\0' ' ' < /proc/$server/cmdline | grep -q '^agonyfs-web .*--vault /V'; }
      wait_for 600 'the server' stands
      agonyfs mount --password-file password Vault Albums
      script -qec "$AGONYFS lock" /dev/null > said
      not mounted
      grep -q '^agonyfs: 1 space was locked.' said
      grep -q "^agonyfs: agonyfs serve still runs.*, or with: kill $server" said
      kill -0 $server
      agonyfs lock 2> said
      not grep -q serve said
      kill -s KILL $server
      """)
  }

  /// One that shows a mounted space mounts nothing.
  @Test func serversOfVaultsAreKnown() {
    let start = ["agonyfs-web", "--port", "8443", "--idle", "600"]
    #expect(RunningServers.servesVault(start + ["--vault", "/V"]))
    #expect(!RunningServers.servesVault(start + ["--vault", "/V", "--mount", "/M"]))
    #expect(!RunningServers.servesVault(["agonyfs-web", "--choose", "--mount", "/M"]))
    #expect(!RunningServers.servesVault(["agonyfs", "mount", "--vault"]))
    #expect(!RunningServers.servesVault([]))
  }

  @Test func aSecondMountAtOnePlaceSaysWhatIsThere() throws {
    try expectSuccess(
      """
      agonyfs mount --password-file password Vault Albums
      says 14 "A space of $W/Vault is mounted at .*Albums already" agonyfs mount --password-file password Vault Albums
      cp -r Vault Other
      says 14 'A FUSE file system is already mounted' agonyfs mount --password-file password Other Albums
      says 2 'unmount it with agonyfs unmount, then mount it' agonyfs mount -o remount,ro --password-file password Vault Albums
      mounted
      agonyfs unmount Albums
      """)
  }
}
