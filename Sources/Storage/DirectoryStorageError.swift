package import SystemPackage

/// Why a directory cannot be used as a storage.
package enum DirectoryStorageError: Error, Equatable, Sendable {
  /// Nothing is at the path.
  case missing
  /// What is at the path is not a complete storage, for the reason in the text.
  case incomplete(String)
  /// Something that is no directory is at this path in the storage, where a folder of segment files should be.
  case blocked(String)
  /// A storage cannot be created where something other than an empty directory is.
  case exists
  /// Another process is creating a storage there.
  case beingCreated
  /// A storage cannot be created because the directory that is to hold it, the one in the text, does not exist.
  case parentMissing(FilePath)
  /// A system call failed during the action in the text.
  case system(Errno, String)
}
