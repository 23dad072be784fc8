internal import Glibc
internal import System
internal import SystemPackage

/// Links to the vault's files in `refreshing`.
extension DirectoryRefresh {
  /// Whether a file, which has other links, has a name in `segments`.
  func hasOtherName(_ file: stat) throws(Errno) -> Bool {
    if file.st_nlink < 2 { return false }
    if let inodes { return inodes.contains(file.st_ino) }
    var found: Set<ino_t> = []
    for folder in 0..<256 {
      guard let opened = try owner.folder(folderName(folder), in: root) else { continue }
      found.formUnion(try inodes(in: opened, of: folder))
    }
    inodes = found
    return found.contains(file.st_ino)
  }

  /// The inodes of the vault's files in an open folder.
  private func inodes(in opened: Descriptor, of folder: Int) throws(Errno) -> [ino_t] {
    var inodes: [ino_t] = []
    for name in try Directory.names(in: ".", of: opened) {
      guard let identifier = SegmentIdentifier(name: name), identifier.folder == folder,
        let status = try status(of: identifier.description, in: opened), status.st_mode & S_IFMT == S_IFREG
      else { continue }
      inodes.append(status.st_ino)
    }
    return inodes
  }
}
