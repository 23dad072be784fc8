import TestSupport
import Testing

@testable import agonyfs

/// Vaults on file systems that lack something: each is used for a while, killed, mounted again, checked and refreshed.
@Suite struct RealHostTests {
  /// `host KIND` mounts a new file system at `disk`.
  private static let host = """
    host() {
      mkdir disk
      test $1 = sshfs || truncate -s 400M image
      case $1 in
      # Without births, and with all else.
      ext4)
        mkfs.ext4 -q -I 128 image
        mount -o loop image disk
        ;;
      exfat)
        mkfs.exfat image
        # A loop device may be busy for a moment, while another test works in a copy of all mounts.
        loop=
        for n in $(seq 100); do loop=$(losetup -f --show image) && break; sleep 0.1; done
        mount.exfat-fuse $loop disk
        # The device goes with the mount.
        losetup -d $loop
        ;;
      ntfs)
        mkntfs -F -Q -q image
        ntfs-3g image disk
        ;;
      sshfs)
        mkdir served
        printf '#!/bin/sh\\nexec /usr/lib/openssh/sftp-server\\n' > ssh
        chmod +x ssh
        sshfs -o ssh_command="$W/ssh" localhost:"$W/served" disk
        ;;
      esac
    }
    leave() { cd "$W"; wait_for 600 'nobody uses the disk' umount disk; }

    """

  /// Whether there may be a host of a kind here.
  private static func canBe(_ kind: String) -> Bool {
    guard Workspace.isRoot, let workspace = try? Workspace() else { return false }
    return (try? workspace.shell("set -e\n" + host + "host \(kind)\nleave"))?.status == 0
  }

  /// What a vault goes through on every host.
  ///
  /// - Parameters:
  ///   - lacks: what `info --json` has to say of the host, in its order.
  ///   - refresh: what a refresh of `disk/Vault` has to do.
  private func use(_ kind: String, lacks: String, refresh: String) throws {
    try expectSuccess(
      Workspace(),
      Self.host + """
        mount_it() { agonyfs mount --thumbnails none --password-file password disk/Vault Albums; }
        complete_times() {
          test "$(find disk/Vault/segments -type f -printf '%T@\\n' | sort -u)" = 946684800.0000000000
        }
        host \(kind)
        mkdir Albums
        echo 'the password of a space' > password
        agonyfs create --kdf interactive --segment-size 1M --cover 0 --password-file password disk/Vault
        mount_it
        mkdir Albums/album
        for n in $(seq 20); do head -c ${n}0001 /dev/urandom > Albums/album/$n; done
        agonyfs unmount Albums
        mount_it
        head -c 2500000 /dev/urandom > photo
        dd if=photo of=Albums/album/photo bs=1M conv=fsync
        killed=$(pgrep -f "^agonyfs mount .*$W/Albums")
        kill -9 $killed
        gone $killed
        agonyfs unmount Albums
        not files disk/Vault
        says 1 'write something there' agonyfs refresh disk/Vault
        mount_it
        echo more > Albums/more
        cmp photo Albums/album/photo
        for n in $(seq 20); do test $(stat -c %s Albums/album/$n) = ${n}0001; done
        agonyfs unmount Albums
        files disk/Vault
        agonyfs check --read-data --password-file password disk/Vault
        agonyfs info --password-file password disk/Vault > told
        grep -q '^host  *The file system of the vault keeps no creation times: ' told
        agonyfs info --json --password-file password disk/Vault | tr -d ' \\n"' | sed 's/.*lacks:.//; s/].*//' > found
        test "$(cat found)" = \(lacks)
        test "$(ls -A disk/Vault | paste -sd ' ')" = 'agonyfs.json segments'
        \(refresh)
        mount_it
        cmp photo Albums/album/photo
        echo words > Albums/words
        agonyfs unmount Albums
        files disk/Vault
        complete_times
        agonyfs check --read-data --password-file password disk/Vault
        leave
        """)
  }

  private static let refused = "says 1 'cannot link files' agonyfs refresh disk/Vault"
  /// A refresh leaves nothing, and a second one does the same.
  private static let renewed = """
    # FUSE keeps a replaced file that is open under another name until it is closed.
    only_vault() { test "$(ls -A disk/Vault | paste -sd ' ')" = 'agonyfs.json segments'; }
    agonyfs refresh disk/Vault
    wait_for 60 'only the vault was left' only_vault
    test "$(ls -A disk/Vault/segments | grep -cx '[0-9a-f][0-9a-f]')" = "$(ls -A disk/Vault/segments | wc -l)"
    agonyfs check --read-data --password-file password disk/Vault
    agonyfs refresh disk/Vault
    wait_for 60 'only the vault was left' only_vault
    """

  @Test(.enabled(if: canBe("ext4"), "needs root, loop devices and e2fsprogs"))
  func ext4WithoutBirths() throws { try use("ext4", lacks: "births", refresh: "agonyfs refresh disk/Vault") }

  @Test(.enabled(if: canBe("exfat"), "needs root, loop devices, exfat-fuse and exfatprogs"))
  func exFATInUserSpace() throws {
    let lacks = "births,unnamedFiles,hardLinks,renameWithoutReplacing,exchange,allocation,modes"
    try use("exfat", lacks: lacks, refresh: Self.refused)
  }

  @Test(.enabled(if: canBe("ntfs"), "needs root and ntfs-3g"))
  func ntfsInUserSpace() throws {
    let lacks = "births,unnamedFiles,renameWithoutReplacing,exchange,allocation,modes"
    try use("ntfs", lacks: lacks, refresh: Self.renewed)
  }

  @Test(.enabled(if: canBe("sshfs"), "needs root, sshfs and openssh-sftp-server"))
  func sshfs() throws {
    let lacks = "births,unnamedFiles,renameWithoutReplacing,exchange,allocation"
    try use("sshfs", lacks: lacks, refresh: Self.renewed)
  }
}
