import Crypto
import System
import Testing

@testable import agonyfs

/// First lines of files, pipes and commands.
@Suite struct SecretLineTests {
  /// The reading end of a pipe that holds these bytes.
  private func pipe(holding bytes: [UInt8]) throws -> Descriptor {
    let (reading, writing) = try Descriptor.pipe()
    try writing.writeAll(bytes)
    return reading
  }

  /// The lines that are read from a pipe with this text, in order.
  private func lines(of text: [UInt8]) throws -> [String] {
    let reading = try pipe(holding: text)
    var lines: [String] = []
    while true {
      do {
        guard let password = try SecretLine.read(from: reading) else { return lines }
        lines.append(password.text)
      } catch let failure as CommandFailure where failure == SecretLine.tooLong {
        return lines + ["(too long)"]
      }
    }
  }

  @Test(arguments: [
    ("secret", ["secret"]), ("secret\n", ["secret"]), ("secret\r\n", ["secret"]), ("a\nb\nc", ["a", "b", "c"]),
    ("\nb\n", ["", "b"]), ("", []), ("\n", [""]), ("\r\n", [""]), (" a b \n", [" a b "]), ("a\rb\n", ["a\rb"]),
    ("é\n", ["é"]),
  ])
  func linesEndAtNewlines(_ text: String, _ expected: [String]) throws {
    #expect(try lines(of: Array(text.utf8)) == expected)
  }

  @Test func everyByteCounts() throws {
    let bytes: [UInt8] = [0, 0xff, 0x80, 7]
    let reading = try pipe(holding: bytes + [10])
    let password = try #require(try SecretLine.read(from: reading))
    #expect(unsafe password.bytes.withUnsafeBytes { unsafe Array($0) } == bytes)
  }

  @Test func lengthHasABound() throws {
    let longest = [UInt8](repeating: 97, count: SecretLine.limit)
    #expect(try lines(of: longest + [10]).first?.utf8.count == SecretLine.limit)
    #expect(try lines(of: longest + [13, 10]).first?.utf8.count == SecretLine.limit)
    #expect(try lines(of: longest).first?.utf8.count == SecretLine.limit)
    #expect(try lines(of: longest + [97, 10]) == ["(too long)"])
    #expect(try lines(of: longest + longest) == ["(too long)"])
  }

  @Test func wholeContentCanCount() throws {
    let reading = try pipe(holding: Array("a\nb\n".utf8))
    let password = try #require(try SecretLine.read(from: reading, endsAtNewline: false))
    #expect(password.text == "a\nb\n")
  }
}
