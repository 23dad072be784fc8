import TestSupport
import Testing

@testable import agonyfs

/// Special files, directories and links in place of what a vault consists of.
extension BadInputTests {
  /// Nothing waits for the other end of a FIFO.
  @Test(arguments: ["mkfifo", "mkdir", "ln -s /etc/passwd"])
  func somethingElseInPlaceOfAPartOfTheVault(_ make: String) throws {
    let workspace = try Workspace.withVault()
    let parts: [(String, CommandStatus, String)] = [
      ("agonyfs.json", .noVault, "agonyfs.json is not a regular file"), ("segments", .noVault, "no directory segments"),
      ("segments/c4", .damage, "Vault/segments/c4 is not a directory"),
    ]
    for (part, status, words) in parts where make != "mkdir" || part == "agonyfs.json" {
      try expectSuccess(workspace, "mv Vault/\(part) aside; \(make) Vault/\(part)")
      for outcome in try all(workspace) { expectFailure(outcome, status, words) }
      try expectSuccess(workspace, "rm -r Vault/\(part); mv aside Vault/\(part)")
    }
    #expect(try workspace.shell("agonyfs check --password-file password Vault").status == 0)
  }

  /// A slot, heads, and segments with data and without.
  @Test func somethingElseInPlaceOfAFileIsDamage() throws {
    try expectSuccess(
      """
      agonyfs mount --password-file password Vault Albums
      head -c 3000000 /dev/urandom > Albums/photo
      agonyfs unmount Albums
      find Vault/segments -type f > files
      while read -r file; do
        mv $file aside
        mkfifo $file
        status=0
        timeout 600 "$AGONYFS" check --password-file password Vault > found 2>&1 || status=$?
        case $status in
        0) echo cover >> kinds ;;
        16)
          grep -qE 'is not a regular file|newest head is damaged|two slot files' found
          not grep -qiE 'seek|medium' found
          if grep -q 'slot' found; then echo slot >> kinds; else echo segment >> kinds; fi
          ;;
        *) cat found >&2; exit 1 ;;
        esac
        mv aside $file
      done < files
      sort kinds | uniq -c
      grep -q cover kinds
      grep -q slot kinds
      test "$(grep -c segment kinds)" -ge 3
      """)
  }
}
