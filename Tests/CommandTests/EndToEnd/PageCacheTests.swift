import Testing

/// What the kernel keeps in memory of a vault's files when nothing is mounted any more: whoever looks before the machine
/// is switched off sees by it which files were used (fincore).
@Suite(.enabled(if: CrashLoad.canMount("ext4"), "needs root, and loop devices")) struct PageCacheTests {
  /// `most` says how many pages of a file are in memory at most, `pages` how many of all. In a copy a mount looks at each
  /// file, also of others, which leaves 4.
  private func expect(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let start = """
      export LC_ALL=C
      small_ext4 100
      # What was copied is in memory, and is not after this.
      detach
      mount -o loop image disk
      each() { find disk/Vault/segments -type f -exec fincore -nbo PAGES {} +; }
      most() { each | sort -n | tail -n 1; }
      pages() { each | awk '{sum += $1} END {print sum + 0}'; }
      open() { agonyfs mount --password-file password disk/Vault Albums; }
      use() { open; head -c 20000000 /dev/urandom > Albums/file; cat Albums/file > /dev/null; }

      """
    try expectSuccess(
      inNamespaceOf: Workspace.withVault(), isAlone: true, start + script, sourceLocation: sourceLocation)
  }

  @Test(arguments: ["lock", "unmount --all", "unmount --force Albums"]) func lockingLeavesNothing(command: String)
    throws
  {
    try expect(
      """
      use
      agonyfs unmount Albums
      # So the next mount is fast.
      test $(most) -gt 100
      # Also what earlier mounts left.
      open
      agonyfs \(command)
      test $(most) -le 4
      """)
  }

  /// Not even of the slot.
  @Test func lockingAMountLeavesNoPage() throws {
    try expect(
      """
      use
      agonyfs unmount Albums
      detach
      mount -o loop image disk
      test $(pages) -eq 0
      use
      agonyfs lock
      test $(pages) -eq 0
      """)
  }

  @Test func aSessionLeavesNothing() throws {
    try expect(
      """
      mkdir home
      export HOME=$W/home XDG_RUNTIME_DIR=
      agonyfs run --password-file password disk/Vault sh -c 'head -c 20000000 /dev/urandom > file; cat file' > /dev/null
      test $(most) -le 4
      """)
  }

  private static let commands = [
    "list --password-file password disk/Vault", "info --password-file password disk/Vault",
    "check --read-data --password-file password disk/Vault", "check --repair --yes --password-file password disk/Vault",
    "password change --password-file password --new-password-file other disk/Vault",
    "password change --rekey --yes --password-file password --new-password-file other disk/Vault",
  ]

  /// Nothing is mounted afterwards, so no lock would find it.
  @Test(arguments: commands) func aCommandThatMountsNothingLeavesNothing(command: String) throws {
    try expect(
      """
      echo 'the password of another day' > other
      use
      agonyfs unmount Albums
      detach
      mount -o loop image disk
      test $(pages) -eq 0
      agonyfs \(command)
      test $(pages) -eq 0
      """)
  }

  @Test func aMountThatFailsLeavesNothing() throws {
    try expect(
      """
      use
      agonyfs unmount Albums
      detach
      mount -o loop image disk
      # The kernel refuses the mount when the space is open.
      mount --bind /dev/null /dev/fuse
      not agonyfs mount --password-file password disk/Vault Albums
      umount /dev/fuse
      test $(pages) -eq 0
      """)
  }

  /// It would open each for nothing, which takes long on a slow disk with many.
  @Test func aMountThatFailsLooksAtNoFileThatItDidNotUse() throws {
    try expect(
      """
      use
      agonyfs unmount Albums
      before=$(pages)
      test $before -gt 4000
      mount --bind /dev/null /dev/fuse
      not agonyfs mount --password-file password disk/Vault Albums
      umount /dev/fuse
      test $(pages) -gt $((before / 2))
      """)
  }

  @Test func theMountAfterACrashTakesWhatItLeft() throws {
    try expect(
      """
      use
      daemon=$(pgrep -f '^agonyfs mount')
      kill -KILL $daemon
      gone $daemon
      before=$(pages)
      test $before -gt 4000
      open
      is_cold() { test $(pages) -lt $((before / 4)); }
      wait_for 600 'what the crash left is gone' is_cold
      agonyfs unmount Albums
      """)
  }
}
