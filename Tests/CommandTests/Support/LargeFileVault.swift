import Testing

extension Workspace {
  /// A directory with a vault that holds a small file `good/small` and then a file `large`, and the list `middle` of
  /// three files of the vault that hold nothing but data of the latter.
  static func withLargeFile() throws -> Workspace {
    let workspace = try Workspace.withVault()
    try expectSuccess(
      workspace,
      """
      head -c 500000 /dev/urandom > small
      head -c 12000000 /dev/urandom > large
      agonyfs mount --password-file password Vault Albums
      mkdir Albums/good
      cp small Albums/good/
      agonyfs unmount Albums
      find Vault/segments -type f | sort > before
      agonyfs mount --password-file password Vault Albums
      # With time in between, so that the times of the vault's files tell their order.
      for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
        dd if=large of=Albums/large bs=1000000 skip=$i seek=$i count=1 conv=notrunc status=none
        sleep 0.03
      done
      cmp large Albums/large
      sync Albums/large
      find Vault/segments -type f | sort | comm -13 before - | xargs stat -c '%z %n' | sort | cut -d ' ' -f 4 > new
      agonyfs unmount Albums
      test "$(wc -l < new)" -ge 10
      sed -n '5,7p' new > middle
      """)
    return workspace
  }
}
