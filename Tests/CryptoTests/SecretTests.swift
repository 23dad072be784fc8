import TestSupport
import Testing

@testable import Crypto

@Suite struct SecretTests {
  @Test func secretsHoldWhatTheyWereGiven() {
    let secret = SecretBytes([1, 2, 3])
    #expect(secret.copied == [1, 2, 3])
    #expect(secret.equals(SecretBytes([1, 2, 3])))
    #expect(!secret.equals(SecretBytes([1, 2, 4])))
    #expect(!secret.equals(SecretBytes([1, 2])))
    #expect(SecretBytes([]).count == 0)
    #expect(SecretBytes([]).equals(SecretBytes([])))
    #expect(!SecretBytes.random(count: 32).equals(SecretBytes.random(count: 32)))
  }

  /// Expected values: Unicode 15, NormalizationTest.txt, and UAX #15, figures 3 to 6.
  @Test(arguments: [
    ("plain ASCII", "plain ASCII"), ("u\u{308}ber", "\u{fc}ber"), ("\u{fc}ber", "\u{fc}ber"), ("\u{212b}", "\u{c5}"),
    ("\u{1e0b}\u{323}", "\u{1e0d}\u{307}"), ("\u{1112}\u{1161}\u{11ab}", "\u{d55c}"), ("\u{fb01}", "\u{fb01}"),
    ("\u{feff}word", "word"), ("\u{feff}\u{feff}a", "\u{feff}a"), ("a\u{feff}", "a\u{feff}"), ("\u{feff}", ""),
    ("", ""),
    ("a\0u\u{308}", "a\0\u{fc}"),
    (String(repeating: "u\u{308}", count: 1300), String(repeating: "\u{fc}", count: 1300)),
  ])
  func passwordsHaveANormalForm(typed: String, normal: String) {
    let password = Password.of(typed)
    #expect(password.normalized.bytes.copied == Array(normal.utf8))
    let isNormal = Array(typed.utf8) == Array(normal.utf8)
    let forms = password.forms.map(\.bytes.copied)
    #expect(forms == (isNormal ? [Array(typed.utf8)] : [Array(typed.utf8), Array(normal.utf8)]))
  }

  /// What is no UTF-8, also behind a byte order mark, stays what it is.
  @Test(
    arguments: [[0xff, 0x41], [0x75, 0xcc, 0x88, 0xc3], [0xef, 0xbb, 0xbf, 0xe9], [0xed, 0xa0, 0x80]] as [[UInt8]])
  func passwordsOfOtherBytesStay(typed: [UInt8]) {
    let password = unsafe typed.withUnsafeBytes { unsafe Password(copying: $0) }
    #expect(password.normalized === password && password.forms.count == 1)
  }

  @Test func whatFillingThrowsArrives() {
    struct Failure: Error {}
    #expect(throws: Failure.self) { unsafe try SecretBytes(count: 32) { _ in throw Failure() } }
  }

  /// The first answer of the BLAKE2 project's list for keyed BLAKE2b.
  @Test func theHashIsKeyedBLAKE2b() {
    let key = SecretBytes((0..<64).map { UInt8($0) })
    let expected = bytes(
      """
      10ebb67700b1868efb4417987acf4690ae9d972fb7a590c2f02871799aaa4786
      b5e996e8f0f4eb981fc214b005f42d2ff4233499391653df7aefcbc13fc51568
      """)
    #expect(KeyedHash.identifier(of: key, context: "", data: [], count: 64) == expected)
    #expect(KeyedHash.subkey(of: key, context: "", count: 64).copied == expected)
  }

  /// A stream in any pieces hashes as the whole.
  @Test(arguments: [1, 63, 64, 128, 1000]) func theStreamIsHashedAsAWhole(piece: Int) {
    let key = SecretBytes.random(count: 32)
    let text = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    var hasher = KeyedHasher(key: key, count: 32)
    for start in stride(from: 0, to: text.count, by: piece) {
      unsafe text[start..<min(start + piece, text.count)].withUnsafeBytes { unsafe hasher.update($0) }
    }
    #expect(hasher.finish() == KeyedHash.identifier(of: key, context: "", data: text, count: 32))
  }

  /// From RFC 1321, A.5.
  @Test func namesAreDigestedByMD5() {
    #expect(NameDigest.md5(Array("message digest".utf8)) == bytes("f96b697d7cb7938d525a2f31aaf161d0"))
  }

  @Test func contextDataKeyAndLengthAllCount() {
    let key = SecretBytes((0..<32).map { UInt8($0) })
    let values = [
      KeyedHash.identifier(of: key, context: "log", data: [], count: 32),
      KeyedHash.identifier(of: key, context: "chain", data: [], count: 32),
      KeyedHash.identifier(of: key, context: "log", data: [0], count: 32),
      KeyedHash.identifier(of: SecretBytes.random(count: 32), context: "log", data: [], count: 32),
    ]
    #expect(Set(values).count == 4)
    let short = KeyedHash.identifier(of: key, context: "log", data: [], count: 16)
    #expect(short != Array(values[0][..<16]))
  }

  @Test func derivationsOutsideTheBoundsAreRefused() {
    let salt = [UInt8](repeating: 1, count: 16)
    #expect(PasswordDerivation(operations: 1, memory: 8 << 20, salt: salt) != nil)
    #expect(PasswordDerivation(operations: 64, memory: 4 << 30, salt: salt) != nil)
    #expect(PasswordDerivation(operations: 0, memory: 8 << 20, salt: salt) == nil)
    #expect(PasswordDerivation(operations: 65, memory: 8 << 20, salt: salt) == nil)
    #expect(PasswordDerivation(operations: 1, memory: (8 << 20) - 1, salt: salt) == nil)
    #expect(PasswordDerivation(operations: 1, memory: (4 << 30) + 1, salt: salt) == nil)
    #expect(PasswordDerivation(operations: 1, memory: 8 << 20, salt: Array(salt[1...])) == nil)
    #expect(PasswordDerivation(operations: 1, memory: 8 << 20, salt: salt + [1]) == nil)
  }

  @Test func presetsAreInsideTheBoundsAndHaveFreshSalts() {
    for cost in KeyDerivationCost.allCases {
      let derivation = PasswordDerivation(cost: cost)
      #expect(PasswordDerivation.operationsRange.contains(derivation.operations))
      #expect(PasswordDerivation.memoryRange.contains(derivation.memory))
      #expect(derivation.salt != PasswordDerivation(cost: cost).salt)
    }
  }

  @Test func everythingAboutADerivationCounts() throws {
    func derive(_ text: String, operations: UInt64 = 1, memory: UInt64 = 8 << 20, salt: UInt8 = 1) throws -> [UInt8] {
      let derivation = try #require(
        PasswordDerivation(operations: operations, memory: memory, salt: Array(repeating: salt, count: 16)))
      return try #require(derivation.derive(.of(text))).copied
    }
    let base = try derive("open")
    #expect(base.count == PasswordDerivation.outputSize)
    #expect(try derive("open") == base)
    let others = [
      try derive("opem"), try derive(""), try derive("open", operations: 2), try derive("open", memory: 9 << 20),
      try derive("open", salt: 2),
    ]
    #expect(Set(others + [base]).count == 6)
  }

  @Test(arguments: [0, 1, 64, 1 << 20])
  func paddingLooksRandom(count: Int) {
    var buffer = [UInt8](repeating: 0, count: count)
    unsafe buffer.withUnsafeMutableBytes { unsafe Sodium.fillPadding($0) }
    guard count >= 1 << 20 else { return }
    var frequencies = [Double](repeating: 0, count: 256)
    for byte in buffer { frequencies[Int(byte)] += 1 }
    let expected = Double(count) / 256
    let distance = frequencies.reduce(0) { $0 + ($1 - expected) * ($1 - expected) / expected }
    // 255 degrees of freedom: outside once in some ten billion runs.
    #expect((130..<430).contains(distance))
    var second = [UInt8](repeating: 0, count: count)
    unsafe second.withUnsafeMutableBytes { unsafe Sodium.fillPadding($0) }
    #expect(buffer != second)
  }
}
