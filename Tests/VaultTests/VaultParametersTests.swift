import Crypto
import Testing

@testable import Vault

@Suite struct VaultParametersTests {
  static let parameters = VaultParameters(
    identifier: (0..<16).map { $0 * 17 }, segmentSize: 4 << 20, derivations: [PasswordDerivation(cost: .moderate)])
  static let text = String(decoding: parameters.json, as: UTF8.self)

  /// The text with one passage replaced, which must be there.
  static func edited(_ passage: String, _ replacement: String) throws -> [UInt8] {
    let parts = text.utf8.split(separator: Array(passage.utf8), omittingEmptySubsequences: false)
    try #require(parts.count > 1, "the passage is not in the file")
    return Array(parts.map { Array($0) }.joined(separator: Array(replacement.utf8)))
  }

  @Test func whatIsWrittenIsRead() throws {
    #expect(try VaultParameters(json: Self.parameters.json) == Self.parameters)
    #expect(Self.text.hasSuffix("}\n"))
  }

  @Test func everyTruncationIsRefused() {
    let json = Self.parameters.json
    // Without the last line's end it is still the same JSON.
    for count in 0..<json.count - 2 {
      #expect(throws: VaultError.self) { try VaultParameters(json: Array(json[..<count])) }
    }
  }

  @Test func anotherFormatIsNamed() throws {
    for (format, error) in [(3, VaultError.newerFormat(3)), (1, .olderFormat(1))] {
      let json = try Self.edited("\"format\" : 2", "\"format\" : \(format)")
      #expect(throws: error) { try VaultParameters(json: json) }
    }
    #expect(throws: VaultError.newerFormat(9)) { try VaultParameters(json: Array("{\"format\": 9}".utf8)) }
  }

  @Test(arguments: [
    ("\"format\" : 2", "\"format\" : 0"), ("\"format\" : 2", "\"format\" : -1"), ("\"format\"", "\"fromat\""),
    ("00112233", "0011223"), ("00112233", "001122zz"), ("00112233", "+0+12233"), ("\"vault\"", "\"volt\""),
    ("4194304", "4194305"), ("4194304", "524288"), ("4194304", "134217728"), ("4194304", "-4194304"),
    ("argon2id13", "argon2i13"), ("\"operations\" : 3", "\"operations\" : 0"),
    ("\"operations\" : 3", "\"operations\" : 1000000"), ("268435456", "1024"), ("268435456", "99999999999999"),
    ("268435456", "18446744073709551616"), ("\"salt\"", "\"pepper\""),
  ])
  func valuesOutsideSaneBoundsAreRefused(passage: String, replacement: String) throws {
    let json = try Self.edited(passage, replacement)
    let error = try #require(throws: VaultError.self) { try VaultParameters(json: json) }
    guard case .notAVault = error else { throw error }
  }

  @Test func theNumberOfDerivationsIsBounded() {
    for count in [0, 17] {
      let parameters = VaultParameters(
        identifier: Self.parameters.identifier, segmentSize: 1 << 20,
        derivations: Array(repeating: PasswordDerivation(cost: .interactive), count: count))
      #expect(throws: VaultError.self) { try VaultParameters(json: parameters.json) }
    }
  }

  @Test func garbageIsRefused() {
    for text in ["", "{}", "[]", "null", "1", "{\"format\":\"1\"}", "{\"format\":1.5}", "\u{0}\u{1}"] {
      #expect(throws: VaultError.self) { try VaultParameters(json: Array(text.utf8)) }
    }
  }
}
