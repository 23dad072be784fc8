// Invariants
// 1. A mount shows which space it serves only to a process that has opened that space by a password. The challenge is
//    fresh each time, so no two answers are the same, and none names a space.

internal import CPlatform
internal import Glibc
package import System
package import Vault

/// Proves that a mount serves a space that was opened by a password.
package enum SpaceProof {
  private static let challengeSize = 16
  private static let size = challengeSize + 32

  /// Whether the mount with this root directory, opened for reading, serves a space.
  package static func isMount(_ root: Descriptor, of space: Space) -> Bool {
    guard let value = answer(.space, of: root), value.count == size else { return false }
    return space.proof(of: Array(value[..<challengeSize])) == Array(value[challengeSize...])
  }

  /// The process that serves the mount with this root directory, after `isMount`; nil if it has ended.
  package static func server(of root: Descriptor) -> [UInt8]? { answer(.identity, of: root) }

  private static func answer(_ question: DaemonAttribute, of root: Descriptor) -> [UInt8]? {
    // Large enough for both answers.
    var value = [UInt8](repeating: 0, count: 64)
    let name = question.rawValue
    let count = unsafe value.withUnsafeMutableBytes { unsafe fgetxattr(root.number, name, $0.baseAddress, $0.count) }
    return count > 0 ? Array(value[..<count]) : nil
  }

  /// The mount's answer: a challenge, and its proof.
  static func make(for space: Space) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    let challenge = (0..<challengeSize).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    return challenge + space.proof(of: challenge)
  }
}
