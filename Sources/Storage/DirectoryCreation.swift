internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// A new storage in a directory, and what was created for it.
package struct DirectoryCreation {
  /// The storage; it has no parameters yet.
  package let storage: DirectoryStorage

  private let directory: Descriptor
  /// The path of the directory if it was created, too.
  private let newPath: String?

  /// Creates the directory, unless there is an empty one, and the folders in it. Durable on return. If it throws, it
  /// leaves nothing behind.
  ///
  /// - Throws: `.exists` when something other than an empty directory is at the path; `.system`.
  package init(at path: String) throws(DirectoryStorageError) {
    do throws(Errno) {
      let newPath = try Self.createDirectory(at: path) ? path : nil
      let opened: Descriptor
      do throws(Errno) {
        opened = try Self.openEmpty(path)
        // Two processes may have found the directory empty. Only one succeeds here, and all below is its own.
        try systemCall { unsafe mkdirat(opened.number, StorageNames.segments, 0o700) }
      } catch {
        if let newPath { unsafe rmdir(newPath) }
        throw error
      }
      do throws(Errno) {
        try DirectoryStorage.createFolders(in: opened)
        try Self.flush(".", in: opened)
        if newPath != nil { try Self.flush("..", in: opened) }
        storage = try DirectoryStorage(directory: opened)
      } catch {
        Self.remove(from: opened, at: newPath)
        throw error
      }
      (directory, self.newPath) = (opened, newPath)
    } catch .fileExists {
      throw .exists
    } catch {
      throw .system(error, "creating the vault")
    }
  }

  /// Deletes the storage again, with everything that was put into it.
  package func remove() { Self.remove(from: directory, at: newPath) }

  /// Whether a directory was created; false if something is at the path already.
  private static func createDirectory(at path: String) throws(Errno) -> Bool {
    do throws(Errno) {
      try systemCall { unsafe mkdir(path, 0o700) }
      return true
    } catch .fileExists {
      return false
    }
  }

  /// Opens an empty directory.
  ///
  /// - Throws: `.fileExists` when it is not empty, or is no directory that can be listed.
  private static func openEmpty(_ path: String) throws(Errno) -> Descriptor {
    do throws(Errno) {
      let directory = try Descriptor.open(path, agonyfs_path_flag() | O_DIRECTORY)
      if try Directory.names(in: ".", of: directory).isEmpty { return directory }
    } catch .noSuchFileOrDirectory, .notDirectory, .permissionDenied, .tooManySymbolicLinkLevels {
      throw .fileExists
    }
    throw .fileExists
  }

  /// Makes the names in a directory durable, if it may be opened: `..` perhaps not.
  private static func flush(_ path: String, in directory: Descriptor) throws(Errno) {
    do throws(Errno) {
      let opened = try Descriptor.open(path, in: directory, O_RDONLY | O_DIRECTORY)
      try systemCall { fsync(opened.number) }
    } catch .permissionDenied {
      return
    }
  }

  /// Deletes what a storage consists of, and the directory itself if its path is given and nothing else is in it.
  private static func remove(from directory: Descriptor, at path: String?) {
    unsafe unlinkat(directory.number, StorageNames.parameters, 0)
    for folder in names(in: StorageNames.segments, of: directory) {
      for file in names(in: folder, of: directory) { unsafe unlinkat(directory.number, file, 0) }
      unsafe unlinkat(directory.number, folder, AT_REMOVEDIR)
    }
    unsafe unlinkat(directory.number, StorageNames.segments, AT_REMOVEDIR)
    if let path { unsafe rmdir(path) }
  }

  /// The paths of everything in a folder.
  private static func names(in folder: String, of directory: Descriptor) -> [String] {
    let names = (try? Directory.names(in: folder, of: directory)) ?? []
    return names.map { folder + "/" + String(decoding: $0, as: UTF8.self) }
  }
}
