import TestSupport
import Testing

/// What the system log says while a hidden space is mounted. Others may read it.
@Suite struct LogTests {
  private static let ext4 = CrashLoad.canMount("ext4")

  /// The host refuses to rename any file: the first head cannot get its name, or the next segment cannot.
  @Test(.enabled(if: ext4, "needs root, loop devices and ext4"), arguments: [0, 1])
  func aRenameThatFailsNamesNoFile(written: Int) throws {
    let workspace = try Workspace.withVault(ownCover: "24M")
    let log = try SystemLog(at: workspace.at("log"))
    try expectSuccess(
      workspace,
      """
      small_ext4 40
      number=$(files disk/Vault)
      unshare -m sh -eux -c '
        mkdir dev; mount -t tmpfs none dev
        cp -a /dev/null /dev/fuse /dev/urandom dev/
        ln -s "$W/log" dev/log
        mount --bind dev /dev
        "$AGONYFS" mount --password-file password disk/Vault Albums 2> said
        if [ \(written) = 1 ]; then echo written > Albums/before; sync Albums/before; fi
        chattr +i disk/Vault/segments/??
        if head -c 3000000 /dev/urandom > Albums/photo && sync Albums/photo; then exit 1; fi
        grep readOnly Albums/.agonyfs/status > status
        "$AGONYFS" unmount Albums 2>> said || true'
      chattr -i disk/Vault/segments/??
      not grep -q null status
      agonyfs mount --password-file password disk/Vault Albums
      if [ \(written) = 1 ]; then test "$(cat Albums/before)" = written; fi
      echo more > Albums/more
      agonyfs unmount Albums
      test "$(files disk/Vault)" = $number
      agonyfs check --read-data --password-file password disk/Vault
      umount disk
      """)
    let lines = try log.lines()
    #expect(lines.contains { $0.contains("failed: Operation not permitted") }, "\(lines)")
    let texts = try lines + [workspace.shell("cat said status").output]
    #expect(!lines.contains { $0.contains(workspace.path) }, "\(lines)")
    for text in texts {
      #expect(!text.contains("segments/"), "\(text)")
      // Nor has it as many hexadecimal digits in a row as the name of a file.
      #expect(try Regex("[0-9A-Fa-f]{32}").firstMatch(in: text) == nil, "\(text)")
    }
  }

  /// A mount in the background goes on when nobody reads any more what was said at its start.
  @Test(.enabled(if: Workspace.isRoot, "needs root, to have a /dev/log of its own"))
  func keysThatMayBeSwappedAreInIt() throws {
    let workspace = try Workspace.withVault()
    let log = try SystemLog(at: workspace.at("log"))
    try expectSuccess(
      inNamespaceOf: workspace,
      """
      open_device
      ln -s "$W/log" dev/log
      ulimit -l 64
      setpriv --bounding-set -ipc_lock "$AGONYFS" mount --password-file password Vault Albums
      "$AGONYFS" unmount Albums
      """)
    #expect(try log.lines().filter { $0.contains("Keys may get into the swap space") }.count == 1)
  }
}
