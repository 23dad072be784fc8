import Crypto
import SystemPackage
import TestSupport
import Testing

@testable import agonyfs

/// Where passwords come from, apart from the terminal.
@Suite struct PasswordSourceTests {
  private func failure(_ source: PasswordSource) -> CommandFailure? {
    #expect(throws: CommandFailure.self) { try source.password(for: .opening, prompt: "") }
  }

  @Test func firstLineOfAFile() throws {
    let workspace = try Workspace()
    let file = try workspace.write("first\nsecond\n", to: "file")
    #expect(try PasswordSource.file(FilePath(file)).password(for: .opening, prompt: "").text == "first")
  }

  @Test(arguments: ["", "\n", "\r\n", "\nsecond\n"])
  func emptyFilesAreRefused(_ content: String) throws {
    let workspace = try Workspace()
    let failure = failure(.file(FilePath(try workspace.write(content, to: "file"))))
    #expect(failure?.status == .usage)
    #expect(failure?.message.contains("empty") == true)
  }

  @Test func missingFileIsNamed() throws {
    let workspace = try Workspace()
    let failure = failure(.file(FilePath(workspace.at("absent"))))
    #expect(failure?.status == .failure)
    #expect(failure?.message.contains(workspace.at("absent")) == true)
    #expect(failure?.message.contains("No such file") == true)
  }

  @Test func directoryIsNoPasswordFile() throws {
    let workspace = try Workspace()
    #expect(failure(.file(FilePath(workspace.path)))?.message.contains("directory") == true)
  }

  /// Also of one that prints much.
  @Test(arguments: ["printf 'first\\nsecond\\n'", "echo first && seq 100000 && exit 0"])
  func firstLineOfACommand(_ command: String) throws {
    #expect(try PasswordSource.command(command).password(for: .opening, prompt: "").text == "first")
  }

  private static let wrongCommands: [(String, CommandStatus, String)] = [
    ("echo word; exit 3", .failure, "status 3"), ("echo word; kill -TERM $$", .failure, "signal 15"),
    ("true", .usage, "printed nothing"),
  ]

  @Test(arguments: wrongCommands)
  func commandThatIsNotTrusted(_ command: String, _ status: CommandStatus, _ words: String) {
    let failure = failure(.command(command))
    #expect(failure?.status == status)
    #expect(failure?.message.contains(words) == true)
  }

  @Test(arguments: ["", String(repeating: "x", count: 4097)])
  func emptyAndLongPasswordsOfTheLine(_ text: String) {
    #expect(failure(.given(.of(text)))?.status == .usage)
  }

  @Test(arguments: ["a", "12345678", "aaaaaaaaaaaaaaaaaaaa", "abababababab", "short1!xy"])
  func weakPasswordsGetAdvice(_ text: String) {
    #expect(PasswordAdvice.advice(for: .of(text)) != nil)
  }

  @Test(arguments: ["correct horse battery staple", "kT9#mQ2$vL", "überlange Straßenbahn"])
  func otherPasswordsGetNone(_ text: String) {
    #expect(PasswordAdvice.advice(for: .of(text)) == nil)
  }
}
