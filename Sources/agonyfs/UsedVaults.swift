internal import Storage
internal import Synchronization
internal import Vault

/// The vaults that this command opened without mounting them. What it used of their files does not stay in the kernel's
/// memory, where `agonyfs lock`, which ends mounts, would not find it.
enum UsedVaults {
  private static let storages = Mutex<[NotedStorage]>([])

  /// A storage whose files go out of the kernel's memory at the end of the command.
  static func noted(_ storage: DirectoryStorage) -> NotedStorage {
    let noted = NotedStorage(storage)
    storages.withLock { $0.append(noted) }
    return noted
  }

  /// Takes out what was used so far.
  static func evict() {
    for storage in storages.withLock({ $0 }) { storage.evictUsed() }
  }
}
