package import ObjectStore
package import Storage
package import SystemPackage
package import Vault

/// Why a copy ended early. The target is as usable as before: a vault stays a vault, and a new copy is resumed by the
/// same command.
package enum CopyError: Error, Equatable, Sendable {
  /// An object store failed.
  case store(StoreError, StoreAddress)
  /// A directory cannot be used.
  case directory(DirectoryStorageError, FilePath)
  /// A system call on a vault in a directory failed during the action in the text.
  case system(Errno, String, FilePath)
  /// The parameters at the place in the text are not those of a vault that this program knows.
  case vault(VaultError, String)
  /// There is no vault at the place.
  case noVault(String)
  /// The place has a copy that was never completed.
  case unfinished(String)
  /// The place has another vault, or a copy of one.
  case otherVault(String)
  /// The place has a newer state of the vault, which the copy would replace.
  case newerThere(String)
  /// The vault at the place lacks this number of files that the bucket has, and it does not know the bucket's state, so
  /// it may be an older copy.
  case olderSource(String, Int)
  /// The vault at the place lacks folders in which the bucket has this number of files that it lacks, too, so it may be
  /// damaged, or not be restored as a whole yet.
  case incompleteSource(String, Int)
  /// The place has other bytes than the vault in this number of files, in a state that the vault does not know, as if
  /// both had been written to since they were the same.
  case divergent(String, Int)
  /// A sync cannot write to the vault's directory at the place.
  case readOnlySource(String)
  /// The place has something other than a vault.
  case notEmpty(String)
  /// The vault at the place is mounted, or another process copies into it.
  case inUse(String)
  /// The vault at the place was removed or replaced by another one during the copy.
  case sourceReplaced(String)
  /// The place in the text has other bytes than were written to it.
  case notKept(String)
  /// The caller ended it.
  case cancelled
}
