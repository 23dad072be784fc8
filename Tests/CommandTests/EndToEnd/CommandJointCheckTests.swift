import TestSupport
import Testing

@testable import agonyfs

/// What `check --json` with several passwords promises to other programs.
private struct JointCheckAnswer: Decodable {
  var isClean: Bool
  var spaces: [CheckAnswer?]
  var claimedTwice: Int
  var explainedFiles: Int
  var unexplainedFiles: Int
  var unexplainedBytes: Int64
}

/// `agonyfs check` with the passwords of several spaces.
@Suite struct CommandJointCheckTests {
  @Test func itSaysWhatAllOfThemLeave() throws {
    let workspace = try Workspace.withVault()
    try expectSuccess(
      workspace,
      """
      echo 'hidden password' > hidden; echo 'wrong password' > wrong; echo 'further password' > further
      agonyfs space add --cover 10M --password-file hidden Vault
      agonyfs mount --password-file hidden Vault Albums
      head -c 3M /dev/urandom > Albums/photo
      agonyfs unmount Albums
      agonyfs password add --password-file password --new-password-file further Vault
      """)
    let files = HostFile.segments(of: workspace.at("Vault")).count
    // With one password it says nothing of other files.
    let one = try workspace.shell("agonyfs check --password-file password Vault")
    #expect(one.status == 0 && !one.output.contains("explain"), "\(one)")
    let alone = try workspace.shell("agonyfs check --json --password-file password Vault").output
    #expect(!alone.contains("xplained"))

    let both = "--password-file password --password-file hidden"
    let answer = try JSON.decode(
      JointCheckAnswer.self, try workspace.shell("agonyfs check --json \(both) Vault").output)
    #expect(answer.isClean && answer.spaces.count == 2 && answer.claimedTwice == 0)
    #expect(answer.explainedFiles + answer.unexplainedFiles == files)
    // The random part of the creation and that of the added cover.
    #expect(answer.unexplainedFiles >= 8)
    #expect(answer.unexplainedBytes == Int64(answer.unexplainedFiles) << 20)
    let text = try workspace.shell("agonyfs check \(both) --password-file further Vault")
    #expect(text.status == 0)
    let lines = text.output.split(separator: "\n")
    #expect(lines.count == 8, "\(text)")
    #expect(lines[0] == "password:" && lines[3] == "hidden:")
    #expect(lines[6] == "further: this password opens a space above, too.")
    #expect(lines[7].hasPrefix("These passwords leave \(answer.unexplainedFiles) files of \(files) unexplained, "))
    // The random files go; those of the spaces are all explained.
    let owned = try workspace.shell("agonyfs check --json --password-file password --password-file further Vault")
    let first = try JSON.decode(JointCheckAnswer.self, owned.output)
    #expect(first.spaces.map { $0 == nil } == [false, true])
    #expect(first.unexplainedFiles > answer.unexplainedFiles + 10)

    for wrong in ["--password-file password --password-file wrong", "--password-file wrong --password-file password"] {
      let outcome = try workspace.shell("agonyfs check \(wrong) Vault")
      expectFailure(outcome, .noSpaceOpens, "No space in")
      let usual = try workspace.shell("agonyfs check --password-file wrong Vault")
      #expect(outcome.output.isEmpty && outcome.errors == usual.errors)
    }
    expectFailure(try workspace.shell("agonyfs check --repair \(both) Vault"), .usage, "one password")
    expectFailure(
      try workspace.shell("agonyfs check \(both) --password-command 'echo x' Vault"), .usage, "Give one of")
  }

  @Test func damageOfOneOfThemIsTheStatus() throws {
    try expectSuccess(
      Workspace.withLargeFile(),
      """
      echo 'hidden password' > hidden
      agonyfs space add --cover 10M --password-file hidden Vault
      rm "$(sed -n 1p middle)"
      agonyfs check --password-file hidden Vault
      gives 16 agonyfs check --password-file hidden --password-file password Vault > said
      grep -q '^damaged: /large' said
      grep -q 'unexplained' said
      """)
  }
}
