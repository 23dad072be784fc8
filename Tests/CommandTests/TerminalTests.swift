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
    try give("correct horse battery", at: terminal, after: "New password for \(workspace.at("Vault")): ")
    #expect(try terminal.ending() == .exited(0))
    #expect(!terminal.screen.contains("horse"))
    #expect(try workspace.agonyfs("info", workspace.at("Vault"), input: "correct horse battery\n").status == 0)
  }

  @Test func differentAnswersMakeNothing() throws {
    let workspace = try Workspace()
    let terminal = try create(workspace)
    try terminal.answer(": ", with: "one")
    try terminal.answer(": ", with: "two")
    #expect(try terminal.waits(for: "The two passwords differ"))
    #expect(try terminal.ending() == .exited(2))
    #expect(unsafe access(workspace.at("Vault"), F_OK) != 0)
  }

  /// The second one is the end of input.
  @Test(arguments: [("\n", "The password is empty", CInt(2)), ("\u{4}", "No password was typed", CInt(1))])
  func whatIsNoAnswerIsRefused(_ keys: String, _ sentence: String, status: CInt) throws {
    let workspace = try Workspace()
    let terminal = try create(workspace)
    #expect(try terminal.waits(for: ": "))
    try terminal.type(keys)
    #expect(try terminal.waits(for: sentence))
    #expect(try terminal.ending() == .exited(status))
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
}

extension TerminalTests {
  @Test func thumbnailsAreCountedOnALine() throws {
    let workspace = try Workspace.withVault()
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

/// Hidden spaces, and work that takes long.
extension TerminalTests {
  private func createHidden(_ workspace: Workspace, _ options: String...) throws -> PseudoTerminal {
    try PseudoTerminal(
      ["create", "--kdf", "interactive", "--segment-size", "1M", "--cover", "8M"] + options + [workspace.at("Vault")])
  }

  /// Types a new password, twice, or something else the second time.
  func give(
    _ password: String, then repetition: String? = nil, at terminal: PseudoTerminal, after prompt: String
  ) throws {
    for (question, answer) in [(prompt, password), ("Repeat the password: ", repetition ?? password)] {
      #expect(try terminal.waits(for: question))
      #expect(!terminal.echoes)
      try terminal.type(answer + "\n")
    }
  }

  @Test func theHiddenPasswordIsAskedTwiceToo() throws {
    let workspace = try Workspace()
    let terminal = try createHidden(workspace, "--hidden")
    try give("correct horse battery", at: terminal, after: "New password for \(workspace.at("Vault")): ")
    try give("another good password", at: terminal, after: "New password for the hidden space: ")
    #expect(try terminal.ending() == .exited(0))
    #expect(!terminal.screen.contains("another"))
    for password in ["correct horse battery", "another good password"] {
      #expect(try workspace.agonyfs("info", workspace.at("Vault"), input: password + "\n").status == 0)
    }
  }

  @Test(arguments: [
    ("another good password", "another good passwort", "The two passwords differ"),
    ("correct horse battery", "correct horse battery", "The two spaces need different passwords"),
  ])
  func aHiddenPasswordThatCannotBeMakesNothing(_ first: String, _ second: String, _ sentence: String) throws {
    let workspace = try Workspace()
    let terminal = try createHidden(workspace, "--hidden")
    try give("correct horse battery", at: terminal, after: "New password for /")
    try give(first, then: second, at: terminal, after: "New password for the hidden space: ")
    #expect(try terminal.waits(for: sentence))
    #expect(try terminal.ending() == .exited(2))
    #expect(unsafe access(workspace.at("Vault"), F_OK) != 0)
  }

  /// `--hidden` need not be given as well, and nothing else is asked for.
  @Test func aCommandPrintsTheHiddenPassword() throws {
    let workspace = try Workspace()
    let terminal = try createHidden(
      workspace, "--password-command", "echo correct horse battery", "--hidden-password-command",
      "echo another good password; echo second line")
    #expect(try terminal.ending() == .exited(0))
    #expect(!terminal.screen.contains("password for"))
    let hidden = try workspace.agonyfs("info", workspace.at("Vault"), input: "another good password\n")
    #expect(hidden.status == 0, "\(hidden)")
    try expectSuccess(
      workspace,
      """
      mkdir Albums
      echo another good password > hidden
      agonyfs mount --password-file hidden Vault Albums
      # It owns the cover.
      test "$(df --output=size -B1M Albums | tail -n 1)" -le 10
      agonyfs unmount Albums
      """)
  }

  /// The command line is the same with a hidden space and without, and so is what is shown.
  @Test func neitherCommandNorScreenTellsOfAHiddenSpace() throws {
    var screens: Set<String> = []
    for other in ["", "another good password", "weak"] {
      let workspace = try Workspace()
      let terminal = try createHidden(workspace)
      var screen = ""
      for (question, answer) in [
        ("New password for \(workspace.at("Vault")): ", "correct horse battery"),
        ("Repeat the password: ", "correct horse battery"),
        ("Password of another space, or nothing: ", other), ("Repeat the password: ", other),
      ] {
        #expect(try terminal.waits(for: question), "\(terminal.screen)")
        #expect(!terminal.echoes)
        // Advice stands before the first password only: between two, it would seem to be about the first.
        #expect(terminal.passed?.contains(PasswordAdvice.general) == question.hasPrefix("New password"))
        screen += terminal.passed ?? ""
        try terminal.type(answer + "\n")
      }
      #expect(try terminal.waits(for: "The cover is large enough for a hidden space"), "\(terminal.screen)")
      #expect(terminal.passed?.contains("is weak") == false)
      #expect(try terminal.ending() == .exited(0))
      screens.insert(screen)
      let passwords = ["correct horse battery"] + (other.isEmpty ? [] : [other])
      for password in passwords {
        #expect(try workspace.agonyfs("info", workspace.at("Vault"), input: password + "\n").status == 0)
      }
    }
    #expect(screens.count == 1, "\(screens)")
  }

  @Test func ofAnotherSpaceNothingOrAPasswordIsTyped() throws {
    let workspace = try Workspace()
    let terminal = try createHidden(workspace)
    try give("correct horse battery", at: terminal, after: "New password for /")
    try give("", then: "another good password", at: terminal, after: "Password of another space, or nothing: ")
    #expect(try terminal.waits(for: "The two passwords differ"))
    #expect(try terminal.ending() == .exited(2))
    #expect(unsafe access(workspace.at("Vault"), F_OK) != 0)
  }

  /// One command line makes a space, cover of nobody, a space within another one, and has a space give up cover.
  @Test func neitherCommandNorScreenTellsWhoseFilesComeOrGo() throws {
    let workspace = try Workspace.withVault(ownCover: "120M")
    let vault = workspace.at("Vault")
    let owner = Workspace.password
    func count() -> Int { HostFile.segments(of: vault).count }
    var screens: Set<String> = []
    for (first, second) in [
      ("", ""), ("", "another good password"), ("", "poor"), (owner, ""), (owner, "a third good password"),
    ] {
      let before = count()
      let terminal = try PseudoTerminal(["space", "add", "--cover", "1M", vault])
      var screen = ""
      for (question, answer) in [
        ("Password of another space that hands over cover, or nothing: ", first),
        ("New password for \(vault), or nothing: ", second), ("Repeat the password: ", second),
      ] {
        #expect(try terminal.waits(for: question), "\(terminal.screen)")
        #expect(!terminal.echoes)
        screen += terminal.passed ?? ""
        try terminal.type(answer + "\n")
      }
      #expect(try terminal.ending() == .exited(0), "\(terminal.screen)")
      #expect(!terminal.screen.contains("is weak"))
      screens.insert(screen)
      #expect(first.isEmpty ? count() >= before + 37 : count() == before)
      if !second.isEmpty {
        #expect(try workspace.agonyfs("info", vault, input: second + "\n").status == 0)
      }
    }
    #expect(screens.count == 1, "\(screens)")
    #expect(screens.allSatisfy { $0.contains("A space that hands over cover can store less afterwards: by 1 MiB") })
    try expectSuccess(workspace, "agonyfs check --password-file password Vault")
  }

  @Test func theSizeOfASpaceIsAskedBeforeItsPassword() throws {
    let workspace = try Workspace.withVault()
    let before = HostFile.segments(of: workspace.at("Vault")).count
    let question = "How much should the space store, such as 20G (0: it owns no cover)? "
    for (answer, sentence) in [("much", "\"much\" is not a size; nothing was done."), ("9999T", "is full")] {
      let terminal = try PseudoTerminal(["space", "add", workspace.at("Vault")])
      #expect(try terminal.waits(for: question))
      #expect(terminal.echoes)
      try terminal.type(answer + "\n")
      if answer == "9999T" {
        try terminal.answer("hands over cover, or nothing: ", with: "")
        try give("another good password", at: terminal, after: "New password for /")
      }
      #expect(try terminal.waits(for: sentence))
      #expect(try terminal.ending() == .exited(answer == "much" ? 2 : 17))
      #expect(HostFile.segments(of: workspace.at("Vault")).count == before)
    }
    let terminal = try PseudoTerminal(["space", "add", workspace.at("Vault")])
    try terminal.answer(question, with: "8M")
    #expect(try terminal.waits(for: "a person who saw the vault before can see that files were added."))
    try terminal.answer("hands over cover, or nothing: ", with: "")
    try give("another good password", at: terminal, after: "New password for /")
    #expect(try terminal.waits(for: "agonyfs: writing cover: "))
    #expect(try terminal.ending() == .exited(0))
    #expect(HostFile.segments(of: workspace.at("Vault")).count >= before + 10 + 37)
  }

  /// In percent; a refresh also says how fast, since what it writes is no secret.
  @Test func whatTakesLongShowsItsProgress() throws {
    let workspace = try Workspace.withVault(ownCover: "24M")
    try expectSuccess(
      workspace,
      """
      echo 'another good password' > other
      agonyfs mount --password-file password Vault Albums
      head -c 12000000 /dev/urandom > Albums/photo
      agonyfs unmount Albums
      """)
    for (text, arguments) in [
      ("refreshing", ["refresh"]),
      (
        "encrypting again",
        [
          "password", "change", "--rekey", "--password-file", workspace.at("password"), "--new-password-file",
          workspace.at("other"),
        ]
      ),
    ] {
      let terminal = try PseudoTerminal(arguments + [workspace.at("Vault")])
      var shown: [Int] = []
      while try terminal.waits(for: "\r\u{1B}[Kagonyfs: \(text): "), try terminal.waits(for: " %") {
        shown.append(try #require(terminal.passed.flatMap { Int($0) }))
      }
      #expect(try terminal.ending() == .exited(0))
      #expect(shown.count > 5 && shown == shown.sorted() && Set(shown).count == shown.count, "\(text): \(shown)")
      #expect(shown.allSatisfy((0...100).contains) && shown.last.map { $0 > 90 } == true, "\(text): \(shown)")
      // The line is gone at the end.
      #expect(terminal.screen.hasSuffix("\r\u{1B}[K"), "\(terminal.screen)")
    }
    try expectSuccess(workspace, "agonyfs check --read-data --password-file other Vault")
  }

  @Test func aNewKeyAsksBeforeOtherPasswordsEnd() throws {
    let workspace = try Workspace.withVault()
    try expectSuccess(
      workspace,
      """
      for name in other next; do echo "the $name password" > $name; done
      agonyfs password add --password-file password --new-password-file other Vault
      """)
    for (answer, status, file) in [("n", CInt(1), "other"), ("y", 0, "next")] {
      let terminal = try PseudoTerminal([
        "password", "change", "--rekey", "--password-file", workspace.at("password"), "--new-password-file",
        workspace.at("next"), workspace.at("Vault"),
      ])
      #expect(try terminal.waits(for: "1 other password or key opens this space"), "\(terminal.screen)")
      try terminal.answer("Go on? [y/N] ", with: answer)
      #expect(try terminal.ending() == .exited(status), "\(terminal.screen)")
      try expectSuccess(workspace, "agonyfs info --password-file \(file) Vault")
    }
    expectFailure(try workspace.shell("agonyfs info --password-file other Vault"), .noSpaceOpens)
  }
}
