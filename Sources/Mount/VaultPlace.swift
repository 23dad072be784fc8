// A mount inside its own vault would wait for itself: what it writes goes through the directory that it hides, and not
// even SIGKILL ends that. Paths do not tell: a symbolic link or a bind mount leads to the same directory by another one.

internal import CMount
internal import CPlatform
internal import Glibc
internal import Storage
internal import System
internal import SystemPackage

/// A directory, by whatever path it was found.
struct DirectoryIdentity: Hashable {
  private let device: dev_t
  private let inode: ino_t

  /// The directory of an open descriptor; nil if the host does not say.
  init?(_ directory: Descriptor) {
    guard let status = try? directory.status() else { return nil }
    (device, inode) = (status.st_dev, status.st_ino)
  }

  /// A directory and all that it is in, up to the root. Those that cannot be seen are left out.
  static func chain(from directory: Descriptor) -> [DirectoryIdentity] {
    // A directory that is mounted on one in itself is its own parent once.
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

  /// Opens directories only as places.
  static var flags: CInt { agonyfs_path_flag() | O_DIRECTORY }
}

/// Where a vault is.
struct VaultPlace {
  /// Its directory, or while it does not exist the one that it will be in; nil where neither exists.
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
    if let segments = try? Descriptor.open(StorageNames.segments, in: vault, DirectoryIdentity.flags) {
      own.append(DirectoryIdentity(segments))
      for name in (try? Directory.names(in: ".", of: segments)) ?? [] {
        let folder = try? Descriptor.open(String(decoding: name, as: UTF8.self), in: segments, DirectoryIdentity.flags)
        own.append(folder.flatMap { DirectoryIdentity($0) })
      }
    }
    (directory, self.own) = (vault, Set(own.compactMap(\.self)))
  }

  /// Throws if a mount at a point would hide the vault, or a part of it. `path` is the point's as the person knows it.
  func checkApart(from point: MountPoint, path: String) throws(MountError) {
    if !own.isDisjoint(with: DirectoryIdentity.chain(from: point.directory)) { throw .insideVault(path: path) }
    guard let directory, let identity = DirectoryIdentity(point.directory) else { return }
    if DirectoryIdentity.chain(from: directory).contains(identity) { throw .holdsVault(path: path) }
  }
}
