internal import Glibc
internal import System
package import SystemPackage

/// The 256 folders of segment files.
extension DirectoryStorage {
  /// Makes the 256 folders in the folder of segments, which must exist and be empty. Durable on return.
  static func createFolders(in directory: Descriptor, of owner: VaultOwner) throws(Errno) {
    let root = try VaultFile.openDirectory(StorageNames.segments, in: directory)
    for folder in 0..<256 {
      try owner.makeFolder(folderName(folder), in: root)
      try owner.setTimes(of: folderName(folder), in: root)
    }
    try owner.setTimes(of: ".", in: root)
    try systemCall { fsync(root.number) }
  }

  /// Makes missing folders, removes a marker that a crash at the end of the creation left, and gives every directory
  /// the constant time. Writes nothing if none of this is needed.
  package func prepareForWriting() {
    unsafe unlinkat(directory.number, StorageNames.creationMarker, 0)
    for folder in 0..<256 {
      do throws(Errno) {
        try owner.resetTimes(of: folderName(folder), in: root)
      } catch .noSuchFileOrDirectory {
        // If there is too little room, the folder is made later, with the first file in it.
        try? makeFolder(folder)
      } catch {
        // It belongs to another user.
        continue
      }
    }
    try? owner.resetTimes(of: ".", in: root)
    // Its access time shows only that another program listed it, which happens often.
    try? owner.resetTimes(of: ".", in: directory, afterReading: false)
  }

  /// Opens the folder of segment files. While a refresh renames the trees, and after a kill there, `segments` is
  /// missing, and the new tree in `refreshing` is whole and has the old one in it.
  ///
  /// - Throws: `.noSuchFileOrDirectory`; `.notDirectory`.
  static func openTree(in directory: Descriptor) throws(Errno) -> Descriptor {
    // A refresh may rename the trees between two attempts; it has two more renames at most.
    for _ in 0..<3 {
      do throws(Errno) {
        return try VaultFile.openDirectory(StorageNames.segments, in: directory)
      } catch .noSuchFileOrDirectory {
        guard let new = try? VaultFile.openDirectory(DirectoryRefresh.place, in: directory),
          let old = try? new.status(of: DirectoryRefresh.oldTree), old.st_mode & S_IFMT == S_IFDIR
        else { continue }
        return new
      }
    }
    throw .noSuchFileOrDirectory
  }

  /// Whether there is a second tree, in `refreshing` or in the folder of segment files.
  package var hasInterruptedRefresh: Bool {
    unsafe faccessat(directory.number, DirectoryRefresh.place, F_OK, 0) == 0
      || faccessat(root.number, DirectoryRefresh.oldTree, F_OK, 0) == 0
  }

  /// Removes the remains of a killed refresh.
  package func removeInterruptedRefresh() { try? DirectoryRefresh(self, segmentSize: 0).removeInterrupted() }

  /// Removes a name from the second tree if it leads to a file that has another name by now.
  ///
  /// - Throws: when it is not known what the names lead to. Then nothing is removed.
  func forgetLink(_ identifier: SegmentIdentifier) throws(Errno) {
    guard let folder = try leftFolder(of: identifier) else { return }
    let found = try ifThere { () throws(Errno) in try folder.status(of: identifier.description) }
    guard let left = found, left.st_nlink > 1 else { return }
    let named = try ifThere { () throws(Errno) in try root.status(of: identifier.path) }
    if named?.st_ino != left.st_ino { unsafe unlinkat(folder.number, identifier.description, 0) }
  }

  /// The folder in the second tree that has a name; nil if there is none.
  ///
  /// - Throws: `.notPermitted`, as root, when the folder is not the owner's.
  func leftFolder(of identifier: SegmentIdentifier) throws(Errno) -> Descriptor? {
    let folder: Descriptor
    do throws(Errno) {
      folder = try VaultFile.openDirectory(folderName(identifier.folder), in: secondTree())
      _ = try folder.status(of: identifier.description)
    } catch .noSuchFileOrDirectory, .notDirectory {
      return nil
    } catch .permissionDenied where isLeftByAnother {
      // A refresh by this user, who may not even look into the folder, put nothing there.
      return nil
    }
    guard try owner.mayErase(folder.status()) else { throw .notPermitted }
    return folder
  }

  /// The second tree, which is in the first one after a kill between two renames.
  private func secondTree() throws(Errno) -> Descriptor {
    do throws(Errno) {
      return try VaultFile.openDirectory(DirectoryRefresh.oldTree, in: root)
    } catch .noSuchFileOrDirectory, .notDirectory {
      return try VaultFile.openDirectory(DirectoryRefresh.place, in: directory)
    }
  }

  /// Whether another user's refresh made `refreshing`.
  private var isLeftByAnother: Bool {
    guard geteuid() != 0, let left = try? directory.status(of: DirectoryRefresh.place) else { return false }
    return left.st_uid != geteuid()
  }

  /// Makes a folder that a copy of the vault lacks. Durable on return.
  private func makeFolder(_ folder: Int) throws(Errno) {
    do throws(Errno) {
      try owner.makeFolder(folderName(folder), in: root)
    } catch .fileExists {
      return
    }
    try? owner.setTimes(of: folderName(folder), in: root)
    try? owner.setTimes(of: ".", in: root)
    try systemCall { fsync(root.number) }
  }

  /// Calls `body`, which changes the names in a folder; makes the folder if it is missing.
  func changeNames<Result>(
    in folder: Int, _ body: () throws(Errno) -> Result
  ) throws(Errno) -> Result {
    defer { try? owner.setTimes(of: folderName(folder), in: root) }
    do throws(Errno) {
      return try body()
    } catch .noSuchFileOrDirectory {
      try makeFolder(folder)
      return try body()
    }
  }

  /// Whether the folder of a file is missing. A copy may lack empty ones.
  package func lacksFolder(of identifier: SegmentIdentifier) throws(Errno) -> Bool {
    DiskAccess.assertAllowed()
    return try ifThere { () throws(Errno) in try root.status(of: folderName(identifier.folder)) } == nil
  }

  /// The names in a folder; none if it is missing.
  func names(in folder: Int) throws(Errno) -> [[UInt8]] {
    try ifThere { () throws(Errno) in try Directory.names(in: folderName(folder), of: root) } ?? []
  }
}

/// The name of a folder, 0 to 255.
func folderName(_ folder: Int) -> String { Hexadecimal.text(of: [UInt8(folder)]) }
