internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

extension DirectoryStorage {
  /// Renames a file that was just written, in its folder, if nothing has the new name, on every host. Some file systems
  /// in user space (ntfs-3g, exfat-fuse, sshfs) lack a rename that never replaces a file. There the file gets a second
  /// name and loses the first one. If the file system also lacks hard links, an empty file takes the name, which then
  /// blocks it for other processes, and is replaced. A crash between the two steps leaves the empty file: it opens
  /// nothing, and is completed or deleted like other short files.
  ///
  /// - Throws: `.fileExists`.
  func giveName(of identifier: SegmentIdentifier, to file: SegmentIdentifier) throws(Errno) {
    let (old, new) = (file.description, identifier.description)
    let folder = try VaultFile.openDirectory(folderName(identifier.folder), in: root)
    let isRenamed = try abilities.use(.renameWithoutReplacing) { () throws(Errno) in
      try systemCall { unsafe agonyfs_rename_if_absent(folder.number, old, new) }
    }
    if isRenamed { return }
    do throws(Errno) {
      let isLinked = try abilities.use(.hardLinks) { () throws(Errno) in
        try systemCall { unsafe linkat(folder.number, old, folder.number, new, 0) }
      }
      if isLinked {
        unsafe unlinkat(folder.number, old, 0)
        return
      }
    } catch .fileExists {
      throw .fileExists
    } catch {
      // The host may refuse this link only.
    }
    _ = try owner.create(new, in: folder)
    do throws(Errno) {
      try systemCall { unsafe renameat(folder.number, old, folder.number, new) }
    } catch {
      unsafe unlinkat(folder.number, new, 0)
      throw error
    }
  }
}
