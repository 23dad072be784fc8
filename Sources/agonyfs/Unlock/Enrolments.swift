// Invariants
// 1. No record holds a secret; the secret is in the place that the record leads to.
// 2. A record names no path. Its file name has the identifier of the vault's agonyfs.json and the method.

internal import QuickUnlock
internal import System
internal import SystemPackage
internal import Vault

/// A key that opens spaces of a vault on this machine without a typed password.
struct Enrolment: Equatable {
  /// The identifier of the vault, as hexadecimal digits.
  var vault: String
  var method: UnlockMethod
  /// The data that the helper needs to fetch the key.
  var record: [UInt8]
}

/// The records of this user's enrolled keys on this machine: at most one of each method for a vault.
struct Enrolments {
  private static let prefix = "unlock-"
  private static let magic = Array("agonyfs unlock 1\n".utf8)
  private let folder: StateFolder?

  init() { folder = StateFolder.ofUser() }

  /// All records, or those of one vault, sorted by vault and method.
  func list(vault: String? = nil) throws -> [Enrolment] {
    guard let folder else { return [] }
    var found: [Enrolment] = []
    for name in try folder.names().sorted() {
      guard let (identifier, method) = Self.meaning(of: name), vault == nil || vault == identifier,
        let content = try folder.read(name), content.starts(with: Self.magic)
      else { continue }
      found.append(Enrolment(vault: identifier, method: method, record: Array(content.dropFirst(Self.magic.count))))
    }
    return found.sorted { ($0.vault, $0.method.rawValue) < ($1.vault, $1.method.rawValue) }
  }

  /// Writes a record; it replaces the one of the same vault and method.
  func write(_ enrolment: Enrolment) throws {
    guard let folder else {
      throw CommandFailure(.failure, "The record of the key needs a home directory; set HOME.")
    }
    try folder.replace(Self.name(of: enrolment)) { _ in Self.magic + enrolment.record }
  }

  func remove(_ enrolment: Enrolment) throws { try folder?.remove(Self.name(of: enrolment)) }

  private static func name(of enrolment: Enrolment) -> String {
    prefix + enrolment.vault + "-" + enrolment.method.word
  }

  private static func meaning(of name: String) -> (vault: String, method: UnlockMethod)? {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] + "-" == prefix, Hexadecimal.bytes(of: parts[1].utf8)?.count == 16,
      let method = UnlockMethod.allCases.first(where: { $0.word == parts[2] })
    else { return nil }
    return (String(parts[1]), method)
  }
}

extension Vault {
  /// The identifier in agonyfs.json, as text.
  var identifierText: String { Hexadecimal.text(of: parameters.identifier) }
}
