import Testing

/// A disk that stops working under a mounted space: writers are told, and so is anyone who asks why.
@Suite struct FailingDiskTests {
  private static let ext4 = CrashLoad.canMount("ext4")

  @Test(.enabled(if: ext4, "needs root, loop devices and ext4"), arguments: ["", "24M"])
  func anErrorOfTheDiskIsToldInTheLogAndInTheStatus(ownCover: String) throws {
    let workspace = try Workspace.withVault(ownCover: ownCover)
    try expectSuccess(
      workspace,
      """
      make_disk 300M ext4
      mv Vault disk/
      sync -f disk
      # In the foreground standard error is the log.
      "$AGONYFS" mount --foreground --password-file password disk/Vault Albums 2> log &
      wait_for 600 'the mount' mounted
      mkdir Albums/holiday
      echo kept > Albums/holiday/secretname
      # The kernel tells no file system in user space of sync -f.
      sync Albums/holiday/secretname Albums/holiday Albums
      """)
    try CrashLoad.cutPower(of: workspace.at("disk"))
    try expectSuccess(
      workspace,
      #"""
      not dd if=/dev/zero of=Albums/holiday/secretname2 bs=100k count=3 conv=fsync 2> error
      cat error
      # The kernel says for a moment that there is an error, and then that nothing can be written.
      grep -q -e 'Input/output error' -e 'Read-only file system' error
      not touch Albums/holiday/secretname3 2> error
      grep -q 'Read-only file system' error
      not mv Albums/holiday Albums/other 2> error
      grep -q 'Read-only file system' error
      # This disk cannot be read any more either; what is read is right or an error.
      test "$(cat Albums/holiday/secretname || echo kept)" = kept
      grep '"readOnly": "' Albums/.agonyfs/status
      grep -q '"readOnly": "[a-z0-9 ]* failed: ' Albums/.agonyfs/status
      not grep -q -e secretname -e holiday Albums/.agonyfs/status
      cat Albums/.agonyfs/status > status
      agonyfs unmount Albums || true
      cat log
      grep -q 'failed: \|read-only' log
      # The reason is told once, not with every request that it refuses.
      test "$(wc -l < log)" -lt 12
      not grep -q -e secretname -e holiday log
      # Nor can it be known from any of these which segment files are the space's.
      not grep -E '[0-9a-f]{32}' log error status
      detach
      mount -o loop image disk
      agonyfs mount --password-file password disk/Vault Albums
      test "$(cat Albums/holiday/secretname)" = kept
      agonyfs unmount Albums
      umount disk
      """#)
  }
}
