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
    /// The number of this reading of the source.
    var number: Int
    /// When it ended.
    var time: UInt64
  }

  private let source: CredentialSource
  private let reader: CredentialReader
  /// Held during the reading, so that a command runs once for all helpers.
  private let kept = Mutex<Kept?>(nil)
  private let isStopped = Atomic(false)
  /// The writing end of a pipe that a command ends with; closed by `stop()`.
  private let stopper: Mutex<Descriptor?>

  /// The credentials of a source.
  ///
  /// - Parameter environment: the value of an environment variable; nil if it is unset or empty.
  package init(_ source: CredentialSource, environment: @escaping @Sendable (String) -> String?) {
    self.source = source
    // Without a free descriptor now, `stop()` kills no command.
    let pipe = try? Descriptor.pipe()
    reader = CredentialReader(environment: environment, stop: pipe?.reading)
    stopper = Mutex(pipe?.writing)
  }

  /// Kills the command that is running, if there is one. Later readings of the source fail.
  package func stop() {
    isStopped.store(true, ordering: .sequentiallyConsistent)
    stopper.withLock { $0 = nil }
  }

  /// The credentials of the moment.
  ///
  /// - Parameters:
  ///   - refused: those that the store refused, which are not returned again without reading the source.
  ///   - number: that of the reading which gave them.
  ///   - begun: when the request began. What was read later, and since then, is returned even so: several requests that
  ///     are refused at once read the source once.
  /// - Returns: the credentials, and the number of the reading that gave them.
  /// - Throws: `.noCredentials`; `.unavailable` once they are stopped.
  package func current(
    refused: StoreCredentials?, since number: Int = .max, after begun: UInt64 = .max
  ) throws(StoreError) -> (credentials: StoreCredentials, number: Int) {
    let found = kept.withLock { kept in
      if let kept, kept.number > number && kept.time >= begun || Self.isFresh(kept, refused: refused) { return kept }
      let found = Result { () throws(StoreError) in try read() }
      let new = Kept(found: found, number: (kept?.number ?? 0) + 1, time: monotonicTime())
      kept = new
      return new
    }
    return (try found.found.get(), found.number)
  }

  /// Reads the source.
  private func read() throws(StoreError) -> StoreCredentials {
    do throws(StoreError) {
      if !wasStopped { return try reader.credentials(from: source) }
    } catch {
      if !wasStopped { throw error }
    }
    throw .unavailable("stopped")
  }

  private var wasStopped: Bool { isStopped.load(ordering: .sequentiallyConsistent) }

  private static func isFresh(_ kept: Kept, refused: StoreCredentials?) -> Bool {
    guard case .success(let credentials) = kept.found, credentials != refused else { return false }
    if let expiration = credentials.expiration { return timeOfDay().seconds < expiration - margin }
    return monotonicTime() - kept.time < keptTime
  }
}
