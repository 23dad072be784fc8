package import ObjectStore
package import Storage
internal import Synchronization
internal import System
package import SystemPackage
internal import Vault

/// An end of a copy in a directory of the host.
package final class DirectoryEnd: CopyTarget, SyncSource {
  private let path: FilePath
  private let limit: BandwidthLimit?
  private let state = Mutex(State())

  private struct State {
    var storage: DirectoryStorage?
    var target: DirectoryCopyTarget?
  }

  /// - Parameters:
  ///   - path: the directory. Nothing is opened yet.
  ///   - limit: for bytes that are written.
  package init(_ path: FilePath, limit: BandwidthLimit? = nil) {
    self.path = path
    self.limit = limit
  }

  package var place: String { "\(path)" }

  package var keepsChecksums: Bool { false }

  package var isUnfinished: Bool { DirectoryCopyTarget.isUnfinished(at: path) }

  package func readParameters() throws(CopyError) -> [UInt8]? {
    // A vault that went has no open directory to be read from.
    let directory: DirectoryStorage
    do throws(DirectoryStorageError) {
      directory = try DirectoryStorage(path: path)
    } catch .missing {
      return nil
    } catch .incomplete(let reason) {
      if isUnfinished { return nil }
      throw .directory(.incomplete(reason), path)
    } catch {
      throw .directory(error, path)
    }
    return try attempt("reading \(StorageNames.parameters)") { () throws(Errno) in
      try ifThere { () throws(Errno) in
        try directory.readParameters(limit: DirectoryCopyTarget.parametersLimit)
      }
    }
  }

  /// All segment files. No refresh exchanges the folders in between.
  package func list() throws(CopyError) -> [SegmentIdentifier: CopyEntry] {
    let storage = try opened()
    let lease = try leaseToList(storage)
    defer { withExtendedLifetime(lease) {} }
    var files: [SegmentIdentifier: CopyEntry] = [:]
    try attempt("listing the vault") { () throws(Errno) in
      try storage.list { identifier, size, _ in files[identifier] = CopyEntry(size: Int64(size)) }
    }
    return files
  }

  package func entry(_ identifier: SegmentIdentifier, listed: CopyEntry) throws(CopyError) -> CopyEntry? { listed }

  package func stamp(of identifier: SegmentIdentifier) -> FileStamp? { (try? opened())?.stamp(of: identifier) }

  package func read(_ identifier: SegmentIdentifier, listed: CopyEntry?) throws(CopyError) -> HashedContent? {
    try bytes(of: identifier) { (storage) throws(Errno) in try storage.open(identifier) }.map { HashedContent($0) }
  }

  package func readBack(_ identifier: SegmentIdentifier) throws(CopyError) -> [UInt8]? {
    try bytes(of: identifier) { (storage) throws(Errno) in try storage.openPastMemory(identifier) }
  }

  package func begin(_ parameters: [UInt8], accepts: ([UInt8]) -> Bool) throws(CopyError) -> [UInt8]? {
    do throws(DirectoryCopyError) {
      let target = try DirectoryCopyTarget(at: path, parameters: parameters, accepts: accepts)
      state.withLock { $0 = State(storage: target.storage, target: target) }
      return target.parametersThere
    } catch {
      switch error {
      case .inUse: throw .inUse(place)
      case .otherVault: throw .otherVault(place)
      case .storage(.exists): throw .notEmpty(place)
      case .storage(let reason): throw .directory(reason, path)
      }
    }
  }

  package func replaceParameters(_ parameters: [UInt8]) throws(CopyError) {
    let target = target
    do throws(Errno) {
      try target.replaceParameters(parameters)
    } catch .wouldBlock {
      throw .inUse(place)
    } catch {
      throw .system(error, "writing \(StorageNames.parameters)", path)
    }
  }

  package func write(_ identifier: SegmentIdentifier, _ content: HashedContent, isComplete: Bool) throws(CopyError) {
    limit?.take(content.bytes.count)
    let target = target
    try attempt("writing \(identifier)") { () throws(Errno) in
      try target.put(identifier, content.bytes, isComplete: isComplete)
    }
  }

  package func complete(_ parameters: [UInt8]) throws(CopyError) {
    let target = target
    try attempt("writing \(StorageNames.parameters)") { () throws(Errno) in
      try target.complete(parameters: parameters)
    }
  }

  package func readTokens() throws(CopyError) -> SyncTokens {
    let storage = try opened()
    let text = try attempt("reading \(StorageNames.synced)") { () throws(Errno) in
      try storage.readSynced(limit: SyncTokens.mostBytes)
    }
    return SyncTokens(text: text ?? [])
  }

  /// Looks for the folders, while no refresh exchanges them.
  package func countWithoutFolder(_ identifiers: Set<SegmentIdentifier>) throws(CopyError) -> Int {
    let storage = try opened()
    let lease = try leaseToList(storage)
    defer { withExtendedLifetime(lease) {} }
    return try attempt("listing the vault") { () throws(Errno) -> Int in
      var count = 0
      for identifier in identifiers where try storage.lacksFolder(of: identifier) { count += 1 }
      return count
    }
  }

  /// Changes the tokens, while no refresh writes them again.
  package func changeTokens(_ change: (inout SyncTokens) -> Void) throws(CopyError) {
    let storage = try opened()
    let lease = try leaseToList(storage)
    defer { withExtendedLifetime(lease) {} }
    do throws(Errno) {
      try storage.changeSynced(limit: SyncTokens.mostBytes) { text in
        let before = SyncTokens(text: text ?? [])
        var tokens = before
        change(&tokens)
        return tokens == before ? nil : tokens.text
      }
    } catch {
      switch error {
      case .readOnlyFileSystem, .permissionDenied, .notPermitted: throw .readOnlySource(place)
      default: throw .system(error, "writing \(StorageNames.synced)", path)
      }
    }
  }

  package func stop() { limit?.stop() }

  private var target: DirectoryCopyTarget {
    guard let target = state.withLock({ $0.target }) else { preconditionFailure("the copy has not begun") }
    return target
  }

  /// The vault, opened once.
  private func opened() throws(CopyError) -> DirectoryStorage {
    if let storage = state.withLock({ $0.storage }) { return storage }
    do throws(DirectoryStorageError) {
      let storage = try DirectoryStorage(path: path)
      state.withLock { $0.storage = storage }
      return storage
    } catch {
      throw .directory(error, path)
    }
  }

  /// The lease that keeps a refresh away; nil for a target, whose lock is held already.
  private func leaseToList(_ storage: DirectoryStorage) throws(CopyError) -> (any Lease)? {
    if state.withLock({ $0.target }) != nil { return nil }
    do throws(VaultError) {
      return try Vault.open(in: storage).lease(exclusive: false)
    } catch {
      throw error == .vaultInUse ? CopyError.inUse(place) : CopyError.vault(error, place)
    }
  }

  private func bytes(
    of identifier: SegmentIdentifier, _ open: (DirectoryStorage) throws(Errno) -> any SegmentReader
  ) throws(CopyError) -> [UInt8]? {
    let storage = try opened()
    return try attempt("reading \(identifier)") { () throws(Errno) in
      try ifThere { () throws(Errno) -> [UInt8] in
        let reader = try open(storage)
        let size = try reader.size()
        reader.expect(upTo: size)
        return try reader.bytes(at: 0, count: size)
      }
    }
  }

  @discardableResult
  private func attempt<Value>(
    _ action: String, _ body: () throws(Errno) -> Value
  ) throws(CopyError) -> Value {
    do throws(Errno) {
      return try body()
    } catch {
      throw .system(error, action, path)
    }
  }
}
