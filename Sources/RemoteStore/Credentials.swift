package import ObjectStore
internal import Synchronization
internal import System

/// The credentials of one source. They are read when they are needed, and kept for a minute, or longer if they state
/// when they expire: a command may take seconds.
package final class Credentials: Sendable {
  /// How long credentials without an expiration are kept, in nanoseconds.
  private static let keptTime: UInt64 = 60_000_000_000
  /// How long before their expiration credentials are read again, in seconds.
  static let margin: Int64 = 120

  private struct Kept {
    var found: Result<StoreCredentials, StoreError>
    /// When the reading began and when it ended.
    var begun: UInt64
    var time: UInt64
  }

  private let source: CredentialSource
  private let reader: CredentialReader
  /// Held during the reading, so that a command runs once for all helpers.
  private let kept = Mutex<Kept?>(nil)

  /// The credentials of a source.
  ///
  /// - Parameter environment: the value of an environment variable; nil if it is unset or empty.
  package init(_ source: CredentialSource, environment: @escaping @Sendable (String) -> String?) {
    self.source = source
    reader = CredentialReader(environment: environment)
  }

  /// The credentials of the moment.
  ///
  /// - Parameters:
  ///   - refused: those that the store refused, which are not returned again without reading the source.
  ///   - start: when they came into use. What was read since is returned even so: several requests that are refused at
  ///     once read the source once.
  /// - Throws: `.noCredentials`.
  package func current(
    refused: StoreCredentials?, since start: UInt64 = .max
  ) throws(StoreError) -> StoreCredentials {
    try kept.withLock { kept in
      if let kept, kept.begun >= start || Self.isFresh(kept, refused: refused) { return kept.found }
      let begun = monotonicTime()
      let found = Result { () throws(StoreError) in try reader.credentials(from: source) }
      kept = Kept(found: found, begun: begun, time: monotonicTime())
      return found
    }.get()
  }

  private static func isFresh(_ kept: Kept, refused: StoreCredentials?) -> Bool {
    guard case .success(let credentials) = kept.found, credentials != refused else { return false }
    if let expiration = credentials.expiration { return timeOfDay().seconds < expiration - margin }
    return monotonicTime() - kept.time < keptTime
  }
}
