import TestSupport
import Testing

/// The host's file system stops under load as in a power cut, or the program is killed under load; what was fsynced
/// is there. Also in a hidden space, which keeps the number of its files.
@Suite(.serialized) struct CommandPowerCutTests {
  private static let ext4 = CrashLoad.canMount("ext4")
  private static let xfs = CrashLoad.canMount("xfs")

  @Test(.enabled(if: ext4, "needs root, loop devices and ext4"), arguments: ["", "24M"])
  func powerCutsOnExt4KeepWhatWasSynced(ownCover: String) throws { try cut("ext4", ownCover) }

  @Test(.enabled(if: xfs, "needs root, loop devices, XFS and xfsprogs"), arguments: ["", "24M"])
  func powerCutsOnXFSKeepWhatWasSynced(ownCover: String) throws { try cut("xfs", ownCover) }

  /// `used VAULT` writes and deletes in a hidden space until most of its cover was displaced. `complete VAULT` says that
  /// its number of files is the one of before, all are whole, and none has blocks beyond its end; without a hidden space
  /// the number may change.
  private static let functions = """
    used() {
      files $1 > number
      for n in 1 2 3; do
        agonyfs mount --copy-window 0 --password-file password $1 Albums
        head -c 15000000 /dev/zero > Albums/zero
        sync Albums/zero
        rm Albums/zero
        agonyfs unmount Albums
      done
    }
    complete() {
      now=$(files $1)
      if [ -e number ]; then test $now = $(cat number); fi
      find $1 -type f -printf '%s %b\\n' | awk '$2 * 512 > $1 + 8192 { exit 1 }'
    }

    """

  /// Only what was promised before the cut counts. An fdatasync(2) that the cut overtakes returns 0 on ext4 although what
  /// it wrote is lost, where a real cut ends its caller as well.
  private func cut(_ kind: String, _ ownCover: String) throws {
    let workspace = try Workspace.withVault(ownCover: ownCover)
    try expectSuccess(
      workspace,
      """
      \(Self.functions)
      make_disk 700M \(kind)
      mv Vault disk/
      \(ownCover.isEmpty ? "" : "used disk/Vault")
      sync -f disk
      """)
    for _ in 0..<TestLength.count(2, few: 1, name: kind + ownCover) {
      try expectSuccess(
        workspace,
        """
        \(CrashLoad.functions)
        agonyfs mount --password-file password disk/Vault Albums
        start
        promised 60
        """)
      try CrashLoad.cutPower(of: workspace.at("disk"))
      try expectSuccess(
        workspace,
        """
        \(Self.functions + CrashLoad.functions)
        murder
        detach
        mount -o loop image disk
        agonyfs mount --password-file password disk/Vault Albums
        verify Albums promised
        rm -r Albums/load? manifest? promised?
        echo more > Albums/more
        agonyfs unmount Albums
        complete disk/Vault
        agonyfs check --read-data --password-file password disk/Vault
        """)
    }
    try expectSuccess(workspace, "umount disk")
  }

  @Test(arguments: ["", "24M"]) func killsUnderLoadKeepWhatWasSynced(ownCover: String) throws {
    let rounds = TestLength.count(3, few: 2, name: "kills")
    try expectSuccess(
      """
      \(Self.functions + CrashLoad.functions)
      \(ownCover.isEmpty ? "" : "used Vault")
      for round in $(seq \(rounds)); do
        agonyfs mount --password-file password Vault Albums
        start
        promised $((60 * round))
        murder
        agonyfs mount --password-file password Vault Albums
        verify
        agonyfs unmount Albums
        complete Vault
        agonyfs check --read-data --password-file password Vault
      done
      """, ownCover: ownCover)
  }
}
