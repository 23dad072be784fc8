import SystemPackage
import Testing

@testable import System

/// Text that stands for bytes.
@Suite struct ByteTextTests {
  static let words: [[UInt8]] = [
    [], Array("/home/Fotos für Oma 📷".utf8), [0xFF], [0x2F, 0xE4, 0x6E], [0xC3], [0xE2, 0x82],
    [0xF0, 0x9F, 0x93, 0x41],
    // A surrogate, what is longer than it needs to be, and what is above the last character.
    [0xED, 0xA0, 0x80], [0xC0, 0xAF], [0xF4, 0x90, 0x80, 0x80],
    // Characters of the range itself, as they are and beside a byte that is none.
    Array("\u{10FF80}".utf8), Array("a\u{10FFFF}b".utf8) + [0xFE], Array("\u{10FEFF}".utf8),
    Array("e\u{301},\u{301}\r\n".utf8) + [0x80],
  ]

  @Test(arguments: words)
  func bytesComeBack(_ bytes: [UInt8]) {
    #expect(ByteText.bytes(of: ByteText.text(of: bytes)) == bytes)
  }

  @Test func usualTextIsItself() {
    #expect(ByteText.text(of: Self.words[1]) == "/home/Fotos für Oma 📷")
    #expect(!ByteText.isCoded("/home/Fotos für Oma 📷") && ByteText.isCoded(ByteText.text(of: [0x61, 0xFF])))
    #expect(ByteText.text(of: [0x61, 0xFF, 0x62]) == "a\u{10FFFF}b")
  }

  @Test func differentBytesAreDifferentTexts() {
    let texts = Set(Self.words.map { Array(ByteText.text(of: $0).utf8) })
    #expect(texts.count == Self.words.count)
  }

  @Test(arguments: [[UInt8]]([[0x2F, 0xFF], Array("/a/b".utf8), []]))
  func pathsKeepTheirBytes(_ bytes: [UInt8]) {
    #expect(FilePath(bytes: bytes).bytes == bytes)
  }
}
