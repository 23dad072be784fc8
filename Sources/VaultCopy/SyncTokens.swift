internal import System

/// A random number that stands for a state of a bucket.
package struct SyncToken: Hashable, Sendable {
  private static let count = 16
  private let bytes: [UInt8]

  /// A new one.
  package init() { bytes = (0..<Self.count).map { _ in UInt8.random(in: .min ... .max) } }

  /// Parses 32 lower-case hexadecimal digits; nil for anything else.
  init?(text: some Sequence<UInt8>) {
    guard let bytes = Hexadecimal.bytes(of: text), bytes.count == Self.count else { return nil }
    self.bytes = bytes
  }

  /// 32 digits.
  var text: [UInt8] { Hexadecimal.digits(of: bytes) }
}

/// The tokens of the states that a vault includes, oldest first.
package struct SyncTokens: Equatable, Sendable {
  /// How many are kept: one for each bucket, and those of interrupted runs.
  private static let most = 64
  /// Most bytes that are read of a file of tokens.
  static let mostBytes = 64 << 10

  private var tokens: [SyncToken] = []

  /// None.
  package init() {}

  /// Those in a file, one for each line. Other lines are skipped.
  init(text: [UInt8]) {
    let found = text.split(separator: UInt8(ascii: "\n")).compactMap { SyncToken(text: $0) }
    tokens = Array(found.suffix(Self.most))
  }

  /// The content of a file.
  var text: [UInt8] { tokens.flatMap { $0.text + [UInt8(ascii: "\n")] } }

  /// How many there are.
  package var count: Int { tokens.count }

  /// Whether a token is among them.
  package func contains(_ token: SyncToken) -> Bool { tokens.contains(token) }

  /// Adds a token. If there are too many, the oldest go, but not `current`.
  package mutating func add(_ token: SyncToken, keeping current: SyncToken?) {
    if let current, contains(current) {
      remove([current])
      tokens.append(current)
    }
    tokens = Array((tokens + [token]).suffix(Self.most))
  }

  /// Removes tokens, if they are there.
  package mutating func remove(_ others: [SyncToken]) { tokens.removeAll { others.contains($0) } }
}

/// What a run does with tokens, in this order: it prepares a token, stores it, and drops the ones before it.
struct SyncTokenChange {
  private let source: any SyncSource
  private let target: any SyncTarget
  /// The token that the bucket has, as far as it is known; nil if it has none.
  private var current: SyncToken?
  /// The token that only the vault has.
  private var prepared: SyncToken?
  /// Those that the bucket had before.
  private var dropped: [SyncToken] = []
  /// Whether the vault has the token that the bucket had when the run began.
  let isKnown: Bool
  /// Whether the bucket has a token of this run.
  private(set) var isRenewed = false

  /// Reads the tokens of both. Call it after both were listed.
  init(_ source: any SyncSource, _ target: any SyncTarget) throws(CopyError) {
    let current = try target.readToken()
    let tokens = try source.readTokens()
    (self.source, self.target, self.current) = (source, target, current)
    isKnown = current.map { tokens.contains($0) } ?? false
  }

  /// Adds a new token to the vault, durably.
  mutating func prepare() throws(CopyError) {
    let (token, kept) = (SyncToken(), current)
    try source.changeTokens { $0.add(token, keeping: kept) }
    prepared = token
  }

  /// Removes the prepared token again, which was not sent.
  mutating func withdraw() {
    guard let token = prepared else { return }
    try? source.changeTokens { $0.remove([token]) }
    prepared = nil
  }

  /// Stores the prepared token in the bucket.
  mutating func store() throws(CopyError) {
    guard let token = prepared else { return }
    try target.writeToken(token)
    if let current { dropped.append(current) }
    (current, prepared, isRenewed) = (token, nil, true)
  }

  /// Prepares a token and stores it.
  mutating func renew() throws(CopyError) {
    try prepare()
    try store()
  }

  /// Removes the tokens that the bucket had before from the vault. If that fails, they stay, which is no harm.
  func drop() {
    if dropped.isEmpty { return }
    let dropped = dropped
    try? source.changeTokens { $0.remove(dropped) }
  }
}
