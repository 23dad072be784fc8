import TestSupport
import Testing

@testable import agonyfs

/// Several spaces in one vault.
@Suite struct SpacesTests {
  /// A vault with two spaces, whose passwords are in the files `password` and `other`.
  private func twoSpaces() throws -> Workspace {
    let workspace = try Workspace.withVault()
    try expectSuccess(
      workspace,
      """
      mkdir Others
      echo 'an entirely different one' > other
      agonyfs space add --cover 0 --password-file other Vault
      """)
    return workspace
  }

  @Test func passwordsShowTheirOwnFilesOnly() throws {
    try expectSuccess(
      try twoSpaces(),
      """
      agonyfs mount --password-file password Vault Albums
      echo mine > Albums/a
      agonyfs unmount Albums
      agonyfs mount --password-file other Vault Albums
      test -z "$(ls -A Albums)"
      echo theirs > Albums/b
      agonyfs unmount Albums
      agonyfs mount --password-file password Vault Albums
      test "$(ls -A Albums)" = a
      agonyfs unmount Albums
      """)
  }

  @Test func twoSpacesAreWrittenAtOnce() throws {
    try expectSuccess(
      try twoSpaces(),
      """
      head -c 20000000 /dev/urandom > one
      head -c 20000000 /dev/urandom > two
      agonyfs mount --password-file password Vault Albums
      agonyfs mount --password-file other Vault Others
      for i in 1 2 3; do cp one Albums/file$i & cp two Others/file$i & done
      wait
      agonyfs unmount Albums
      agonyfs unmount Others
      agonyfs mount --password-file password Vault Albums
      agonyfs mount --password-file other Vault Others
      for i in 1 2 3; do cmp one Albums/file$i; cmp two Others/file$i; done
      agonyfs unmount Albums
      agonyfs unmount Others
      agonyfs check --read-data --password-file password Vault
      agonyfs check --read-data --password-file other Vault
      """)
  }

  /// The locks of a machine are for everybody to see, with the inodes of the files that they are on.
  @Test func locksNameNoSegment() throws {
    try expectSuccess(
      try twoSpaces(),
      """
      agonyfs mount --password-file password Vault Albums
      agonyfs mount --password-file other -o ro Vault Others
      for i in 1 2 3 4 5; do head -c 3000000 /dev/urandom > Albums/$i; sync Albums/$i; done
      awk '{print $6}' /proc/locks | sed 's/.*://' | sort > locked
      find Vault/segments -printf '%i\n' | sort > inodes
      test -z "$(comm -12 locked inodes)"
      # Each of the two has the vault's lock and its own.
      test "$(grep -c -x "$(stat -c %i Vault/agonyfs.json)" locked)" = 4
      count() { find Vault/segments -type f | wc -l; }
      before=$(count)
      has_more() { test "$(count)" -gt $before; }
      head -c 30000000 /dev/urandom > Albums/6 &
      wait_for 600 'another segment' has_more
      awk '{print $6}' /proc/locks | sed 's/.*://' | sort > locked
      find Vault/segments -printf '%i\n' | sort > inodes
      test -z "$(comm -12 locked inodes)"
      wait
      agonyfs unmount Albums
      agonyfs unmount Others
      """)
  }

  @Test func passwordOfASpaceIsNotTakenTwice() throws {
    let workspace = try twoSpaces()
    let before = try workspace.shell("find Vault -type f | sort").output
    expectFailure(
      try workspace.shell("agonyfs space add --cover 0 --password-file other Vault"), .passwordInUse,
      "nothing was changed")
    #expect(try workspace.shell("find Vault -type f | sort").output == before)
  }

  @Test func removingDeletesOneSpaceOnly() throws {
    let workspace = try Workspace.withVault()
    try expectSuccess(
      workspace,
      """
      mkdir Others
      echo 'an entirely different one' > other
      head -c 5000000 /dev/urandom > photo
      agonyfs mount --password-file password Vault Albums
      cp photo Albums/
      agonyfs unmount Albums
      find Vault -type f | sort | xargs sha256sum > before
      agonyfs space add --cover 0 --password-file other Vault
      agonyfs mount --password-file other Vault Others
      head -c 5000000 /dev/urandom > Others/theirs
      agonyfs unmount Others
      agonyfs space remove --yes --password-file other Vault
      find Vault -type f | sort | xargs sha256sum | cmp before
      agonyfs mount --password-file password Vault Albums
      cmp photo Albums/photo
      agonyfs unmount Albums
      """)
    expectFailure(try workspace.shell("agonyfs info --password-file other Vault"), .noSpaceOpens)
    expectFailure(try workspace.shell("agonyfs space remove --yes --password-file other Vault"), .noSpaceOpens)
    expectFailure(try workspace.shell("agonyfs space remove --password-file other Vault"), .noSpaceOpens)
    try expectSuccess(
      workspace,
      """
      agonyfs space add --cover 0 --password-file other Vault
      agonyfs mount --password-file other Vault Others
      test -z "$(ls -A Others)"
      agonyfs unmount Others
      """)
  }

  @Test(arguments: ["aes-256-gcm", "xchacha20-poly1305"])
  func bothCiphers(_ cipher: String) throws {
    try expectSuccess(
      Workspace.withVault("--cipher \(cipher)"),
      """
      agonyfs info --password-file password Vault | grep -q \(cipher)
      agonyfs mount --password-file password Vault Albums
      head -c 3000000 /dev/urandom > photo
      cp photo Albums
      agonyfs unmount Albums
      agonyfs mount --password-file password Vault Albums
      cmp photo Albums/photo
      agonyfs unmount Albums
      """)
  }

  @Test func whatIsInASpaceGoesOnlyIfThatIsWanted() throws {
    let workspace = try Workspace.withVault()
    try expectSuccess(
      workspace,
      """
      echo 'an entirely different one' > other
      echo 'and one more' > third
      agonyfs space add --cover 0 --password-file other Vault
      # Nobody is asked where there is nothing to lose.
      agonyfs space remove --password-file other Vault
      agonyfs mount --password-file password Vault Albums
      head -c 3000000 /dev/urandom > Albums/one
      agonyfs unmount Albums
      """)
    let remove = "agonyfs space remove --password-file password Vault"
    let before = HostFile.segments(of: workspace.at("Vault"))
    expectFailure(try workspace.shell(remove), .usage, "The space has 1 entry, ", "add --yes")
    #expect(HostFile.segments(of: workspace.at("Vault")) == before)
    try expectSuccess(
      workspace, "agonyfs password add --password-file password --new-password-file third Vault")
    expectFailure(try workspace.shell(remove), .usage, "1 other password or key opens it as well")
    try expectSuccess(
      workspace,
      """
      agonyfs info --password-file password Vault
      agonyfs space remove --yes --password-file password Vault
      """)
    expectFailure(try workspace.shell("agonyfs info --password-file third Vault"), .noSpaceOpens)
  }
}
