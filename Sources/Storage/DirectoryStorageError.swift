package import SystemPackage

/// The reason why a directory cannot be used as a storage.
package enum DirectoryStorageError: Error, Equatable, Sendable {
  /// Nothing is at the path.
  case missing
  /// The path has something other than a complete storage, for the reason in the text.
  case incomplete(String)
  /// At this path in the storage there is something other than a directory, where a folder of segment files should be.
  case blocked(String)
  /// A storage cannot be created because the path has something other than an empty directory.
  case exists
  /// Another process is creating a storage there.
  case beingCreated
  /// A storage cannot be created because its parent directory, the one in the text, does not exist.
  case parentMissing(FilePath)
  /// A system call failed during the action in the text.
  case system(Errno, String)
}
