import Synchronization
import TestSupport
import Testing

@testable import Crypto

@Suite struct SealingTests {
  static let ascending = (0..<32).map { UInt8($0) }

  /// Ciphertext: test case 14 of the GCM specification (AES-256, all zeros). The tag is over one byte of associated
  /// data besides.
  @Test func aesGivesTheBytesOfTheSpecification() {
    let key = SealingKey(.aes256gcm, Array(repeating: 0, count: 32))
    let sealed = key.seal(Array(repeating: 0, count: 16), at: 0, kind: 3)
    #expect(Array(sealed[..<16]) == bytes("cea7403d4d606b6e074ec5d3baf39d18"))
    #expect(sealed == bytes("cea7403d4d606b6e074ec5d3baf39d18632e87cfa682a32a2e92dbff47566e20"))
  }

  /// Made by other implementations: the nonce is the offset, little-endian, then zeros.
  @Test(arguments: [
    (CipherSuite.aes256gcm, "d5b830275fc6d8138e5acb01303e9fdb0e268c89ce75b0", "169117ca8a282636710cae9ddbdfc01c"),
    (.xchacha20poly1305, "34e5c440ffe4c9b0b1adcf013c6cd6aba2cd0a076ad1ab", "ad0e830aae7ea13ba0a1e56ef41c4f8b"),
  ])
  func theOffsetIsTheNonce(suite: CipherSuite, text: String, empty: String) {
    let key = SealingKey(suite, Self.ascending)
    #expect(key.seal(Array("agonyfs".utf8), at: 0x01_2345_6789, kind: 6) == bytes(text))
    #expect(key.seal([], at: 0x01_2345_6789, kind: 6) == bytes(empty))
  }

  @Test(arguments: CipherSuite.allCases, [0, 1, 15, 16, 17, 4096, 16_384])
  func whatIsSealedOpensAndNothingElseDoes(suite: CipherSuite, count: Int) throws {
    let key = SealingKey(suite, Self.ascending)
    let plaintext = Sodium.randomBytes(count)
    let sealed = key.seal(plaintext, at: 112, kind: 3)
    #expect(sealed.count == count + CipherSuite.tagSize)
    #expect(key.open(sealed, at: 112, kind: 3) == plaintext)
    #expect(key.open(sealed, at: 128, kind: 3) == nil)
    #expect(key.open(sealed, at: 112, kind: 4) == nil)
    #expect(SealingKey(suite, Sodium.randomBytes(32)).open(sealed, at: 112, kind: 3) == nil)
    for other in CipherSuite.allCases where other != suite {
      #expect(SealingKey(other, Self.ascending).open(sealed, at: 112, kind: 3) == nil)
    }
    #expect(key.open(Array(sealed.dropLast()), at: 112, kind: 3) == nil)
    #expect(key.open(sealed + [0], at: 112, kind: 3) == nil)
    for index in stride(from: 0, to: sealed.count, by: max(1, sealed.count / 40)) {
      var flipped = sealed
      flipped[index] ^= 1 << UInt8(index % 8)
      #expect(key.open(flipped, at: 112, kind: 3) == nil, "byte \(index)")
    }
    #expect(key.open(sealed, at: 112, kind: 3) == plaintext, "a failure before leaves the context usable")
  }

  @Test(arguments: CipherSuite.allCases)
  func offsetsGiveUnrelatedBytes(suite: CipherSuite) {
    let key = SealingKey(suite, Self.ascending)
    let plaintext = [UInt8](repeating: 0, count: 64)
    let sealed = (0..<200).map { key.seal(plaintext, at: UInt64($0) * 16, kind: 3) }
    #expect(Set(sealed).count == 200)
  }

  @Test(arguments: CipherSuite.allCases)
  func threadsShareKeysAndContexts(suite: CipherSuite) throws {
    let keys = (0..<4).map { SealingKey(suite, Array(repeating: UInt8($0), count: 32)) }
    let expected = keys.map { $0.seal(Array(repeating: 9, count: 5000), at: 48, kind: 3) }
    let wrong = Atomic(0)
    try inThreads(4) { thread in
      for round in 0..<300 {
        let index = (thread + round) % keys.count
        let plaintext = [UInt8](repeating: 9, count: 5000)
        if keys[index].seal(plaintext, at: 48, kind: 3) != expected[index]
          || keys[index].open(expected[index], at: 48, kind: 3) != plaintext
          || keys[index].open(expected[(index + 1) % keys.count], at: 48, kind: 3) != nil
        {
          wrong.add(1, ordering: .relaxed)
        }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
  }

  @Test func namesAndRawValuesStay() {
    #expect(CipherSuite(name: "aes-256-gcm") == .aes256gcm)
    #expect(CipherSuite(name: "xchacha20-poly1305") == .xchacha20poly1305)
    #expect(CipherSuite(name: "rot13") == nil)
    #expect(CipherSuite.aes256gcm.rawValue == 1)
    #expect(CipherSuite.xchacha20poly1305.rawValue == 2)
  }

  /// Section A.3.1 of draft-irtf-cfrg-xchacha-03.
  @Test func slotsOpenTheBytesOfTheDraft() {
    let nonce = (0x40..<0x58).map { UInt8($0) }
    let key = SecretBytes((0x80..<0xa0).map { UInt8($0) })
    let data = bytes("50515253c0c1c2c3c4c5c6c7")
    let sealed = bytes(
      """
      bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216
      cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff921f9664c97637da9768812f615c68b13
      b52ec0875924c1c7987947deafd8780acf49
      """)
    let text =
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
    #expect(SlotSealing.open(nonce + sealed, key: key, associatedData: data)?.copied == Array(text.utf8))
    #expect(SlotSealing.open(nonce + sealed, key: key, associatedData: []) == nil)
  }

  @Test func slotsTakeAFreshNonceEachTime() {
    let key = SecretBytes.random(count: 32)
    let body = SecretBytes.random(count: 128)
    let sealed = (0..<8).map { _ in SlotSealing.seal(body, key: key, associatedData: [1]) }
    #expect(Set(sealed.map { Array($0[..<24]) }).count == 8)
    for each in sealed {
      #expect(each.count == 128 + SlotSealing.overhead)
      #expect(SlotSealing.open(each, key: key, associatedData: [1])?.equals(body) == true)
      #expect(SlotSealing.open(each, key: key, associatedData: [2]) == nil)
      #expect(SlotSealing.open(Array(each[..<39]), key: key, associatedData: [1]) == nil)
    }
  }
}
