import Testing

@testable import System

@Suite struct ByteTests {
  @Test func whatIsWrittenIsRead() throws {
    var writer = ByteWriter()
    writer.append(UInt8(0xAB))
    writer.append(UInt16(0x0102))
    writer.append(Int32(-2))
    writer.append(UInt64(0x0807_0605_0403_0201))
    writer.append([9, 8])
    // It is longer already.
    writer.pad(to: 2)
    writer.pad(to: 20)
    #expect(writer.bytes == [0xAB, 2, 1, 0xFE, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 0, 0, 0])
    var reader = ByteReader(writer.bytes)
    #expect(try reader.read(UInt8.self) == 0xAB)
    #expect(try reader.read(UInt16.self) == 0x0102)
    #expect(try reader.read(Int32.self) == -2)
    #expect(try reader.read(UInt64.self) == 0x0807_0605_0403_0201)
    #expect(try reader.readBytes(2) == [9, 8])
    #expect(reader.remaining == 3)
    #expect(throws: ByteReader.Malformed.self) { try reader.finish() }
    #expect(try reader.readBytes(3) == [0, 0, 0])
    try reader.finish()
  }

  @Test func nothingIsReadBeyondTheEnd() throws {
    var reader = ByteReader([1, 2, 3])
    #expect(throws: ByteReader.Malformed.self) { try reader.read(UInt32.self) }
    #expect(throws: ByteReader.Malformed.self) { try reader.readBytes(4) }
    #expect(throws: ByteReader.Malformed.self) { try reader.readBytes(-1) }
    #expect(throws: ByteReader.Malformed.self) { try reader.readBytes(.max) }
    // What failed took nothing away.
    #expect(try reader.read(UInt16.self) == 0x0201)
    #expect(throws: ByteReader.Malformed.self) { try reader.read(UInt16.self) }
    #expect(try reader.readBytes(1) == [3])
    #expect(try reader.readBytes(0) == [])
    var empty = ByteReader([])
    #expect(throws: ByteReader.Malformed.self) { try empty.read(UInt8.self) }
  }
}

@Suite struct HexadecimalTests {
  @Test func everyByteGoesThereAndBack() {
    let bytes = (0...255).map { UInt8($0) }
    #expect(Hexadecimal.bytes(of: Hexadecimal.digits(of: bytes)) == bytes)
    #expect(Hexadecimal.text(of: [0x00, 0x09, 0x0A, 0xF0, 0xFF]) == "00090af0ff")
    #expect(Hexadecimal.text(of: [0x09, 0xAF], isUppercase: true) == "09AF")
    #expect(Hexadecimal.text(of: []) == "")
    #expect(Hexadecimal.bytes(of: []) == [])
  }

  @Test(arguments: ["0", "000", "0g", "g0", "0A", "+1", "-1", " 1", "1 ", "0x10", "٠٠", "00\u{0}0"])
  func whatIsNoPairOfDigitsIsRefused(text: String) {
    #expect(Hexadecimal.bytes(of: text.utf8) == nil)
  }
}
