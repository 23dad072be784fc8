import Glibc
import TestSupport
import Testing

@testable import agonyfs

/// Whatever names files in a vault leaves the names in a random order, where a host lists them as they came.
@Suite struct CommandNameOrderTests {
  /// What names files, with and without a hidden space; and what names none.
  private static let writing = [
    """
    agonyfs mount --password-file password disk/V Albums
    seq 1 300000 > Albums/numbers
    agonyfs unmount Albums
    """,
    "agonyfs space add --cover 0 --password-file other disk/V",
    "cat other second | agonyfs password change disk/V",
    "cat second third | agonyfs password add disk/V",
    "agonyfs cover add 1M disk/V",
    "agonyfs space add --cover 60M --password-file owner disk/V",
    "agonyfs space grow --password-file owner 1M disk/V",
    "agonyfs space shrink --password-file owner 1M disk/V",
    "agonyfs space add --within --owner-password-file owner --cover 1M --password-file within disk/V",
    "cat owner fourth | agonyfs password change --rekey disk/V",
    """
    agonyfs mount --password-file password disk/V Albums
    seq 1 200000 > Albums/numbers
    daemon=$(pgrep -f "mount .*$W/Albums")
    fusermount3 -u Albums
    gone $daemon
    agonyfs info --password-file password disk/V
    """,
  ]
  private static let reading = [
    "agonyfs info --password-file password disk/V", "agonyfs check --read-data --password-file password disk/V",
    "agonyfs check --repair --yes --password-file password disk/V",
    "not agonyfs info --password-file wrong disk/V", "agonyfs kdf list disk/V",
    """
    agonyfs mount -o ro --password-file password disk/V Albums
    seq 1 200000 | cmp - Albums/numbers
    agonyfs unmount Albums
    """,
  ]

  @Test(.enabled(if: Workspace.isRoot, "needs root, to mount"))
  func everyUseEndsWithNewFolders() throws {
    let workspace = try Workspace()
    try expectSuccess(
      workspace,
      """
      mkdir Albums disk
      mount -t tmpfs -o size=1g none disk
      printf '%s\\n' '\(Workspace.password)' > password
      for name in other second third fourth owner within wrong; do echo "the $name password" > $name; done
      agonyfs create --kdf interactive --segment-size 1M --cover 4M --password-file password disk/V
      """)
    let folders = "stat -c '%i' disk/V/segments/?? | sort > $W/"
    for (uses, isWriting) in [(Self.writing, true), (Self.reading, false)] {
      for use in uses {
        let outcome = try workspace.shell(
          """
          set -eux
          \(folders)before
          \(use)
          \(folders)after
          ls -A disk/V > beside
          printf 'agonyfs.json\\nsegments\\n' | cmp beside -
          comm -12 before after | wc -l > $W/kept
          """)
        #expect(outcome.status == 0, "\(outcome)")
        let kept = String(decoding: try HostFile.read(workspace.at("kept")), as: UTF8.self)
        #expect(kept == (isWriting ? "0\n" : "256\n"), "\(use)")
      }
    }
    try expectSuccess(
      workspace,
      """
      for p in password third fourth within; do agonyfs check --read-data --password-file $p disk/V; done
      test "$(find disk/V -printf '%T@\\n' | sort -u)" = 946684800.0000000000
      """)
  }

  /// A mount that came first ends first; the other one puts its names in order.
  @Test(.enabled(if: Workspace.isRoot, "needs root, to mount"))
  func theLastMountDoesIt() throws {
    let workspace = try Workspace()
    try expectSuccess(
      workspace,
      """
      mkdir Albums Others disk
      mount -t tmpfs -o size=1g none disk
      printf '%s\\n' '\(Workspace.password)' > password
      echo 'another long password' > other
      agonyfs create --kdf interactive --segment-size 1M --cover 4M --password-file password disk/V
      agonyfs space add --cover 0 --password-file other disk/V
      folders() { stat -c '%i' disk/V/segments/?? | sort; }
      folders > before
      agonyfs mount --password-file password disk/V Albums
      agonyfs mount --password-file other disk/V Others
      echo written > Albums/file
      agonyfs unmount Albums
      folders | cmp - before
      # A shell that works in a folder is a reader.
      (cd disk/V/segments/07 && agonyfs unmount $W/Others)
      folders | cmp - before
      agonyfs mount --password-file password disk/V Albums
      agonyfs unmount Albums
      folders > after
      test "$(comm -12 before after | wc -l)" = 0
      agonyfs check --read-data --password-file password disk/V
      """)
  }
}
