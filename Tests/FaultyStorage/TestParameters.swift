internal import Crypto
package import Vault

extension VaultParameters {
  /// What vaults in memory have: files of 1 MiB, and passwords that cost nothing to try. No vault in a directory may
  /// have such a derivation.
  package static var cheap: VaultParameters {
    var derivation = PasswordDerivation(cost: .interactive)
    (derivation.operations, derivation.memory) = (1, 8192)
    return VaultParameters(
      identifier: Array(repeating: 1, count: 16), segmentSize: 1 << 20, derivations: [derivation])
  }
}
