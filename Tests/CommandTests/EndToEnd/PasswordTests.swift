import TestSupport
import Testing

@testable import agonyfs

/// Passwords on the way into the program, and changing them.
@Suite struct PasswordTests {
  private func opens(_ workspace: Workspace, _ options: String, input: String = "") throws -> Outcome {
    try workspace.shell("agonyfs info \(options) Vault", input: input)
  }

  @Test func everySourceGivesTheSamePassword() throws {
    let workspace = try Workspace.withVault()
    try workspace.write(Workspace.password, to: "bare")
    try workspace.write(Workspace.password + "\r\n", to: "dos")
    try workspace.write(Workspace.password + "\nsecond line\n", to: "several")
    for options in [
      "--password-file bare", "--password-file dos", "--password-file several", "--password-command 'cat several'",
      "--password='\(Workspace.password)'", "< bare", "< several", "--password-file - < several",
    ] {
      #expect(try opens(workspace, options).status == 0, "\(options)")
    }
    // There is no terminal here, so standard input is asked instead.
    #expect(try opens(workspace, "--password", input: Workspace.password + "\n").status == 0)
  }

  /// As macOS writes a name of two scalars, and an editor of Windows a file.
  @Test func theFormInWhichAPasswordIsTypedDoesNotCount() throws {
    let workspace = try Workspace.withVault()
    try workspace.write("gr\u{fc}\u{df}e an alle", to: "composed")
    try workspace.write("gru\u{308}\u{df}e an alle", to: "decomposed")
    try workspace.write("\u{feff}gr\u{fc}\u{df}e an alle\r\n", to: "windows")
    try workspace.write("\u{feff}\r\n", to: "nothing")
    let forms = ["composed", "decomposed", "windows"]
    for new in forms {
      try expectSuccess(
        workspace,
        """
        agonyfs password add --password-file password --new-password-file \(new) Vault
        for form in \(forms.joined(separator: " ")); do agonyfs info --password-file $form Vault; done
        agonyfs info --password-file - Vault < decomposed
        agonyfs password remove --password-file decomposed Vault
        not agonyfs info --password-file \(new) Vault
        """)
    }
    expectFailure(try opens(workspace, "--password-file nothing"), .usage, "empty")
    expectFailure(
      try workspace.shell(
        "agonyfs create --hidden --password-file composed --hidden-password-file decomposed --cover 20M Other"), .usage,
      "different passwords")
  }

  @Test func wrongPasswordsAreAllAlike() throws {
    let workspace = try Workspace.withVault()
    let alone = try opens(workspace, "", input: "wrong\n")
    try expectSuccess(workspace, "echo another password | agonyfs space add --cover 0 Vault")
    let beside = try opens(workspace, "", input: "wrong too\n")
    expectFailure(alone, .noSpaceOpens, "No space")
    #expect(beside.ending == alone.ending)
    #expect(beside.errors == alone.errors)
    for command in ["mount Vault Albums", "check Vault", "space remove Vault", "password change Vault"] {
      let outcome = try workspace.shell("agonyfs \(command)", input: "wrong\nnew password for it\n")
      expectFailure(outcome, .noSpaceOpens)
      let sentences = outcome.errors.split(separator: "\n").filter { !$0.contains("weak") }
      #expect(sentences.map { $0 + "\n" } == [alone.errors], "\(command): \(outcome)")
    }
  }

  @Test(
    arguments: TestLength.sample(
      ["--password-file empty", "--password-file newline", "--password=", "< newline", "< empty"], 3))
  func emptyPasswordsAreRefused(_ options: String) throws {
    let workspace = try Workspace.withVault()
    try workspace.write("", to: "empty")
    try workspace.write("\n", to: "newline")
    expectFailure(try opens(workspace, options), .usage)
    expectFailure(try workspace.shell("agonyfs create \(options) Other"), .usage)
    #expect(try workspace.shell("test -e Other").status == 1)
  }

  @Test func unreadablePasswordFileIsNamed() throws {
    let workspace = try Workspace.withVault()
    expectFailure(try opens(workspace, "--password-file absent"), .failure, "password file absent", "No such file")
    expectFailure(try opens(workspace, "--password-file Vault"), .failure, "password file Vault", "directory")
    let closed = try workspace.shell(
      """
      chmod 0755 "$W"; chmod -R a+rX Vault; chmod 0 password; cp "$AGONYFS" program
      if [ "$(id -u)" = 0 ]; then set -- setpriv --reuid 65534 --regid 65534 --clear-groups --; else set --; fi
      "$@" ./program info --password-file password Vault
      """)
    expectFailure(closed, .failure, "password file password", "permission denied")
  }

  @Test func weakNewPasswordGetsOneLineOfAdvice() throws {
    let workspace = try Workspace.withVault()
    let weak = try workspace.agonyfs("space", "add", "--cover", "0", workspace.at("Vault"), input: "abc\n")
    #expect(weak.status == 0)
    #expect(weak.errors.split(separator: "\n").count { $0.contains("weak") } == 1)
    #expect(try opens(workspace, "", input: "abc\n").errors.isEmpty)
  }

  @Test func processTitleHoldsNoPassword() throws {
    // The old password is read from the line, then the program waits for the new one.
    let outcome = try Workspace.withVault().shell(
      """
      mkfifo new
      exec 3<>new
      "$AGONYFS" password change --password='\(Workspace.password)' Vault <&3 3<&- &
      asks() { grep -q '^agonyfs' /proc/$1/comm && grep -q '^State:.S' /proc/$1/status; }
      wait_for 600 'it asks' asks $! || exit
      tr '\\0' ' ' < /proc/$!/cmdline
      echo the next password >&3
      wait $!
      """)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output.contains("password change --password="))
    #expect(outcome.output.contains("Vault"))
    #expect(!outcome.output.contains("horse"))
  }

  @Test func changeKeepsTheSpaceAndItsFiles() throws {
    let workspace = try Workspace.withVault()
    try expectSuccess(
      workspace,
      """
      agonyfs mount --password-file password Vault Albums
      echo kept > Albums/file
      agonyfs unmount Albums
      echo 'the next password' > next
      agonyfs password change --password-file password --new-password-file next Vault
      agonyfs mount --password-file next Vault Albums
      test "$(cat Albums/file)" = kept
      agonyfs unmount Albums
      """)
    expectFailure(try opens(workspace, "--password-file password"), .noSpaceOpens)
  }

  @Test func changeTakesBothFromStandardInput() throws {
    let workspace = try Workspace.withVault()
    let input = Workspace.password + "\nthe next password\n"
    #expect(try workspace.agonyfs("password", "change", workspace.at("Vault"), input: input).status == 0)
    #expect(try opens(workspace, "", input: "the next password\n").status == 0)
  }

  @Test func aSpaceCanHaveSeveralPasswords() throws {
    let workspace = try Workspace.withVault()
    try expectSuccess(
      workspace,
      """
      echo 'another password' > other
      agonyfs mount --password-file password Vault Albums
      echo kept > Albums/file
      agonyfs unmount Albums
      agonyfs password add --password-file password --new-password-file other Vault
      agonyfs info --password-file password Vault | grep -q 'opened by    2 passwords'
      agonyfs mount --password-file other Vault Albums
      test "$(cat Albums/file)" = kept
      agonyfs unmount Albums
      agonyfs password remove --password-file password Vault
      agonyfs info --password-file other Vault | grep -q 'opened by    1 password$'
      """)
    expectFailure(try opens(workspace, "--password-file password"), .noSpaceOpens)
    expectFailure(
      try workspace.shell("agonyfs password remove --password-file other Vault"), .failure,
      "No other undamaged password")
    expectFailure(
      try workspace.shell("agonyfs password add --password-file other --new-password-file other Vault"), .passwordInUse)
    #expect(try opens(workspace, "--password-file other").status == 0)
  }

  @Test func changeToAPasswordInUseChangesNothing() throws {
    let workspace = try Workspace.withVault()
    try expectSuccess(workspace, "echo another password | agonyfs space add --cover 0 Vault")
    let outcome = try workspace.shell(
      "agonyfs password change --password-file password --new-password='another password' Vault")
    expectFailure(outcome, .passwordInUse)
    #expect(try opens(workspace, "--password-file password").status == 0)
    #expect(try opens(workspace, "", input: "another password\n").status == 0)
  }
}
