/// What a vault says without a password.
struct VaultInformation: Encodable {
  /// How it is found out whether a password opens something.
  struct Derivation: Encodable {
    /// The function's name in libsodium.
    var algorithm: String
    /// Passes over the memory.
    var operations: UInt64
    /// Bytes of memory.
    var memory: UInt64
  }

  /// The vault's absolute path.
  var path: String
  /// The format's number.
  var format: Int
  /// The vault's id, in hexadecimal.
  var identifier: String
  /// Bytes of every file.
  var segmentSize: Int
  /// How many files there are, those of all spaces and cover together.
  var files: Int
  /// Their bytes, when all are complete.
  var bytes: Int64
  /// Whether its directory cannot be written.
  var isReadOnly: Bool
  /// The work of trying a password, oldest first.
  var keyDerivations: [Derivation]
}
