package import SystemPackage

/// The reason why a refresh ended early. Each file of the vault is whole, and another refresh begins again.
package enum RefreshError: Error, Equatable, Sendable {
  /// The file system of the vault has no hard links, or cannot rename directories, or parts of the vault are on
  /// several file systems. Nothing was changed.
  case unsuitableHost
  /// The number of files that are shorter than complete ones: another program may still be copying them. Nothing was
  /// changed.
  case shortFiles(Int)
  /// There is no room for one more file and the folders: bytes that are needed, and those that are free.
  case noRoom(needed: Int64, free: Int64)
  /// The caller ended it.
  case interrupted
  /// Another program changed a file while it was copied.
  case changedByOthers
  /// More users could read a file afterwards, and users other than the owner can put files into the vault.
  case moreReadable
  /// A system call failed between two renames of the trees during the action in the text, and so did the way back: the
  /// vault has no `segments`, and all of it is in `refreshing`, where readers find it. Another refresh, or a process that
  /// opens a space for writing, makes the missing renames.
  case betweenRenames(Errno, String)
  /// A system call failed during the action in the text.
  case system(Errno, String)
}
