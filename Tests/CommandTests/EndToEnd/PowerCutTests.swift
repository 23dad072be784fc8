import Testing

@testable import agonyfs

/// The host's file system stops under load as in a power cut, or the program is killed under load; what was fsynced
/// is there.
@Suite(.serialized) struct PowerCutTests {
  private static let ext4 = CrashLoad.canMount("ext4")
  private static let xfs = CrashLoad.canMount("xfs")

  @Test(.enabled(if: ext4, "needs root, loop devices and ext4"))
  func powerCutsOnExt4KeepWhatWasSynced() throws { try cut("ext4") }

  @Test(.enabled(if: xfs, "needs root, loop devices, XFS and xfsprogs"))
  func powerCutsOnXFSKeepWhatWasSynced() throws { try cut("xfs") }

  private func cut(_ kind: String) throws {
    let workspace = try Workspace()
    try workspace.makeVault()
    try expectSuccess(
      workspace,
      """
      truncate -s 700M image
      mkfs.\(kind) -q image
      mkdir disk
      mount -o loop image disk
      mv Vault disk/
      sync -f disk
      """)
    for round in 1...2 {
      try expectSuccess(
        workspace,
        """
        \(CrashLoad.functions)
        agonyfs mount --password-file password disk/Vault Albums
        start
        promised \(60 * round)
        """)
      try CrashLoad.cutPower(of: workspace.at("disk"))
      try expectSuccess(
        workspace,
        """
        \(CrashLoad.functions)
        murder
        detach
        mount -o loop image disk
        agonyfs mount --password-file password disk/Vault Albums
        verify
        echo more > Albums/more
        agonyfs unmount Albums
        agonyfs check --read-data --password-file password disk/Vault
        """)
    }
    try expectSuccess(workspace, "umount disk")
  }

  @Test func killsUnderLoadKeepWhatWasSynced() throws {
    let workspace = try Workspace()
    try workspace.makeVault()
    try expectSuccess(
      workspace,
      """
      \(CrashLoad.functions)
      for round in 1 2 3; do
        agonyfs mount --password-file password Vault Albums
        start
        promised $((60 * round))
        murder
        agonyfs mount --password-file password Vault Albums
        verify
        agonyfs unmount Albums
        agonyfs check --read-data --password-file password Vault
      done
      """)
  }
}
