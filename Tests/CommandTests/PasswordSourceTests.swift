import Crypto
import Glibc
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

  @Test func firstLineOfACommand() throws {
    let source = PasswordSource.command("printf 'first\\nsecond\\n'")
    #expect(try source.password(for: .opening, prompt: "").text == "first")
  }

  @Test func commandThatPrintsMuchIsReadToItsEnd() throws {
    let source = PasswordSource.command("echo first && seq 100000 && exit 0")
    #expect(try source.password(for: .opening, prompt: "").text == "first")
  }

  @Test func commandThatFailsIsNotTrusted() {
    let failure = failure(.command("echo word; exit 3"))
    #expect(failure?.status == .failure)
    #expect(failure?.message.contains("status 3") == true)
  }

  @Test func commandThatIsKilledIsNotTrusted() {
    #expect(failure(.command("echo word; kill -TERM $$"))?.message.contains("signal 15") == true)
  }

  @Test func commandThatPrintsNothing() {
    #expect(failure(.command("true"))?.status == .usage)
  }

  @Test func emptyPasswordOfTheLine() {
    #expect(failure(.given(.of("")))?.status == .usage)
  }

  @Test func longPasswordOfTheLine() {
    #expect(failure(.given(.of(String(repeating: "x", count: 4097))))?.status == .usage)
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
