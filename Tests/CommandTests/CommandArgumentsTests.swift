import Crypto
import Glibc
import System
import SystemPackage
import TestSupport
import Testing

@testable import agonyfs

/// The arguments before the parser sees them.
@Suite struct CommandArgumentsTests {
  /// An argument vector in memory that can be looked at afterwards.
  @safe final class Vector {
    let words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    let lengths: [Int]

    init(_ texts: [[UInt8]]) {
      unsafe words = .allocate(capacity: texts.count + 1)
      lengths = texts.map(\.count)
      for (index, text) in texts.enumerated() {
        let word = UnsafeMutablePointer<CChar>.allocate(capacity: text.count + 1)
        for (position, byte) in text.enumerated() { unsafe word[position] = CChar(bitPattern: byte) }
        unsafe word[text.count] = 0
        unsafe words[index] = unsafe word
      }
      unsafe words[texts.count] = nil
    }

    convenience init(_ texts: String...) { self.init(texts.map { Array($0.utf8) }) }

    deinit {
      for index in lengths.indices { unsafe words[index]?.deallocate() }
      unsafe words.deallocate()
    }

    func bytes(_ index: Int) -> [UInt8] {
      (0..<lengths[index]).map { unsafe UInt8(bitPattern: words[index]?[$0] ?? 0) }
    }

    func taken() -> CommandArguments { unsafe CommandArguments(wiping: words, count: lengths.count) }
  }

  @Test func passwordIsTakenAndItsBytesAreGone() throws {
    let vector = Vector("agonyfs", "mount", "--password=s3cret", "/v", "/m")
    let arguments = vector.taken()
    #expect(arguments.words == ["mount", "--password-from-line", "/v", "/m"])
    #expect(arguments.passwords[.current]?.text == "s3cret")
    #expect(vector.bytes(2) == Array("--password=".utf8) + [0, 0, 0, 0, 0, 0])
    #expect(vector.bytes(3) == Array("/v".utf8))
  }

  @Test func bothPasswordsAreTold() throws {
    let arguments = Vector("agonyfs", "--new-password=b", "--password=a").taken()
    #expect(arguments.passwords[.current]?.text == "a")
    #expect(arguments.passwords[.new]?.text == "b")
  }

  /// No password is in the option, or it comes after the end of options.
  @Test(arguments: [["mount", "--password", "--password-file=/x", "/v"], ["mount", "--", "--password=x"]])
  func whatIsNoPasswordIsLeftToTheParser(_ words: [String]) {
    let arguments = Vector((["agonyfs"] + words).map { Array($0.utf8) }).taken()
    #expect(arguments.words == words)
    #expect(arguments.passwords.isEmpty)
  }

  @Test func emptyPasswordIsKeptToBeRefusedLater() throws {
    #expect(Vector("agonyfs", "--password=").taken().passwords[.current]?.isEmpty == true)
  }

  @Test func pathsOfAnyBytesReachTheCommand() throws {
    let words = Vector([Array("agonyfs".utf8), Array("mount".utf8), [0x2f, 0xff], [0x2f, 0xe4]]).taken().words
    let command = try #require(try AgonyfsCommand.parse(words) as? MountCommand)
    #expect(command.vault.bytes == [0x2f, 0xff] && command.mountPoint.bytes == [0x2f, 0xe4])
    #expect(Word.codedText(in: command) == nil)
  }

  /// What is text is not changed in silence, also beside a path of the same bytes.
  @Test func otherWordsHaveToBeText() throws {
    let name = Array("caf".utf8) + [0xe9]
    for title in [[Array("--title=".utf8) + name], [Array("--title".utf8), name]] {
      let words = Vector([Array("agonyfs".utf8), Array("tag".utf8), name] + title).taken().words
      let text = try #require(Word.codedText(in: try AgonyfsCommand.parse(words)))
      #expect(ByteText.bytes(of: text) == name)
    }
  }

  @Test func noArgumentsAtAll() throws {
    #expect(Vector([]).taken().words.isEmpty)
  }
}

extension Password {
  /// The password as text, which only tests may ask for.
  var text: String { unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) } }
}
