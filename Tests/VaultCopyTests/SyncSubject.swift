import AlbumsSupport
import Crypto
import FaultyObjects
import FaultyStorage
import Library
import ObjectStore
import Storage
import Synchronization
import TestSupport
import Testing
import Vault

@testable import Albums
@testable import VaultCopy

/// A vault in memory with a space that a password opens. Its files change between syncs, and the space gives up files of
/// the vault each time.
final class SyncSubject {
  let storage = FaultyStorage()
  let tokens = TokenFile()
  /// The files in the space.
  private(set) var files: [String: [UInt8]] = [:]
  /// All that were ever in it; no name is used twice.
  private(set) var everything: [String: [UInt8]] = [:]

  init(_ password: String) throws {
    let parameters = VaultParameters(
      identifier: [UInt8](repeating: 7, count: 16), segmentSize: 1 << 20, derivations: [Self.derivation(1)])
    try storage.replaceParameters(with: parameters.json)
    try SpaceManager.addSpace(to: vault, password: .of(password))
  }

  /// The vault with its parameters of now.
  var vault: Vault { get throws { try Vault.open(in: storage, weakDerivations: .all) } }

  /// A derivation that costs little, but as much as a vault in a directory must have.
  static func derivation(_ operations: UInt64) -> PasswordDerivation {
    var derivation = PasswordDerivation(cost: .interactive)
    (derivation.operations, derivation.memory) = (operations, 8 << 20)
    return derivation
  }

  /// Adds a derivation that passwords get from now on.
  func addDerivation() throws {
    var parameters = try vault.parameters
    parameters.derivations.append(Self.derivation(2))
    try storage.replaceParameters(with: parameters.json)
  }

  /// Writes some new files, deletes all others but `keeping`, and gives up what is not needed any more.
  func write(_ password: String, round: Int, keeping kept: Int = 2) throws {
    let space = try SpaceManager.openSpace(in: vault, password: .of(password), copyWindow: 0)
    let mounted = try FileSystem(space: space, options: Self.options(readOnly: false), changeSink: Library())
    for name in files.keys.sorted().dropLast(kept) {
      try mounted.delete(name)
      files[name] = nil
    }
    for number in 0..<5 {
      let bytes = pattern(150_000, round * 100 + number)
      let name = "f\(round)-\(number)"
      try mounted.make(name, with: bytes)
      files[name] = bytes
    }
    everything.merge(files) { $1 }
    try mounted.synchronize()
    for _ in 0..<4 {
      try mounted.cleaner.clean(isAsked: true)
      try space.advanceEpoch()
    }
    try mounted.close()
  }

  private static func options(readOnly: Bool) -> FileSystemOptions {
    var options = FileSystemOptions(logger: quietLogger)
    (options.isReadOnly, options.cleans, options.writers, options.commitInterval) = (readOnly, false, 0, 3600)
    return options
  }

  /// The objects of a bucket that is like the vault.
  var content: [String: [UInt8]] {
    get throws {
      var content = [StorageNames.parameters: try storage.readParameters(limit: 1 << 16)]
      for name in storage.names { content["segments/" + name.path] = storage.content(name) }
      return content
    }
  }

  /// The files that a password finds in what a bucket has, read-only; nil if it opens nothing.
  static func files(_ password: String, in store: MemoryStore) throws -> [String: [UInt8]]? {
    let copy = FaultyStorage()
    for (key, bytes) in store.objects {
      if key.text == StorageNames.parameters {
        try copy.replaceParameters(with: bytes)
      } else if key.text.hasPrefix("segments/") {
        copy.place(bytes, as: try #require(SegmentIdentifier(name: key.text.utf8.suffix(32))))
      }
    }
    let vault = try Vault.open(in: copy, weakDerivations: .all)
    let space: Space
    do throws(VaultError) {
      space = try SpaceManager.openSpace(in: vault, password: .of(password), readOnly: true)
    } catch {
      if error == .noSpaceOpens { return nil }
      throw error
    }
    let mounted = try FileSystem(space: space, options: options(readOnly: true), changeSink: Library())
    var files: [String: [UInt8]] = [:]
    for (name, inode) in try mounted.names(of: .root) where name.hasPrefix("f") { files[name] = try mounted.get(inode) }
    try mounted.close()
    return files
  }

  /// Syncs the vault; from request `stop` on the bucket is gone.
  @discardableResult
  func sync(to store: MemoryStore, stop: Int = .max, _ options: SyncOptions = SyncOptions()) throws -> SyncSummary {
    let count = Counter()
    let hooked = HookedStore(store) { (action) throws(StoreError) in
      if count.next() >= stop { throw action.changes ? StoreError.unknownOutcome : StoreError.unreachable }
    }
    var options = options
    options.jobs = 1
    return try SyncRun(from: MemorySource(storage, tokens), to: end(hooked), options).run()
  }
}

/// A vault in memory as the source of a copy. It calls functions before each list and before each reading of a file.
final class MemorySource: SyncSource {
  private let storage: FaultyStorage
  private let tokens: TokenFile
  private let lists = Counter()
  private let beforeList: @Sendable (Int) -> Void
  private let beforeRead: @Sendable (SegmentIdentifier) -> Void

  init(
    _ storage: FaultyStorage, _ tokens: TokenFile, beforeList: @escaping @Sendable (Int) -> Void = { _ in },
    beforeRead: @escaping @Sendable (SegmentIdentifier) -> Void = { _ in }
  ) {
    (self.storage, self.tokens) = (storage, tokens)
    (self.beforeList, self.beforeRead) = (beforeList, beforeRead)
  }

  var place: String { "/vault" }
  var keepsChecksums: Bool { false }
  var isUnfinished: Bool { false }
  func stop() {}

  func readParameters() throws(CopyError) -> [UInt8]? { try? storage.readParameters(limit: 1 << 16) }

  func list() throws(CopyError) -> [SegmentIdentifier: CopyEntry] {
    beforeList(lists.next())
    var files: [SegmentIdentifier: CopyEntry] = [:]
    for name in storage.names { files[name] = CopyEntry(size: Int64(storage.content(name).count)) }
    return files
  }

  func entry(_ identifier: SegmentIdentifier, listed: CopyEntry) throws(CopyError) -> CopyEntry? { listed }

  func read(_ identifier: SegmentIdentifier, listed: CopyEntry?) throws(CopyError) -> HashedContent? {
    beforeRead(identifier)
    guard (try? storage.exists(identifier)) == true else { return nil }
    return HashedContent(storage.content(identifier))
  }

  func readTokens() throws(CopyError) -> SyncTokens { tokens.value }

  func changeTokens(_ change: (inout SyncTokens) -> Void) throws(CopyError) { try tokens.change(change) }
}

/// The tokens of a vault in memory. A process may end before or after one of their changes.
final class TokenFile: Sendable {
  private struct State {
    var tokens = SyncTokens()
    /// The changes until the process ends; nil if it does not.
    var left: Int?
    var endsAfter = false
  }

  private let state = Mutex(State())

  var value: SyncTokens { state.withLock { $0.tokens } }

  /// Puts tokens back as they were, and ends no process any more.
  func reset(to tokens: SyncTokens) { state.withLock { $0 = State(tokens: tokens) } }

  /// Has the process end at a change, from 0 on.
  func stop(at change: Int, after isAfter: Bool) {
    state.withLock { ($0.left, $0.endsAfter) = (change, isAfter) }
  }

  func change(_ change: (inout SyncTokens) -> Void) throws(CopyError) {
    let isEnd = state.withLock { state in
      state.left = state.left.map { $0 - 1 }
      let isEnd = (state.left ?? 0) < 0
      if !isEnd || state.left == -1 && state.endsAfter { change(&state.tokens) }
      return isEnd
    }
    if isEnd { throw .cancelled }
  }
}

extension MemoryStore {
  /// Another store with the same objects.
  func copy() throws -> MemoryStore {
    let copy = MemoryStore()
    for (key, bytes) in objects { try copy.put(key, bytes, ifAbsent: true) }
    return copy
  }
}
