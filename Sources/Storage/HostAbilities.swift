// What the file system under a vault can do. No list of file systems says so: each ability is tried once.
//
// Invariants
// 1. An ability counts as lacking only after the host has refused it as something that it does not know. A full disk,
//    missing rights and damage say nothing about a host.
// 2. Nothing depends on an ability that was not tried: each use of one has another way, or refuses before it changes
//    anything.

internal import Synchronization
internal import SystemPackage

/// Something that the file system of a vault may lack. The names are those in JSON and never change.
package enum HostAbility: String, CaseIterable, Sendable, Encodable {
  /// Times of creation.
  case births
  /// Files without a name, which get one when they are whole.
  case unnamedFiles
  /// Several names of one file.
  case hardLinks
  /// A rename that replaces nothing.
  case renameWithoutReplacing
  /// An exchange of two names.
  case exchange
  /// Room that is held before it is written.
  case allocation
  /// A mode for each file.
  case modes
  /// Locks between processes.
  case locks
  /// Times in steps of a second or less.
  case seconds
}

/// The abilities of a host that were tried so far.
final class HostAbilities: Sendable {
  private let tried = Mutex<[HostAbility: Bool]>([:])

  /// The abilities that the host is known to lack, in the order of their list.
  var lacking: [HostAbility] {
    tried.withLock { tried in HostAbility.allCases.filter { tried[$0] == false } }
  }

  /// Whether the host is known to lack an ability.
  func lacks(_ ability: HostAbility) -> Bool { tried.withLock { $0[ability] == false } }

  /// Notes whether the host has an ability. The first result counts.
  func note(_ ability: HostAbility, _ isThere: Bool) {
    tried.withLock { tried in
      if tried[ability] == nil { tried[ability] = isThere }
    }
  }

  /// Uses an ability, unless the host is known to lack it.
  ///
  /// - Returns: whether it was used; false if the host lacks it.
  /// - Throws: all other errors of `body`.
  func use(_ ability: HostAbility, _ body: () throws(Errno) -> Void) throws(Errno) -> Bool {
    if lacks(ability) { return false }
    do throws(Errno) {
      try body()
      note(ability, true)
      return true
    } catch {
      guard Self.refusals(of: ability).contains(error) else { throw error }
      note(ability, false)
      return false
    }
  }

  /// The errors of a host that does not know an ability.
  private static func refusals(of ability: HostAbility) -> [Errno] {
    switch ability {
    case .unnamedFiles: [.notSupported, .noFunction, .invalidArgument, .isDirectory]
    // vfat and exFAT refuse links as not permitted.
    case .hardLinks: [.notSupported, .noFunction, .notPermitted, .tooManyLinks]
    case .locks: [.notSupported, .noFunction, .invalidArgument, .noLocks]
    default: [.notSupported, .noFunction, .invalidArgument]
    }
  }
}
