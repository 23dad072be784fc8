import Glibc
import System
import TestSupport
import Testing

@testable import agonyfs

/// Passwords that are typed.
@Suite struct TerminalTests {
  private func create(_ workspace: Workspace) throws -> PseudoTerminal {
    try PseudoTerminal([
      "create", "--kdf", "interactive", "--segment-size", "1M", "--cover", "0", "--password", workspace.at("Vault"),
    ])
  }

  @Test func newPasswordIsAskedTwiceAndNotShown() throws {
    let workspace = try Workspace()
    let terminal = try create(workspace)
    #expect(try terminal.waits(for: "New password for \(workspace.at("Vault")): "))
    #expect(!terminal.echoes)
    try terminal.type("correct horse battery\n")
    #expect(try terminal.waits(for: "Repeat the password: "))
    #expect(!terminal.echoes)
    try terminal.type("correct horse battery\n")
    #expect(try terminal.ending() == .exited(0))
    #expect(!terminal.screen.contains("horse"))
    #expect(try workspace.agonyfs("info", workspace.at("Vault"), input: "correct horse battery\n").status == 0)
  }

  @Test func differentAnswersMakeNothing() throws {
    let workspace = try Workspace()
    let terminal = try create(workspace)
    #expect(try terminal.waits(for: ": "))
    try terminal.type("one\n")
    #expect(try terminal.waits(for: ": "))
    try terminal.type("two\n")
    #expect(try terminal.waits(for: "The two passwords differ"))
    #expect(try terminal.ending() == .exited(2))
    #expect(unsafe access(workspace.at("Vault"), F_OK) != 0)
  }

  @Test func emptyAnswerIsRefused() throws {
    let workspace = try Workspace()
    let terminal = try create(workspace)
    #expect(try terminal.waits(for: ": "))
    try terminal.type("\n")
    #expect(try terminal.waits(for: "The password is empty"))
    #expect(try terminal.ending() == .exited(2))
  }

  @Test func endOfInputIsNoAnswer() throws {
    let workspace = try Workspace()
    let terminal = try create(workspace)
    #expect(try terminal.waits(for: ": "))
    try terminal.type("\u{4}")
    #expect(try terminal.waits(for: "No password was typed"))
    #expect(try terminal.ending() == .exited(1))
  }

  @Test func interruptionRestoresTheTerminal() throws {
    let workspace = try Workspace()
    let terminal = try create(workspace)
    #expect(terminal.echoes)
    #expect(try terminal.waits(for: ": "))
    #expect(!terminal.echoes)
    try terminal.type("half a pass\u{3}")
    #expect(try terminal.ending() == .killed(SIGINT))
    #expect(terminal.echoes)
    #expect(unsafe access(workspace.at("Vault"), F_OK) != 0)
  }

  @Test func mountAsksWhetherToMakeAVault() throws {
    let workspace = try Workspace()
    let vault = workspace.at("Vault")
    #expect(unsafe mkdir(workspace.at("Albums"), 0o700) == 0)
    let terminal = try PseudoTerminal(["mount", "--password", vault, workspace.at("Albums")])
    #expect(try terminal.waits(for: "There is no vault at \(vault). Make one? [y/N] "))
    #expect(terminal.echoes)
    try terminal.type("n\n")
    #expect(try terminal.waits(for: "none was made"))
    #expect(try terminal.ending() == .exited(10))
    #expect(unsafe access(vault, F_OK) != 0)
  }
}

extension TerminalTests {
  /// On a disk on which the cover is small.
  @Test(.enabled(if: Workspace.isRoot, "needs root, for a small file system"))
  func mountMakesTheVaultThatIsWanted() throws {
    let workspace = try Workspace()
    _ = try workspace.shell("mkdir Albums disk; mount -t tmpfs -o size=1000m none disk")
    let terminal = try PseudoTerminal(["mount", "--password", workspace.at("disk/Vault"), workspace.at("Albums")])
    #expect(try terminal.waits(for: "Make one? [y/N] "))
    try terminal.type("y\n")
    #expect(try terminal.waits(for: "New password for \(workspace.at("disk/Vault")): "))
    try terminal.type("correct horse battery\n")
    #expect(try terminal.waits(for: "Repeat the password: "))
    try terminal.type("correct horse battery\n")
    #expect(try terminal.waits(for: "agonyfs: writing cover: "))
    #expect(try terminal.waits(for: "100 %"))
    #expect(try terminal.ending() == .exited(0))
    try expectSuccess(
      workspace,
      """
      grep -q " $W/Albums fuse.agonyfs " /proc/mounts
      echo text > Albums/file
      agonyfs unmount Albums
      """)
    let again = try PseudoTerminal(["mount", workspace.at("disk/Vault"), workspace.at("Albums")])
    #expect(try again.waits(for: "Password for \(workspace.at("disk/Vault")): "))
    try again.type("correct horse battery\n")
    #expect(try again.ending() == .exited(0))
    #expect(try workspace.shell("cat Albums/file").output == "text\n")
    let last = try PseudoTerminal(["unmount", workspace.at("Albums")])
    #expect(try last.waits(for: "agonyfs refresh VAULT"))
    #expect(try last.waits(for: "--delete-after"))
    #expect(try last.ending() == .exited(0))
  }

  @Test func thumbnailsAreCountedOnALine() throws {
    let workspace = try Workspace()
    try workspace.makeVault()
    try expectSuccess(
      workspace,
      """
      set -e
      agonyfs mount --password-file password Vault Albums
      vips gaussnoise one.jpg 900 700
      for i in 1 2 3 4 5; do { cat one.jpg; echo $i; } > Albums/$i.jpg; done
      """)
    let terminal = try PseudoTerminal(["thumbnails", workspace.at("Albums")])
    #expect(try terminal.waits(for: " to go, 0 failed"))
    #expect(try terminal.waits(for: "\r\u{1B}[K"))
    #expect(try terminal.waits(for: "5 made, 0 failed.\r\n"))
    #expect(try terminal.ending() == .exited(0))
    try expectSuccess(workspace, "agonyfs unmount Albums")
  }

  @Test func stoppingShowsInputUntilItGoesOn() throws {
    let workspace = try Workspace()
    let terminal = try create(workspace)
    #expect(try terminal.waits(for: ": "))
    try terminal.type("half\u{1a}")
    // Orphaned from a shell the process cannot stop, so it asks again at once.
    #expect(try terminal.waits(for: "New password"))
    #expect(try terminal.waits(for: ": "))
    #expect(!terminal.echoes)
    try terminal.type("\n")
    #expect(try terminal.ending() == .exited(2))
  }
}
