import TestSupport
import Testing

/// What programs of the desktop and of the system see of a mount beside its files.
@Suite struct DesktopMountTests {
  /// KDE keeps no thumbnails of mounts that have the name of others.
  @Test func mountWithAnotherTypeIsFound() throws {
    try expectSuccess(
      """
      agonyfs mount -o subtype=gocryptfs --password-file password Vault Albums
      grep " $W/Albums fuse.gocryptfs " /proc/mounts
      echo words > Albums/file
      agonyfs unmount Albums
      not grep " $W/Albums " /proc/mounts
      """)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, to unmount only what a namespace has"))
  func allMountsWithAnotherTypeAreFound() throws {
    try expectSuccess(
      inNamespaceOf: Workspace.withVault(), isAlone: true,
      """
      agonyfs mount -o subtype=gocryptfs --password-file password Vault Albums
      agonyfs unmount --all
      not grep " $W/Albums " /proc/mounts
      """)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, as mount(8) does"))
  func fileManagersAreToldToHideIt() throws {
    try expectSuccess(
      inNamespaceOf: Workspace.withVault(),
      """
      mount -t tmpfs none /usr/local/bin
      ln -s "$AGONYFS" /usr/local/bin/agonyfs
      mkdir -p /run/mount
      mount -t tmpfs none /run/mount
      mount -t fuse.agonyfs "$W/Vault" "$W/Albums" -o passfile="$W/password",x-gvfs-hide,allow_other 2> told
      grep "TARGET=$W/Albums .*x-gvfs-hide" /run/mount/utab
      grep -q 'PRUNEFS' told
      umount Albums
      agonyfs mount -o x-gvfs-hide --password-file password Vault Albums 2> told
      not grep PRUNEFS told
      agonyfs unmount Albums
      """)
  }

  /// df counts what the host keeps for root as neither used nor available.
  @Test(.enabled(if: Workspace.isRoot, "needs root, for a file system of its own"))
  func whatIsKeptForRootIsNotUsed() throws {
    try expectSuccess(
      """
      make_disk 400M ext4 -m 20
      cp -a Vault disk/
      agonyfs mount --password-file password disk/Vault Albums
      test $(($(stat -f -c '(%f - %a) * %S' Albums) / 1048576)) -ge 70
      agonyfs unmount Albums
      detach
      """)
  }

  @Test func errorsOfTheCommandLineAreOurs() throws {
    for arguments in [["mount", "--nonsense"], ["create"], ["create", "--segment-size", "3M", "Vault"]] {
      let outcome = try Outcome(Workspace.program, arguments: arguments)
      #expect(outcome.status == 2 && outcome.errors.hasPrefix("agonyfs: "), "\(outcome)")
    }
    let help = try Workspace().agonyfs("create", "--help")
    #expect(help.status == 0 && help.output.contains("AES"), "\(help)")
  }
}
