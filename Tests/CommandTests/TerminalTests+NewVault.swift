import Crypto
import Glibc
import System
import TestSupport
import Testing

@testable import agonyfs

/// A vault that `mount` and `serve` offer to make.
extension TerminalTests {
  @Test func mountAsksWhetherToMakeAVault() throws {
    let workspace = try Workspace()
    let vault = workspace.at("Vault")
    #expect(unsafe mkdir(workspace.at("Albums"), 0o700) == 0)
    let terminal = try PseudoTerminal(["mount", "--password", vault, workspace.at("Albums")])
    #expect(try terminal.waits(for: "There is no vault at \(vault). Make one? [y/N] "))
    #expect(!terminal.echoes)
    try terminal.type("n\n")
    #expect(try terminal.waits(for: "n\r\nagonyfs: There is no vault at \(vault); check the path. Nothing was created"))
    #expect(try terminal.ending() == .exited(10))
    #expect(unsafe access(vault, F_OK) != 0)
  }

  /// A user who expects to be asked for the password may type it without looking.
  @Test(arguments: ["correct horse battery", "yacht", "yy"])
  func aPasswordThatIsTypedAtTheQuestionIsNotShown(_ typed: String) throws {
    let workspace = try Workspace()
    let vault = workspace.at("Vault")
    #expect(unsafe mkdir(workspace.at("Albums"), 0o700) == 0)
    let terminal = try PseudoTerminal(["mount", "--password", vault, workspace.at("Albums")])
    try terminal.answer("Make one? [y/N] ", with: typed)
    #expect(try terminal.waits(for: "Nothing was created."))
    #expect(terminal.passed?.hasPrefix("(neither y nor n)\r\nagonyfs: ") == true, "\(terminal.passed ?? "")")
    #expect(try terminal.ending() == .exited(10))
    #expect(unsafe access(vault, F_OK) != 0)
  }

  private static let answers: [(String, Bool?)] = [
    ("y", true), ("YES", true), ("n", false), ("No", false), ("", false), ("yep", nil), (" y", nil), ("yes ", nil),
    ("\u{e9}", nil), ("correct horse battery", nil),
  ]

  @Test(arguments: answers)
  func onlyAYesIsYes(_ line: String, _ answer: Bool?) { #expect(Terminal.answer(.of(line)) == answer) }

  @Test func serveAsksWhetherToMakeAVault() throws {
    let workspace = try Workspace()
    let vault = workspace.at("Vault")
    let terminal = try PseudoTerminal(["serve", vault])
    try terminal.answer("There is no vault at \(vault). Make one? [y/N] ", with: "n")
    #expect(try terminal.waits(for: "Nothing was created."))
    #expect(try terminal.ending() == .exited(10))
    let other = try PseudoTerminal(["serve", vault])
    try other.answer("Make one? [y/N] ", with: "y")
    try give("one password", then: "another", at: other, after: "New password for \(vault): ")
    #expect(try other.waits(for: "The two passwords differ"))
    #expect(try other.ending() == .exited(2))
    #expect(unsafe access(vault, F_OK) != 0)
  }

  /// Also not for an empty directory, on which a space may be mounted at other times.
  @Test(arguments: [
    "touch Vault", "mkdir Vault", "mkdir Vault; touch Vault/file", "ln -s nowhere Vault", "rm -f Vault/x",
  ])
  func serveOffersNoVaultWhereThereIsSomething(_ preparation: String) throws {
    let workspace = try Workspace()
    _ = try workspace.shell(preparation)
    // The last one has no directory in which a vault could be.
    let path = workspace.at(preparation.hasPrefix("rm") ? "none/Vault" : "Vault")
    let terminal = try PseudoTerminal(["serve", path])
    #expect(try terminal.waits(for: "agonyfs: "))
    let ending = try terminal.ending()
    #expect(ending != .exited(0) && !terminal.screen.contains("Make one?") && terminal.passed?.contains("?") != true)
    #expect(try workspace.shell("find . -type f ! -name file ! -name Vault").output.isEmpty)
  }

  /// On a disk on which the cover is small.
  @Test(.enabled(if: Workspace.isRoot, "needs root, for a small file system"))
  func mountMakesTheVaultThatIsWanted() throws {
    let workspace = try Workspace()
    _ = try workspace.shell("mkdir Albums disk; mount -t tmpfs -o size=1000m none disk")
    let terminal = try PseudoTerminal(["mount", "--password", workspace.at("disk/Vault"), workspace.at("Albums")])
    try terminal.answer("Make one? [y/N] ", with: "y")
    try give("correct horse battery", at: terminal, after: "New password for \(workspace.at("disk/Vault")): ")
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
    try again.answer("Password for \(workspace.at("disk/Vault")): ", with: "correct horse battery")
    #expect(try again.ending() == .exited(0))
    #expect(try workspace.shell("cat Albums/file").output == "text\n")
    let last = try PseudoTerminal(["unmount", workspace.at("Albums")])
    #expect(try last.waits(for: "give a fresh copy and keep this disk: run agonyfs refresh VAULT"))
    #expect(try last.waits(for: "to an empty directory on another disk, and refresh that copy."))
    #expect(try last.ending() == .exited(0))
  }

  /// The server is not needed for it.
  @Test(.enabled(if: Workspace.isRoot, "needs root, for a small file system"))
  func serveMakesTheVaultThatIsWanted() throws {
    let workspace = try Workspace()
    _ = try workspace.shell("mkdir disk; mount -t tmpfs -o size=1000m none disk")
    let vault = workspace.at("disk/Vault")
    let terminal = try PseudoTerminal(["serve", vault], by: ["/usr/bin/env", "AGONYFS_WEB=/bin/echo"])
    try terminal.answer("Make one? [y/N] ", with: "y")
    try give("correct horse battery", at: terminal, after: "New password for \(vault): ")
    #expect(try terminal.waits(for: "agonyfs: writing cover: "))
    #expect(try terminal.waits(for: "--vault \(vault)"))
    #expect(try terminal.ending() == .exited(0))
    #expect(try workspace.agonyfs("info", vault, input: "correct horse battery\n").status == 0)
  }
}
