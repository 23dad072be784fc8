internal import Crypto
internal import Storage
internal import System
internal import SystemPackage
internal import Vault

/// What a vault reveals without a password.
struct VaultInformation: Encodable {
  /// How keys are derived from a password.
  struct Derivation: Encodable {
    /// The function's name in libsodium.
    var algorithm: String
    /// Passes over the memory.
    var operations: UInt64
    var memory: UInt64
  }

  /// The vault's absolute path; with U+FFFD for bytes that are not UTF-8.
  var path: String
  /// Its bytes, in hexadecimal, if they are not UTF-8.
  var pathBytes: String?
  var format: Int
  /// The vault's id, in hexadecimal.
  var identifier: String
  /// Bytes of every file.
  var segmentSize: Int
  /// Number of files, of all spaces and cover together.
  var files: Int
  /// Their bytes if all are complete.
  var bytes: Int64
  /// Whether its directory cannot be written.
  var isReadOnly: Bool
  /// The derivations of a password attempt, oldest first.
  var keyDerivations: [Derivation]

  init(_ vault: Vault, path: FilePath) throws {
    let parameters = vault.parameters
    var files = 0
    try CommandFailure.doing("reading the vault's directory") { () throws(Errno) in
      try vault.storage.list { _, _, _ in files += 1 }
    }
    self.path = path.string
    pathBytes = Self.bytes(of: path)
    self.files = files
    format = VaultParameters.currentFormat
    identifier = Hexadecimal.text(of: parameters.identifier)
    segmentSize = parameters.segmentSize
    bytes = Int64(files) * Int64(segmentSize)
    isReadOnly = vault.isReadOnly
    keyDerivations = parameters.derivations.map {
      Derivation(algorithm: "argon2id13", operations: $0.operations, memory: $0.memory)
    }
  }
  /// The bytes of a path, in hexadecimal; nil if they are UTF-8, so that its text says all.
  static func bytes(of path: FilePath) -> String? {
    String(validating: path.bytes, as: UTF8.self) == nil ? Hexadecimal.text(of: path.bytes) : nil
  }
}
