import Crypto
import FaultyObjects
import FaultyStorage
import ObjectStore
import Storage
import Synchronization
import System
import SystemPackage
import TestSupport
import Vault

@testable import VaultCopy

/// A vault in a directory whose files are random bytes: most are short, one is complete.
final class CopySubject {
  static let segmentSize = 1 << 20

  let folder: TemporaryFolder
  let storage: DirectoryStorage
  let parameters: VaultParameters
  let names: [SegmentIdentifier]
  var path: FilePath { FilePath(folder.path("vault")) }
  var end: DirectoryEnd { DirectoryEnd(path) }

  init(files: Int = 8, identifier: UInt8 = 1) throws {
    folder = try TemporaryFolder()
    storage = try DirectoryStorage.make(at: folder.path("vault"))
    names = (1...files).map(SegmentIdentifier.numbered)
    parameters = VaultParameters(
      identifier: [UInt8](repeating: identifier, count: 16), segmentSize: Self.segmentSize,
      derivations: [PasswordDerivation(cost: .interactive)])
    for (number, name) in names.enumerated() {
      try write(randomBytes(number == 0 ? Self.segmentSize : 100 + 37 * number, seed: UInt64(number)), to: name)
    }
    try storage.replaceParameters(with: parameters.json)
  }

  /// Writes a file, or replaces it.
  func write(_ bytes: [UInt8], to name: SegmentIdentifier) throws {
    try storage.delete(name)
    try storage.put(name, bytes)
  }

  /// Adds a key derivation; gives the parameters.
  func addDerivation() throws -> [UInt8] {
    var changed = parameters
    changed.derivations.append(PasswordDerivation(cost: .moderate))
    try storage.replaceParameters(with: changed.json)
    return changed.json
  }

  /// Syncs the vault to a bucket.
  @discardableResult
  func sync(to store: any ObjectStore, _ options: SyncOptions = SyncOptions()) throws -> SyncSummary {
    try SyncRun(from: end, to: StoreEnd(store, at: address()), options).run()
  }

  /// Syncs the vault to a bucket, and writes a file that the bucket then lacks.
  func syncAndWrite(to store: any ObjectStore) throws {
    try sync(to: store)
    try write([1, 2, 3], to: .numbered(1000))
  }

  /// The same parameters and files in memory.
  func inMemory() throws -> FaultyStorage {
    let memory = FaultyStorage()
    try memory.replaceParameters(with: parameters.json)
    for name in names { memory.place(try storage.content(of: name), as: name) }
    return memory
  }

  /// The path of the file with the tokens of syncs.
  var tokensPath: String { folder.path("vault/" + StorageNames.synced) }

  /// All files with their paths in the vault.
  var content: [String: [UInt8]] {
    get throws { try Self.content(of: storage) }
  }

  static func content(of storage: DirectoryStorage) throws -> [String: [UInt8]] {
    var files = [StorageNames.parameters: try storage.readParameters(limit: 1 << 16)]
    for file in try storage.listed() {
      files["segments/" + file.identifier.path] = try storage.content(of: file.identifier)
    }
    return files
  }

  static func content(of path: FilePath) throws -> [String: [UInt8]] { try content(of: DirectoryStorage(path: path)) }
}

extension MemoryStore {
  /// All objects with their keys, without the mark of an incomplete copy and the token of a sync.
  var content: [String: [UInt8]] {
    let others = [StorageNames.copyMarker, StorageNames.synced]
    var files: [String: [UInt8]] = [:]
    for (key, bytes) in objects where !others.contains(key.text) { files[key.text] = bytes }
    return files
  }

  /// The token of a sync.
  var token: [UInt8]? { objects.first { $0.key.text == StorageNames.synced }?.value }
}

/// The place of a store that only messages name.
let bucket = "s3://bucket/vault"
/// Its address.
func address() throws -> StoreAddress { try StoreAddress(bucket) }

/// A store at that address as an end of a copy.
func end(
  _ store: any ObjectStore, atOnce: Bool = false, stop: @escaping @Sendable () -> Void = {}
) throws -> StoreEnd { StoreEnd(store, at: try address(), atOnce: atOnce, stop: stop) }

/// A store that calls a function before each request, and another one with each content that it is given.
final class HookedStore: ObjectStore {
  private let store: MemoryStore
  private let before: @Sendable (StoreAction) throws(StoreError) -> Void
  private let note: @Sendable (HashedContent) -> Void

  init(
    _ store: MemoryStore, before: @escaping @Sendable (StoreAction) throws(StoreError) -> Void,
    note: @escaping @Sendable (HashedContent) -> Void = { _ in }
  ) {
    self.store = store
    self.before = before
    self.note = note
  }

  func list(prefix: String, after: String?) throws(StoreError) -> ObjectPage {
    try before(.list)
    return try store.list(prefix: prefix, after: after)
  }

  func head(_ key: ObjectKey) throws(StoreError) -> ObjectEntry {
    try before(.head)
    return try store.head(key)
  }

  func get(_ key: ObjectKey, range: Range<Int64>?) throws(StoreError) -> [UInt8] {
    try before(.get)
    return try store.get(key, range: range)
  }

  func put(_ key: ObjectKey, _ content: HashedContent, ifAbsent: Bool) throws(StoreError) {
    try before(.put)
    note(content)
    try store.put(key, content, ifAbsent: ifAbsent)
  }

  func delete(_ key: ObjectKey) throws(StoreError) {
    try before(.delete)
    try store.delete(key)
  }
}

/// An end that calls a function before each reading and each writing of a file, and another one with each content that
/// it has read. Its files seem to be older than they are.
final class HookedEnd: CopyTarget, SyncSource {
  private let end: any CopyTarget & SyncSource
  private let age: Int64
  private let before: @Sendable (SegmentIdentifier) throws(CopyError) -> Void
  private let note: @Sendable (HashedContent) -> Void

  /// - Parameter age: the seconds that files seem to be older.
  init(
    _ end: any CopyTarget & SyncSource, age: Int64 = 0,
    before: @escaping @Sendable (SegmentIdentifier) throws(CopyError) -> Void,
    note: @escaping @Sendable (HashedContent) -> Void = { _ in }
  ) {
    (self.end, self.age) = (end, age)
    self.before = before
    self.note = note
  }

  var place: String { end.place }
  var keepsChecksums: Bool { end.keepsChecksums }
  var isUnfinished: Bool { end.isUnfinished }
  func readParameters() throws(CopyError) -> [UInt8]? { try end.readParameters() }
  func list() throws(CopyError) -> [SegmentIdentifier: CopyEntry] { try end.list() }
  func stop() { end.stop() }

  func entry(_ identifier: SegmentIdentifier, listed: CopyEntry) throws(CopyError) -> CopyEntry? {
    try end.entry(identifier, listed: listed)
  }

  func read(_ identifier: SegmentIdentifier, listed: CopyEntry?) throws(CopyError) -> HashedContent? {
    try before(identifier)
    let content = try end.read(identifier, listed: listed)
    if let content { note(content) }
    return content
  }

  func readBack(_ identifier: SegmentIdentifier) throws(CopyError) -> [UInt8]? { try end.readBack(identifier) }

  func begin(_ parameters: [UInt8], accepts: ([UInt8]) -> Bool) throws(CopyError) -> [UInt8]? {
    try end.begin(parameters, accepts: accepts)
  }

  func replaceParameters(_ parameters: [UInt8]) throws(CopyError) { try end.replaceParameters(parameters) }

  func write(_ identifier: SegmentIdentifier, _ content: HashedContent, isComplete: Bool) throws(CopyError) {
    try before(identifier)
    try end.write(identifier, content, isComplete: isComplete)
  }

  func complete(_ parameters: [UInt8]) throws(CopyError) { try end.complete(parameters) }

  func stamp(of identifier: SegmentIdentifier) -> FileStamp? {
    var stamp = end.stamp(of: identifier)
    stamp?.changed -= age * 1_000_000_000
    return stamp
  }

  func readTokens() throws(CopyError) -> SyncTokens { try end.readTokens() }

  func changeTokens(_ change: (inout SyncTokens) -> Void) throws(CopyError) { try end.changeTokens(change) }
}
