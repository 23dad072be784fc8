internal import Crypto
internal import Storage
internal import System
internal import SystemPackage
internal import Vault

/// The facts about a vault that need no password.
struct VaultInformation: Encodable {
  /// How keys are derived from a password.
  struct Derivation: Encodable {
    /// The function's name in libsodium.
    var algorithm: String
    /// Passes over the memory.
    var operations: UInt64
    var memory: UInt64
  }

  /// The vault's absolute path, with U+FFFD for bytes that are not UTF-8.
  var path: String
  /// The path's bytes in hexadecimal, if they are not UTF-8.
  var pathBytes: String?
  var format: Int
  /// The vault's id, in hexadecimal.
  var identifier: String
  /// The size of every file, in bytes.
  var segmentSize: Int
  /// Number of files, of all spaces and cover together.
  var files: Int
  /// The size of all files if each is complete.
  var bytes: Int64
  /// Whether the vault's directory cannot be written.
  var isReadOnly: Bool
  /// The derivations that each password attempt runs, oldest first.
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
  /// A path's bytes in hexadecimal; nil if they are UTF-8, so that the text is exact.
  static func bytes(of path: FilePath) -> String? {
    String(validating: path.bytes, as: UTF8.self) == nil ? Hexadecimal.text(of: path.bytes) : nil
  }
}
