package import ObjectStore
internal import System

/// An object store on a server, reached through helper processes that hold no key of the vault.
///
/// Temporary failures are waited out (`RetryingStore`). Methods may be called by several threads at once, and at most
/// `connections` requests run at the same time.
package final class RemoteStore: ObjectStore {
  /// How to reach a store.
  package struct Settings: Sendable {
    /// The absolute path of `agonyfs-store`.
    package var program: String
    /// The store.
    package var address: StoreAddress
    /// A file with certificates of trusted authorities in PEM; nil for the one of the system.
    package var certificates: String?
    /// Most requests at the same time.
    package var connections = 4
    /// How long an operation with temporary failures goes on. Commands that a person waits for take a few seconds: a
    /// wrong endpoint looks like a network that is down.
    package var patience = Duration.seconds(300)
    /// How long until the store has answered once; nil for as long as later.
    package var firstPatience: Duration?
    /// Seconds without progress, and seconds for connecting, after which an attempt fails.
    package var stallSeconds: UInt32 = 30
    package var connectSeconds: UInt32 = 15
    /// Seconds over which the rate of an attempt is counted, which fails below `StoreConfiguration.leastRate`.
    package var rateSeconds: UInt32 = 60
    /// Whether a helper may run if the kernel cannot filter its system calls.
    package var mayBeUnfiltered = false
    /// The seed of the jitter of waits.
    package var seed = UInt64.random(in: 0...(.max))

    /// Settings with the usual values.
    package init(program: String, address: StoreAddress) {
      self.program = program
      self.address = address
    }
  }

  /// How long a setting that is only said is asked for.
  private static let settingPatience = Duration.seconds(5)
  private static let rangeReadings = 3
  /// How long a store that fails at an object with a wrong hash is asked again.
  private static let failurePatience = Duration.seconds(10)

  private let pool: HelperPool
  private let attempts: SingleAttempts
  private let store: RetryingStore

  /// A store whose helpers are started when they are needed.
  ///
  /// - Parameter credentials: read before each start of a helper, and again when the store refuses them or they expire.
  ///   They are stopped together with the store, so no other store may use them.
  package init(_ settings: Settings, credentials: Credentials) {
    let pool = HelperPool(
      HelperPool.Settings(
        program: settings.program, address: settings.address, certificates: settings.certificates,
        stallSeconds: settings.stallSeconds, connectSeconds: settings.connectSeconds,
        rateSeconds: settings.rateSeconds, mayBeUnfiltered: settings.mayBeUnfiltered, credentials: credentials),
      most: max(1, settings.connections))
    self.pool = pool
    let attempts = SingleAttempts(pool)
    self.attempts = attempts
    store = RetryingStore(
      attempts, patience: settings.patience, firstPatience: settings.firstPatience, seed: settings.seed,
      waiting: RetryingStore.Waiting(now: { monotonicTime() }, wait: { pool.wait($0) }))
  }

  deinit { pool.stop() }

  /// Seconds that the clock of the store is ahead of this machine's; nil before the first reply with a time.
  package var clockDifference: Int64? { pool.clockDifference }

  /// Whether the store has answered, so that its address is right.
  package var hasAnswered: Bool { store.hasAnswered }

  /// How the kernel confines the helpers, for the user.
  package var confinement: String {
    guard let confinement = pool.confinement else { return "not started yet" }
    return "\(confinement.landlock.map { "Landlock \($0)" } ?? "no Landlock"), "
      + "\(confinement.isFiltered ? "" : "no ")filter of system calls"
  }

  /// Ends all helpers, even during requests, a command that prints credentials, and all waits. Later calls fail.
  package func stop() { pool.stop() }

  package func list(prefix: String, after: String?) throws(StoreError) -> ObjectPage {
    try store.list(prefix: prefix, after: after)
  }

  /// Lists with less patience than usual.
  package func list(prefix: String, atMost most: Duration) throws(StoreError) -> ObjectPage {
    try store.retry(atMost: most) { () throws(StoreError) in try attempts.list(prefix: prefix, after: nil) }
  }

  package func head(_ key: ObjectKey) throws(StoreError) -> ObjectEntry { try store.head(key) }

  package func get(_ key: ObjectKey, range: Range<Int64>?) throws(StoreError) -> [UInt8] {
    try store.get(key, range: range)
  }

  package func put(_ key: ObjectKey, _ content: HashedContent, ifAbsent: Bool) throws(StoreError) {
    try store.put(key, content, ifAbsent: ifAbsent)
  }

  package func delete(_ key: ObjectKey) throws(StoreError) { try store.delete(key) }
}

extension RemoteStore: ProbedStore {
  package func accepts(
    _ key: ObjectKey, _ bytes: [UInt8], stating stated: StatedHashes
  ) throws(StoreError) -> Bool {
    let content = HashedContent(bytes)
    return try store.retry { () throws(StoreError) in
      do throws(StoreError) {
        return try store.retry(atMost: Self.failurePatience) { () throws(StoreError) in
          try attempts.accepts(key, content, stating: stated)
        }
      } catch .unknownOutcome {
        // Some engines answer a wrong hash as if they had failed themselves (SeaweedFS 3).
        return try ObjectComparison.of(key, content, in: attempts) == .same
      }
    }
  }

  package func exactRange(_ key: ObjectKey, _ range: Range<Int64>) throws(StoreError) -> [UInt8]? {
    for _ in 0..<Self.rangeReadings {
      let bytes = try store.retry { () throws(StoreError) in try attempts.exactRange(key, range) }
      if let bytes { return bytes }
    }
    return nil
  }

  package func hasSetting(_ setting: BucketSetting) -> Bool {
    let isOn = try? store.retry(atMost: Self.settingPatience, isAnswer: false) { () throws(StoreError) in
      try attempts.hasSetting(setting)
    }
    return isOn ?? false
  }
}
