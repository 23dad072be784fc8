import Testing

@testable import agonyfs

/// A disk that fills up under a mounted space.
@Suite struct FullDiskTests {
  @Test(.enabled(if: Workspace.isRoot, "needs root, for a small file system"))
  func nothingAcknowledgedIsLostAndDeletingWorks() throws {
    let workspace = try Workspace()
    try workspace.makeVault("--segment-size 1M")
    try expectSuccess(
      workspace,
      """
      used=$(du -sm Vault | cut -f 1)
      mkdir disk
      mount -t tmpfs -o size=$((used + 60))m none disk
      cp -a Vault disk/
      agonyfs mount --password-file password disk/Vault Albums
      head -c 4000000 /dev/urandom > photo
      n=0
      # Each photo is written and synced, until one is refused.
      while dd if=photo of=Albums/photo$n bs=1M conv=fsync 2> errors; do n=$((n + 1)); test $n -lt 100; done
      grep -q 'No space left' errors
      test $n -ge 3
      rm Albums/photo$n Albums/photo0
      test "$(cat Albums/photo1 | cmp - photo && echo same)" = same
      agonyfs unmount Albums
      agonyfs mount --password-file password disk/Vault Albums
      i=1
      while [ $i -lt $n ]; do cmp photo Albums/photo$i; i=$((i + 1)); done
      not test -e Albums/photo0
      rm Albums/photo*
      # The room comes back, in steps, as dead files of the vault are deleted.
      i=0
      until cp photo Albums/again && sync -f Albums; do i=$((i + 1)); test $i -lt 100; sleep 0.1; done
      cmp photo Albums/again
      agonyfs unmount Albums
      """)
  }
}
