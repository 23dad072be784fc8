package import Crypto
internal import FoundationEssentials
internal import Storage
internal import System

/// The content of `agonyfs.json`. It is public; nothing else in a vault is readable without a password.
package struct VaultParameters: Equatable, Sendable {
  /// The only format that this program reads and writes.
  package static let currentFormat = 2
  /// The file's name in a vault.
  package static let fileName = StorageNames.parameters
  static let identifierSize = 16
  /// The most bytes that are read of the file.
  static let fileLimit = 64 << 10
  /// The most key derivations.
  static let derivationLimit = 16

  /// 16 random bytes.
  package var identifier: [UInt8]
  /// Bytes of every segment file.
  package var segmentSize: Int
  /// The key derivations of its slots, oldest first.
  package var derivations: [PasswordDerivation]

  private struct File: Codable {
    var format: Int
    var vault: String
    var segmentSize: Int
    var keyDerivations: [Derivation]
  }

  private struct Derivation: Codable {
    var algorithm: String
    var operations: UInt64
    var memory: UInt64
    var salt: String
  }

  private struct FormatOnly: Codable {
    var format: Int
  }

  private static let algorithm = "argon2id13"

  /// Sets all fields without a check. Only `init(json:)` checks bounds.
  package init(identifier: [UInt8], segmentSize: Int, derivations: [PasswordDerivation]) {
    self.identifier = identifier
    self.segmentSize = segmentSize
    self.derivations = derivations
  }

  /// Reads the file.
  ///
  /// - Throws: `.newerFormat`, `.olderFormat`; `.notAVault` with the reason when the text differs from what this
  ///   program writes.
  package init(json: [UInt8]) throws(VaultError) {
    let data = Data(json)
    guard let format = try? JSONDecoder().decode(FormatOnly.self, from: data).format else {
      throw .notAVault("\(Self.fileName) is damaged: it is not the JSON that agonyfs writes")
    }
    guard format >= 1 else { throw .notAVault("\(Self.fileName) names format \(format), which does not exist") }
    guard format <= Self.currentFormat else { throw .newerFormat(format) }
    guard format >= Self.currentFormat else { throw .olderFormat(format) }
    guard let file = try? JSONDecoder().decode(File.self, from: data) else {
      throw .notAVault("\(Self.fileName) is damaged: a value is missing")
    }
    guard let identifier = Hexadecimal.bytes(of: file.vault.utf8), identifier.count == Self.identifierSize else {
      throw .notAVault("\(Self.fileName) is damaged: \"vault\" must be 32 hexadecimal digits")
    }
    guard SegmentFormat.sizeRange.contains(file.segmentSize), file.segmentSize.nonzeroBitCount == 1 else {
      throw .notAVault("\(Self.fileName) is damaged: \"segmentSize\" must be a power of two from 1 to 64 MiB")
    }
    guard (1...Self.derivationLimit).contains(file.keyDerivations.count) else {
      throw .notAVault("\(Self.fileName) is damaged: \"keyDerivations\" must have 1 to 16 entries")
    }
    var derivations: [PasswordDerivation] = []
    for entry in file.keyDerivations {
      guard entry.algorithm == Self.algorithm, let salt = Hexadecimal.bytes(of: entry.salt.utf8),
        let derivation = PasswordDerivation(operations: entry.operations, memory: entry.memory, salt: salt)
      else { throw .notAVault("\(Self.fileName) is damaged: an entry of \"keyDerivations\" is out of range") }
      derivations.append(derivation)
    }
    self.init(identifier: identifier, segmentSize: file.segmentSize, derivations: derivations)
  }

  /// The file's text.
  package var json: [UInt8] {
    let file = File(
      format: Self.currentFormat, vault: Hexadecimal.text(of: identifier), segmentSize: segmentSize,
      keyDerivations: derivations.map {
        Derivation(
          algorithm: Self.algorithm, operations: $0.operations, memory: $0.memory, salt: Hexadecimal.text(of: $0.salt))
      })
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    guard let data = try? encoder.encode(file) else { preconditionFailure("the parameters cannot be encoded") }
    return Array(data) + [UInt8(ascii: "\n")]
  }

  /// The associated data of slots under `derivation`: vault id, format, segment size and this derivation. It does not
  /// contain other derivations, so adding one does not break older slots.
  func slotAssociatedData(_ derivation: PasswordDerivation) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(identifier)
    writer.append(UInt32(Self.currentFormat))
    writer.append(UInt32(segmentSize))
    writer.append(UInt32(13))
    writer.append(UInt32(0))
    writer.append(derivation.operations)
    writer.append(derivation.memory)
    writer.append(derivation.salt)
    return writer.bytes
  }
}
