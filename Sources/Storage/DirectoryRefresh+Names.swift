// Names in a random order. XFS, btrfs and tmpfs list a folder in the order in which names came, and programs that copy
// go by that: births in the copy would show which files were named last.
//
// Invariants
// 1. No file is written. All folders are built anew in `refreshing/`, of links to the same files; when they are durable,
//    each is exchanged with the old one at once; when that is durable, the old ones are emptied. So at every moment
//    each name leads to its file, and what a kill leaves is what a killed refresh leaves.
// 2. All folders are replaced, and everything is done in random order: a file's change time says when it got or lost a
//    link, that of a folder when it was built or exchanged, and `segments` lists folders as they were exchanged.
// 3. If anything is refused before the first exchange, nothing is exchanged.
// 4. A folder that somebody reads is not emptied: they would miss what they have not read yet.

internal import CPlatform
internal import Glibc
internal import System
package import SystemPackage

extension DirectoryRefresh {
  /// Microseconds between two looks for readers.
  private static let interval: UInt32 = 50_000

  /// Puts the names of all files in a random order. Does nothing while somebody reads a folder.
  ///
  /// - Parameter patience: how long a reader of an old folder is waited for, in nanoseconds.
  /// - Returns: whether the names are in a new order.
  @discardableResult
  package func shuffleNames(patience: UInt64 = 2_000_000_000) throws(Errno) -> Bool {
    if try status(of: Self.place) != nil {
      if try isRead() { return false }
      try removeInterrupted()
    }
    let folders = try folders(at: path)
    if FolderReaders(of: [try FileCopy.status(of: root)] + folders.map(\.status)).areThere { return false }
    let readers = FolderReaders(of: folders.map(\.status))
    var linked: [Int: [SegmentIdentifier: ino_t]] = [:]
    do throws(Errno) {
      try makePlace()
      for folder in folders.shuffled() { linked[folder.number] = try link(folder.number) }
      try change { () throws(Errno) in try systemCall { agonyfs_flush_file_system(root.number) } }
      for folder in folders.shuffled() {
        try change { () throws(Errno) in try exchange(newPath(folder.number), path(folder.number)) }
      }
      try change { () throws(Errno) in
        try VaultFile.setTimes(of: ".", in: directory)
        try VaultFile.setTimes(of: root)
        try systemCall { agonyfs_flush_file_system(root.number) }
      }
    } catch {
      if areGone(readers, within: patience) { try? removeAll(folders.map(\.number), linked) }
      throw error
    }
    // Whoever had a folder open still has it; whoever opens one now gets the new one.
    if areGone(readers, within: patience) { try removeAll(folders.map(\.number), linked) }
    return true
  }

  /// Makes `refreshing`, where directories can be exchanged with those of `segments`.
  private func makePlace() throws(Errno) {
    do throws(Errno) {
      try change { () throws(Errno) in try owner.makeFolder(Self.place, in: directory) }
    } catch .fileExists {
      // With something in it that is not the vault's.
      _ = try VaultFile.openDirectory(Self.place, in: directory)
    }
    try checkExchange()
  }

  /// The folders that are there, of those in `segments` or in `refreshing`.
  private func folders(at path: (Int) -> String) throws(Errno) -> [(number: Int, status: stat)] {
    var folders: [(number: Int, status: stat)] = []
    for number in 0..<256 { if let status = try status(of: path(number)) { folders.append((number, status)) } }
    return folders
  }

  /// Whether somebody reads a folder in `refreshing`: one that was listed when it was exchanged.
  func isRead() throws(Errno) -> Bool { FolderReaders(of: try folders(at: newPath).map(\.status)).areThere }

  /// Builds a folder in `refreshing`, of links to all files of the vault in the old one.
  ///
  /// - Returns: the inodes of the files.
  private func link(_ folder: Int) throws(Errno) -> [SegmentIdentifier: ino_t] {
    let old = try VaultFile.openDirectory(path(folder), in: directory)
    try change { () throws(Errno) in try owner.makeFolder(newPath(folder), in: directory) }
    let new = try VaultFile.openDirectory(newPath(folder), in: directory)
    var linked: [SegmentIdentifier: ino_t] = [:]
    for name in try inodes(in: old, of: folder).map(\.name).shuffled() {
      let path = name.description
      try change { () throws(Errno) in try systemCall { unsafe linkat(old.number, path, new.number, path, 0) } }
      // Perhaps another file than a moment ago.
      var status = stat()
      try systemCall { unsafe fstatat(new.number, path, &status, AT_SYMLINK_NOFOLLOW) }
      linked[name] = status.st_ino
    }
    try change { () throws(Errno) in
      try FileCopy.setAttributes(of: new, to: old)
      try VaultFile.setTimes(of: new)
    }
    return linked
  }

  /// Empties the old folders, or the new ones that were not exchanged, and removes `refreshing`.
  private func removeAll(_ folders: [Int], _ linked: [Int: [SegmentIdentifier: ino_t]]) throws(Errno) {
    for folder in folders.shuffled() {
      try unlink(folder)
      try removeOld(folder, .linked(linked[folder] ?? [:]))
    }
    try removePlace()
    try change { () throws(Errno) in
      // Later than all folders: no name came since (`DirectoryStorage.hasNewNames`).
      try VaultFile.setTimes(of: root)
      try systemCall { agonyfs_flush_file_system(root.number) }
    }
  }

  /// Takes away the links of a folder in `refreshing` to files that are in `segments` under the same name: all of them
  /// if nobody else changed the vault meanwhile.
  private func unlink(_ folder: Int) throws(Errno) {
    guard try status(of: newPath(folder)) != nil else { return }
    let old = try VaultFile.openDirectory(newPath(folder), in: directory)
    let new = try VaultFile.openDirectory(path(folder), in: directory)
    for name in try Directory.names(in: ".", of: old).shuffled() {
      let path = name.map { CChar(bitPattern: $0) } + [0]
      var (found, other) = (stat(), stat())
      guard unsafe fstatat(old.number, path, &found, AT_SYMLINK_NOFOLLOW) == 0,
        unsafe fstatat(new.number, path, &other, AT_SYMLINK_NOFOLLOW) == 0,
        found.st_ino == other.st_ino, found.st_mode & S_IFMT == S_IFREG
      else { continue }
      try change { () throws(Errno) in try systemCall { unsafe unlinkat(old.number, path, 0) } }
    }
  }

  /// Waits until nobody reads the folders any more, for a while.
  private func areGone(_ readers: FolderReaders, within patience: UInt64) -> Bool {
    let deadline = monotonicTime() + patience
    while readers.areThere {
      guard monotonicTime() < deadline else { return false }
      usleep(Self.interval)
    }
    return true
  }

  /// Whether a file, which has other links, has a name in `segments`.
  func hasOtherName(_ file: stat) throws(Errno) -> Bool {
    if file.st_nlink < 2 { return false }
    if let inodes { return inodes.contains(file.st_ino) }
    var found: Set<ino_t> = []
    for folder in 0..<256 where try status(of: path(folder)) != nil {
      let opened = try VaultFile.openDirectory(path(folder), in: directory)
      found.formUnion(try inodes(in: opened, of: folder).map(\.inode))
    }
    inodes = found
    return found.contains(file.st_ino)
  }

  /// The vault's files in an open folder, and their inodes.
  private func inodes(
    in opened: Descriptor, of folder: Int
  ) throws(Errno) -> [(name: SegmentIdentifier, inode: ino_t)] {
    var files: [(name: SegmentIdentifier, inode: ino_t)] = []
    for name in try Directory.names(in: ".", of: opened) {
      guard let identifier = SegmentIdentifier(name: name), identifier.folder == folder else { continue }
      var status = stat()
      let path = identifier.description
      guard unsafe fstatat(opened.number, path, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG
      else { continue }
      files.append((identifier, status.st_ino))
    }
    return files
  }
}
