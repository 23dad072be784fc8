internal import CSodium

/// The work per password attempt (libsodium's presets of `crypto_pwhash`).
package enum KeyDerivationCost: String, CaseIterable, Sendable {
  /// 64 MiB, two passes.
  case interactive
  /// 256 MiB, three passes.
  case moderate
  /// 1 GiB, four passes.
  case sensitive
}

/// The parameters of one Argon2id (version 1.3) derivation, all of them public.
package struct PasswordDerivation: Hashable, Sendable {
  /// Bytes of a salt.
  package static let saltSize = 16
  /// Bytes of the result of a derivation.
  package static let outputSize = 64
  /// Other values are refused: smaller ones make guessing cheap, and an edited file with larger ones would hang the
  /// program.
  package static let operationsRange: ClosedRange<UInt64> = 1...64
  /// Bytes of memory; see `operationsRange`.
  package static let memoryRange: ClosedRange<UInt64> = (8 << 20)...(4 << 30)

  /// Passes over the memory.
  package var operations: UInt64
  /// Memory in bytes.
  package var memory: UInt64
  /// 16 random bytes.
  package var salt: [UInt8]

  /// A derivation with these parameters; nil if they are outside the ranges.
  package init?(operations: UInt64, memory: UInt64, salt: [UInt8]) {
    guard Self.operationsRange.contains(operations), Self.memoryRange.contains(memory), salt.count == Self.saltSize
    else { return nil }
    self.init(recordedOperations: operations, memory: memory, salt: salt)
  }

  /// A preset of libsodium with a fresh salt.
  package init(cost: KeyDerivationCost) {
    switch cost {
    case .interactive: (operations, memory) = (2, 64 << 20)
    case .moderate: (operations, memory) = (3, 256 << 20)
    case .sensitive: (operations, memory) = (4, 1 << 30)
    }
    salt = Sodium.randomBytes(Self.saltSize)
  }

  /// Recorded parameters, whether or not they are within the ranges.
  package init(recordedOperations operations: UInt64, memory: UInt64, salt: [UInt8]) {
    self.operations = operations
    self.memory = memory
    self.salt = salt
  }

  /// The work of one guess: passes times bytes of memory.
  package var work: UInt64 {
    let (work, isTooMuch) = operations.multipliedReportingOverflow(by: memory)
    return isTooMuch ? .max : work
  }

  /// The least memory of a derivation that is not weak, in bytes: that of `interactive`.
  package static let leastMemory: UInt64 = 64 << 20
  /// The fewest passes of a derivation that is not weak: those of `interactive`.
  package static let leastOperations: UInt64 = 2

  /// Whether guessing is cheaper than with the weakest choice for new vaults.
  package var isWeak: Bool { operations < Self.leastOperations || memory < Self.leastMemory }

  /// Derives 64 bytes from a password; nil if there is not enough memory.
  package func derive(_ password: Password) -> SecretBytes? {
    Sodium.initialize()
    var succeeded = false
    let output = unsafe SecretBytes(count: Self.outputSize) { output in
      unsafe password.bytes.withUnsafeBytes { bytes in
        let password = unsafe UnsafeRawPointer(bytes.bytes).assumingMemoryBound(to: CChar.self)
        succeeded =
          unsafe crypto_pwhash(
            output.bytes, UInt64(output.count), password, UInt64(bytes.count), salt, operations, Int(memory),
            crypto_pwhash_ALG_ARGON2ID13) == 0
      }
    }
    return succeeded ? output : nil
  }
}
