import TestSupport
import Testing

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
