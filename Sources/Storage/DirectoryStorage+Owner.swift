internal import CPlatform
internal import Glibc
internal import System
package import SystemPackage

/// A file of a vault, or the directory around it, whose owner is not the vault's owner.
package struct StrayFile: Sendable {
  /// Its path.
  package var path: FilePath
  /// The number of the user who owns it.
  package var user: UInt32
  /// The numbers of the user and the group who own the vault.
  package var vaultUser, vaultGroup: UInt32
}

extension DirectoryStorage {
  /// A file of the vault at a path, or one that a refresh left, that does not belong to the vault's owner; nil if none
  /// is found. The vault's own directory may be root's.
  package static func stray(at path: FilePath) -> StrayFile? {
    guard let directory = try? Descriptor.open(path, agonyfs_path_flag() | O_DIRECTORY) else { return nil }
    let vault = try? DirectoryStorage.openTree(in: directory).status()
    func stray(_ name: String) -> StrayFile? {
      guard let vault, let found = try? directory.status(of: name), found.st_uid != vault.st_uid else { return nil }
      return StrayFile(
        path: path.appending(name), user: found.st_uid, vaultUser: vault.st_uid, vaultGroup: vault.st_gid)
    }
    if let vault, let place = try? directory.status(), place.st_uid != 0, place.st_uid != vault.st_uid {
      return StrayFile(path: path, user: place.st_uid, vaultUser: vault.st_uid, vaultGroup: vault.st_gid)
    }
    if let found = stray(StorageNames.parameters) { return found }
    let (segments, place) = (StorageNames.segments, DirectoryRefresh.place)
    for tree in [segments, place, segments + "/" + DirectoryRefresh.oldTree, place + "/" + DirectoryRefresh.oldTree] {
      if let found = stray(tree) { return found }
      for folder in 0..<256 {
        let place = tree + "/" + folderName(folder)
        if let found = stray(place) { return found }
        for name in (try? Directory.names(in: place, of: directory)) ?? [] {
          guard let identifier = SegmentIdentifier(name: name) else { continue }
          if let found = stray(tree + "/" + identifier.path) { return found }
        }
      }
    }
    return nil
  }
}
