import System
import TestSupport
import Testing

/// What programs saved in the mount point while nothing was mounted.
@Suite struct UnencryptedFileTests {
  private static let question =
    "3 files or folders in it are not encrypted (.hidden, Rome, b c.jpg). Programs save such files there while nothing is mounted. "
    + "Import them when the space is mounted? [y/N] "

  private func makeFiles() throws -> Workspace {
    let workspace = try Workspace.withVault()
    try expectSuccess(
      workspace,
      """
      mkdir Albums/Rome
      echo one > Albums/Rome/a.jpg
      echo two > Albums/.hidden
      echo three > 'Albums/b c.jpg'
      """)
    return workspace
  }

  private func mount(_ workspace: Workspace, password: String = "password") throws -> PseudoTerminal {
    try PseudoTerminal([
      "mount", "--password-file", workspace.at(password), workspace.at("Vault"), workspace.at("Albums"),
    ])
  }

  /// All of it is in the clear as it was.
  private static let isUnchanged = """
    not mounted
    test "$(cat Albums/Rome/a.jpg Albums/.hidden 'Albums/b c.jpg' | paste -sd ' ')" = 'one two three'
    test ! -e Albums-unencrypted
    """

  @Test func areImportedWhenThatIsWanted() throws {
    let workspace = try makeFiles()
    let terminal = try mount(workspace)
    try terminal.answer(Self.question, with: "y")
    #expect(try terminal.waits(for: "are in \(workspace.at("Albums-unencrypted")) until the space has them, verified."))
    try terminal.answer("Everything is in the vault and verified. Delete 3 originals", with: "y")
    #expect(try terminal.waits(for: "Deleting is not erasing"))
    #expect(try terminal.ending() == .exited(0))
    try expectSuccess(
      workspace,
      """
      mounted
      test "$(cat Albums/Rome/a.jpg Albums/.hidden 'Albums/b c.jpg' | paste -sd ' ')" = 'one two three'
      test ! -e Albums-unencrypted
      agonyfs unmount Albums
      test -z "$(ls -A Albums)"
      """)
  }

  /// The space has them, and the originals stay where it is said.
  @Test func originalsStayWithoutAYes() throws {
    let workspace = try makeFiles()
    let terminal = try mount(workspace)
    try terminal.answer(Self.question, with: "y")
    try terminal.answer("Delete 3 originals", with: "n")
    let command = "agonyfs import --all-files --no-takeout --delete-originals"
    let (aside, point) = (workspace.at("Albums-unencrypted"), workspace.at("Albums"))
    #expect(try terminal.waits(for: "Files that stay are in \(aside), not encrypted."))
    #expect(try terminal.waits(for: "To continue while the space is mounted: \(command) \(aside)/. \(point)"))
    #expect(try terminal.ending() == .exited(0))
    try expectSuccess(
      workspace,
      """
      test "$(stat -c %a Albums-unencrypted)" = 700
      diff -r Albums-unencrypted/Rome Albums/Rome
      cmp Albums-unencrypted/.hidden Albums/.hidden
      cmp 'Albums-unencrypted/b c.jpg' 'Albums/b c.jpg'
      mkdir home
      HOME="$W/home" "$AGONYFS" doctor --yes Albums > told || test $? = 19
      grep -q 'Albums-unencrypted/b c.jpg$' told
      grep -q '\(command) .*/Albums-unencrypted/[.] .*/Albums$' told
      # What the space has already is not linked a second time.
      \(command) --yes Albums-unencrypted/. Albums
      test -z "$(find Albums-unencrypted -type f)"
      test ! -e Albums/Albums-unencrypted
      test ! -e 'Albums/b c (2).jpg'
      agonyfs unmount Albums
      test -z "$(ls -A Albums)"
      """)
  }

  /// An import makes none in the space for them.
  @Test func foldersThatWereEmptyStay() throws {
    let workspace = try makeFiles()
    try expectSuccess(workspace, "mkdir Albums/Rome/refs")
    let terminal = try mount(workspace)
    try terminal.answer(Self.question, with: "y")
    try terminal.answer("Delete 3 originals", with: "y")
    #expect(try terminal.waits(for: "Files that stay are in \(workspace.at("Albums-unencrypted")), not encrypted."))
    #expect(try terminal.ending() == .exited(0))
    try expectSuccess(
      workspace,
      """
      test "$(find Albums-unencrypted | sort | paste -sd ' ')" = \
        'Albums-unencrypted Albums-unencrypted/Rome Albums-unencrypted/Rome/refs'
      test "$(cat Albums/Rome/a.jpg)" = one
      agonyfs unmount Albums
      """)
  }

  @Test func aNoChangesNothing() throws {
    let workspace = try makeFiles()
    let terminal = try mount(workspace)
    try terminal.answer(Self.question, with: "n")
    #expect(try terminal.waits(for: "Nothing was mounted, and nothing was changed."))
    #expect(try terminal.ending() == .exited(14))
    try expectSuccess(workspace, Self.isUnchanged)
  }

  @Test func aWrongPasswordChangesNothing() throws {
    let workspace = try makeFiles()
    try workspace.write("no space has this one\n", to: "wrong")
    let terminal = try mount(workspace, password: "wrong")
    try terminal.answer(Self.question, with: "y")
    #expect(try terminal.ending() == .exited(12))
    try expectSuccess(workspace, Self.isUnchanged)
  }

  /// Where nobody can be asked, the commands are named, and do it.
  @Test func commandsAreNamedWithoutATerminal() throws {
    let workspace = try makeFiles()
    try expectSuccess(
      workspace,
      Self.isUnchanged + #"""

        says 14 'is not empty: 3 files or folders in it are not encrypted (.hidden, Rome, b c.jpg)' \
          agonyfs mount --password-file password Vault Albums
        grep -q 'or add -o nonempty' err
        move=$(sed -n 's/.*To import them: \(mkdir .*\), then mount, then .*/\1/p' err)
        import=$(sed -n 's/.*, then mount, then \(agonyfs import .*\)\. Or choose .*/\1/p' err)
        eval "$move"
        agonyfs mount --password-file password Vault Albums
        eval "$import --yes"
        test -z "$(find Albums-unencrypted -type f)"
        cd Albums
        test "$(cat Rome/a.jpg .hidden 'b c.jpg' | paste -sd ' ')" = 'one two three'
        cd ..
        agonyfs unmount Albums
        """#)
  }

  /// Root moves nothing in a directory of somebody else.
  @Test(.enabled(if: Workspace.isRoot, "needs root, to give a directory away"))
  func rootAsksOnlyInItsOwnDirectories() throws {
    let workspace = try makeFiles()
    try expectSuccess(workspace, "chown 54321 Albums")
    let terminal = try mount(workspace)
    #expect(try terminal.waits(for: "To import them: mkdir -m 700 "))
    #expect(try terminal.ending() == .exited(14))
    try expectSuccess(workspace, Self.isUnchanged)
  }
}
