import Testing

extension Workspace {
  /// A directory with a vault that holds a small file `good/small` and then a file `large`, and the list `middle` of three files of the vault
  /// that hold nothing but data of the latter.
  static func withLargeFile() throws -> Workspace {
    let workspace = try Workspace()
    try workspace.makeVault()
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
      cp large Albums/
      agonyfs unmount Albums
      find Vault/segments -type f | sort | comm -13 before - | xargs stat -c '%z %n' | sort | cut -d ' ' -f 4 > new
      test "$(wc -l < new)" -ge 12
      sed -n '5,7p' new > middle
      """)
    return workspace
  }
}
