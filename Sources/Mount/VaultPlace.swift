// A mount inside its own vault would wait for itself: its writes go through the directory that it hides, and not even
// SIGKILL ends that. Comparing paths does not help: a symbolic link or a bind mount leads to the same directory by
// another path.

internal import CMount
internal import CPlatform
internal import Glibc
internal import Storage
internal import System
internal import SystemPackage

/// The identity of a directory, independent of its path.
struct DirectoryIdentity: Hashable {
  private let device: dev_t
  private let inode: ino_t

  /// The directory of an open descriptor; nil if the host cannot identify it.
  init?(_ directory: Descriptor) {
    guard let status = try? directory.status() else { return nil }
    (device, inode) = (status.st_dev, status.st_ino)
  }

  /// A directory and all its parents up to the root. Those that cannot be opened are left out.
  static func chain(from directory: Descriptor) -> [DirectoryIdentity] {
    // A directory that is mounted on a directory inside it is its own parent once.
    let mostRepetitions = 8
    var chain = [DirectoryIdentity(directory)].compactMap(\.self)
    var current = directory
    var repetitions = 0
    while repetitions < mostRepetitions, let parent = try? Descriptor.open("..", in: current, flags),
      let identity = DirectoryIdentity(parent)
    {
      repetitions = identity == chain.last ? repetitions + 1 : 0
      chain.append(identity)
      current = parent
    }
    return chain
  }

  /// Opens directories with O_PATH.
  static var flags: CInt { agonyfs_path_flag() | O_DIRECTORY }
}

/// The directories of a vault.
struct VaultPlace {
  /// Its directory; if that does not exist, its parent; nil if neither exists.
  private let directory: Descriptor?
  /// The directories of the vault itself.
  private let own: Set<DirectoryIdentity>

  init(_ path: FilePath) {
    guard let vault = try? Descriptor.open(path, DirectoryIdentity.flags) else {
      let parent = path.removingLastComponent()
      (directory, own) = (try? Descriptor.open(parent, DirectoryIdentity.flags), [])
      return
    }
    var own = [DirectoryIdentity(vault)]
    for tree in [StorageNames.segments, StorageNames.refreshing] {
      guard let segments = try? Descriptor.open(tree, in: vault, DirectoryIdentity.flags) else { continue }
      own.append(DirectoryIdentity(segments))
      for name in (try? Directory.names(in: ".", of: segments)) ?? [] {
        let folder = try? Descriptor.open(String(decoding: name, as: UTF8.self), in: segments, DirectoryIdentity.flags)
        own.append(folder.flatMap { DirectoryIdentity($0) })
      }
    }
    (directory, self.own) = (vault, Set(own.compactMap(\.self)))
  }

  /// Throws if a mount at a point would hide the vault, or a part of it. `path` is the point as the user wrote it.
  func checkApart(from point: MountPoint, path: String) throws(MountError) {
    if !own.isDisjoint(with: DirectoryIdentity.chain(from: point.directory)) { throw .insideVault(path: path) }
    guard let directory, let identity = DirectoryIdentity(point.directory) else { return }
    if DirectoryIdentity.chain(from: directory).contains(identity) { throw .holdsVault(path: path) }
  }
}
