// Invariants
// 1. The marker is the first name in the directory and the last that a creation removes, after the parameters exist or
//    everything else is deleted. Its creator holds a lock on it.
// 2. So a marker that no process has locked, in a directory without parameters, is left from a crash. Nothing is ever
//    deleted in a directory without a marker, nor in one with names that no creation makes.

internal import CPlatform
internal import Glibc
internal import System
package import SystemPackage

/// A new storage in a directory, and everything that was created for it. It ends with `complete()` or `remove()`.
package struct DirectoryCreation {
  /// The storage; it has no parameters yet.
  package let storage: DirectoryStorage

  private let directory: Descriptor
  /// The path of the directory if it was created, too.
  private let newPath: FilePath?
  private let marker: CreationMarker

  /// Creates the directory, unless there is an empty one, and the folders in it. First deletes what a crash left of an
  /// earlier creation. Durable on return. If it throws, it leaves nothing behind.
  ///
  /// - Throws: `.exists` when something else is at the path; `.beingCreated`; `.parentMissing`; `.system`.
  package init(at path: FilePath) throws(DirectoryStorageError) {
    do throws(Errno) {
      let newPath = try Self.createDirectory(at: path) ? path : nil
      let opened: Descriptor
      do throws(Errno) {
        opened = try Self.openDirectory(path)
        marker = try CreationMarker(in: opened)
      } catch {
        if let newPath { _ = try? unsafe newPath.call { unsafe rmdir($0) } }
        throw error
      }
      do throws(Errno) {
        try Self.flush(".", in: opened)
        if newPath != nil { try Self.flush("..", in: opened) }
        let owner = try VaultOwner(ofNew: opened)
        try owner.makeFolder(StorageNames.segments, in: opened)
        try DirectoryStorage.createFolders(in: opened, of: owner)
        try Self.flush(".", in: opened)
        storage = try DirectoryStorage(directory: opened)
      } catch {
        Self.remove(from: opened, marker, at: newPath)
        throw error
      }
      (directory, self.newPath) = (opened, newPath)
    } catch .fileExists {
      throw .exists
    } catch .wouldBlock {
      throw .beingCreated
    } catch .noSuchFileOrDirectory, .notDirectory {
      throw .parentMissing(path.removingLastComponent())
    } catch {
      throw .system(error, "creating the vault")
    }
  }

  /// Whether a storage can be created at a path: nothing is there, or an empty directory, or the remains of a creation
  /// that crashed.
  ///
  /// - Throws: `.beingCreated`.
  package static func isPossible(at path: FilePath) throws(DirectoryStorageError) -> Bool {
    var information = stat()
    do throws(Errno) {
      try unsafe path.call { unsafe lstat($0, &information) }
    } catch {
      return error == .noSuchFileOrDirectory
    }
    do throws(Errno) {
      let directory = try openDirectory(path)
      if try Directory.names(in: ".", of: directory).isEmpty { return true }
      return try CreationMarker.isAbandoned(in: directory)
    } catch .wouldBlock {
      throw .beingCreated
    } catch {
      return false
    }
  }

  /// Ends the creation; the storage has its parameters. Durable on return.
  package func complete() throws(DirectoryStorageError) {
    marker.remove(from: directory)
    do throws(Errno) {
      try? storage.owner.setTimes(of: ".", in: directory)
      try Self.flush(".", in: directory)
    } catch {
      throw .system(error, "completing the vault")
    }
  }

  /// Deletes the storage again, with its whole content.
  package func remove() { Self.remove(from: directory, marker, at: newPath) }

  /// Whether a directory was created; false if something is at the path already.
  private static func createDirectory(at path: FilePath) throws(Errno) -> Bool {
    do throws(Errno) {
      try unsafe path.call { unsafe mkdir($0, 0o700) }
      return true
    } catch .fileExists {
      return false
    }
  }

  /// Throws `.fileExists` for anything except a directory that can be listed.
  private static func openDirectory(_ path: FilePath) throws(Errno) -> Descriptor {
    do throws(Errno) {
      return try Descriptor.open(path, agonyfs_path_flag() | O_DIRECTORY)
    } catch .noSuchFileOrDirectory, .notDirectory, .permissionDenied, .tooManySymbolicLinkLevels {
      throw .fileExists
    }
  }

  /// Makes the names in a directory durable, if the process may open it, which can fail for `..`.
  private static func flush(_ path: String, in directory: Descriptor) throws(Errno) {
    do throws(Errno) {
      let opened = try Descriptor.open(path, in: directory, O_RDONLY | O_DIRECTORY)
      try systemCall { fsync(opened.number) }
    } catch .permissionDenied {
      return
    }
  }

  /// Deletes the parts of a storage, then the marker. Also deletes the directory itself if its path is given and it has
  /// no other content.
  private static func remove(from directory: Descriptor, _ marker: CreationMarker, at path: FilePath?) {
    if CreatedNames.remove(from: directory) { marker.remove(from: directory) }
    if let path { _ = try? unsafe path.call { unsafe rmdir($0) } }
  }
}
