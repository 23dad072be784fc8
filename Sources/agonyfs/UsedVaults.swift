internal import Storage
internal import Synchronization
internal import Vault

/// The vaults that this command opened without mounting them. The pages that it read of their files are evicted from
/// the kernel's cache at its end: `agonyfs lock`, which only ends mounts, would not find them.
enum UsedVaults {
  private static let storages = Mutex<[NotedStorage]>([])

  /// Wraps a storage so that its used files are evicted at the end of the command.
  static func noted(_ storage: DirectoryStorage) -> NotedStorage {
    let noted = NotedStorage(storage)
    storages.withLock { $0.append(noted) }
    return noted
  }

  /// Evicts all pages that were used so far.
  static func evict() {
    for storage in storages.withLock({ $0 }) { storage.evictUsed() }
  }
}
