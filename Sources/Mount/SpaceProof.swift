// Invariants
// 1. A mount shows which space it is only to who has opened that space by a password. The challenge is fresh each time, so
//    what a mount answers is never the same twice, and names no space.

internal import CPlatform
internal import Glibc
package import System
package import Vault

/// Tells whether a mount is one of a space that was opened by a password.
package enum SpaceProof {
  private static let challengeSize = 16
  private static let size = challengeSize + 32

  /// Whether the mount with this root directory, opened for reading, serves a space.
  package static func isMount(_ root: Descriptor, of space: Space) -> Bool {
    var value = [UInt8](repeating: 0, count: size)
    let name = DaemonAttribute.space.rawValue
    let count = unsafe value.withUnsafeMutableBytes { unsafe fgetxattr(root.number, name, $0.baseAddress, $0.count) }
    guard count == size else { return false }
    return space.proof(of: Array(value[..<challengeSize])) == Array(value[challengeSize...])
  }

  /// What the mount answers: a challenge, and the proof of it.
  static func make(for space: Space) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    let challenge = (0..<challengeSize).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    return challenge + space.proof(of: challenge)
  }
}
