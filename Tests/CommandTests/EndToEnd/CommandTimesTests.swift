import Glibc
import TestSupport
import Testing

/// No time of a file or folder says what was used.
@Suite struct CommandTimesTests {
  private static let ext4 = CrashLoad.canMount("ext4")

  /// What a person does with a vault `$V` from its creation on.
  private static let uses = [
    "agonyfs create --kdf interactive --segment-size 1M --cover 4M --password-file password $V",
    "agonyfs mount --password-file password $V Albums; agonyfs unmount Albums",
    """
    agonyfs mount --password-file password $V Albums
    seq 1 300000 > Albums/numbers
    mkdir Albums/folder
    sync Albums/numbers
    cat Albums/numbers > all
    agonyfs unmount Albums
    """,
    "agonyfs check --read-data --password-file password $V",
    "agonyfs info --password-file password $V",
    """
    agonyfs mount --password-file password $V Albums
    seq 1 300000 | cmp - Albums/numbers
    rm Albums/numbers
    seq 1 200000 > Albums/others
    agonyfs unmount Albums
    """,
    """
    agonyfs mount -o ro --password-file password $V Albums
    ls -lR Albums
    seq 1 200000 | cmp - Albums/others
    agonyfs unmount Albums
    """,
    "agonyfs check --repair --yes --password-file password $V",
    "agonyfs space add --cover 0 --password-file other $V",
    "agonyfs space remove --yes --password-file other $V",
    "cat password other | agonyfs password change $V",
    "not agonyfs info --password-file password $V",
    "cat other second | agonyfs password add $V",
    "agonyfs password remove --password-file other $V",
    "cat second third | agonyfs password change --rekey $V",
    "agonyfs cover add 1M $V",
    "agonyfs space add --cover 60M --password-file owner $V",
    """
    agonyfs mount --password-file owner $V Albums
    for n in 1 2; do
      seq 1 500000 > Albums/$n
      sync Albums/$n
    done
    rm Albums/1
    agonyfs unmount Albums
    """,
    """
    agonyfs mount --password-file owner $V Albums
    seq 1 500000 | cmp - Albums/2
    agonyfs unmount Albums
    """,
    "agonyfs space grow --password-file owner 1M $V",
    "agonyfs space shrink --password-file owner 1M $V",
    "agonyfs space add --within --owner-password-file owner --cover 1M --password-file within $V",
    "cat owner fourth | agonyfs password change --rekey $V",
    "agonyfs refresh $V",
    "agonyfs kdf add --kdf moderate $V",
    "agonyfs space remove --wipe --yes --password-file within $V",
  ]

  /// What in a vault has another access or modification time than everything has. The look itself leaves none.
  private func conspicuous(in vault: String) -> [String] {
    let folders = HostFile.names(in: vault + "/segments").map { vault + "/segments/" + $0 }
    let everything =
      [vault] + HostFile.names(in: vault).map { vault + "/" + $0 } + folders + HostFile.segments(of: vault)
    return everything.filter {
      let status = HostFile.status($0)
      return [status.st_atim, status.st_mtim].contains { $0.tv_sec != 946_684_800 || $0.tv_nsec != 0 }
    }
  }

  private func useEverything(of workspace: Workspace, at vault: String) throws {
    try expectSuccess(
      workspace,
      """
      mkdir -p Albums
      printf '%s\\n' '\(Workspace.password)' > password
      echo 'another long password' > other
      for name in second third fourth owner within; do echo "the $name password" > $name; done
      """)
    for use in Self.uses {
      try expectSuccess(workspace, "V=\(vault)\n" + use)
      #expect(conspicuous(in: workspace.at(vault)).isEmpty, "after: \(use)")
    }
  }

  @Test(.enabled(if: TestLength.isWhole || !ext4, "the other file system shows more; with scripts/test --all"))
  func noUseShowsInATime() throws {
    try useEverything(of: try Workspace(), at: "Vault")
  }

  @Test(.enabled(if: ext4, "needs root, loop devices and ext4"))
  func noUseShowsInATimeWhereTheHostKeepsEveryAccessTime() throws {
    let workspace = try Workspace()
    try expectSuccess(
      workspace, "truncate -s 1G image; mkfs.ext4 -q image; mkdir disk; mount -o loop,strictatime image disk")
    try useEverything(of: workspace, at: "disk/Vault")
    try expectSuccess(workspace, "umount disk")
  }

  /// Only the owner of a file and root may read it without leaving a time.
  @Test(.enabled(if: Workspace.isRoot, "needs root, to become somebody else"))
  func whatAnotherUserOwnsIsReadAllTheSame() throws {
    try expectSuccess(
      """
      agonyfs mount --password-file password Vault Albums
      seq 1 300000 > Albums/numbers
      agonyfs unmount Albums
      chmod -R a+rX Vault
      chmod a+r password
      chmod a+x .
      # The program may be where others must not look.
      mkdir program
      cp "$AGONYFS" program/agonyfs
      chmod -R a+rX program
      nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$W/program/agonyfs" "$@"; }
      nobody info --password-file password Vault > said
      grep -q '(read-only)' said
      nobody check --read-data --password-file password Vault
      """)
  }

  /// A crash leaves the times of files that are not complete; the next mount to write leaves none.
  @Test func theNextMountResetsWhatACrashLeft() throws {
    let workspace = try Workspace.withVault()
    try expectSuccess(
      workspace,
      """
      agonyfs mount --password-file password Vault Albums
      seq 1 300000 > Albums/numbers
      sync Albums/numbers
      kill -9 $(pgrep -f "^agonyfs mount .*$W/Albums")
      fusermount3 -u Albums
      touch Vault Vault/segments Vault/segments/*
      agonyfs mount --password-file password Vault Albums
      """)
    let directories = conspicuous(in: workspace.at("Vault")).filter {
      HostFile.status($0).st_mode & S_IFMT == S_IFDIR
    }
    #expect(directories.isEmpty)
    try expectSuccess(
      workspace,
      """
      seq 1 300000 | cmp - Albums/numbers
      echo more > Albums/more
      agonyfs unmount Albums
      """)
    #expect(conspicuous(in: workspace.at("Vault")).isEmpty)
  }

  /// What the host counts of the vault's own directory stays after a refresh. It must not count how often spaces were used.
  @Test func aMountThatWritesLeavesTheVaultsOwnDirectoriesAlone() throws {
    try expectSuccess(
      """
      visit() {
        agonyfs mount --password-file password Vault Albums
        seq 1 300000 > Albums/$1
        agonyfs unmount Albums
      }
      changed() { stat -c '%z %n' Vault Vault/segments; }
      # The first one resets what a listing of the new vault left.
      visit 1
      changed > before
      sleep 0.1
      visit 2
      visit 3
      changed | cmp - before
      """)
  }

  /// As programs leave them that copy files only.
  @Test func aCopyWithoutEmptyFoldersIsMountedAndWritten() throws {
    try expectSuccess(
      """
      agonyfs mount --password-file password Vault Albums
      seq 1 300000 > Albums/numbers
      agonyfs unmount Albums
      rsync -a --prune-empty-dirs Vault/ Copy/
      test "$(ls Copy/segments | wc -l)" -lt 256
      agonyfs check --read-data --password-file password Copy
      agonyfs info --password-file password Copy
      agonyfs mount -o ro --password-file password Copy Albums
      seq 1 300000 | cmp - Albums/numbers
      agonyfs unmount Albums
      test "$(ls Copy/segments | wc -l)" -lt 256
      agonyfs mount --password-file password Copy Albums
      test "$(ls Copy/segments | wc -l)" = 256
      seq 1 400000 > Albums/more
      agonyfs unmount Albums
      agonyfs check --read-data --password-file password Copy
      """)
  }
}
