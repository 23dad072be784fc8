internal import Glibc
internal import System
internal import SystemPackage

/// Names in the two trees, their files, and small steps.
extension DirectoryRefresh {
  /// The directory next to `segments` in which the second tree is made.
  static let place = StorageNames.refreshing
  /// The old tree in the new one, between the renames that exchange them where the host cannot do so.
  static let oldTree = ".agonyfs-old"
  /// A file in it as long as it is the new tree. As long as the file exists, no other program has put a file into the
  /// tree.
  static let mark = ".agonyfs-new"
  /// The new parameters.
  static let parameters = ".agonyfs-parameters"
  /// The new tokens of `agonyfs sync`.
  static let tokens = ".agonyfs-tokens"
  /// A link that tests whether the file system has links.
  static let link = ".agonyfs-link"
  /// Files in it that are not part of the tree.
  static let ownNames = [mark, parameters, tokens, link]
  /// Such files of earlier versions.
  static let earlierNames = [StorageNames.parameters, "remaining", ".remaining.new"]

  /// Directories in it that test whether the file system can exchange them.
  static let probes = [".agonyfs-one", ".agonyfs-other"]
  /// Such directories of earlier versions.
  static let earlierProbes = ["one", "other"]

  /// The folder of a name; nil for other names.
  func folder(named name: [UInt8]) -> Int? {
    guard let bytes = Hexadecimal.bytes(of: name), bytes.count == 1 else { return nil }
    return Int(bytes[0])
  }

  func change(_ body: () throws(Errno) -> Void) throws(Errno) {
    guard mayChange() else { throw .ioError }
    try body()
  }

  /// The result of lstat(2) for a name in an open directory; nil if nothing has the name.
  func status(of name: String, in folder: Descriptor) throws(Errno) -> stat? {
    try ifThere { () throws(Errno) in try folder.status(of: name) }
  }

  /// The vault's files in a folder, and their bytes; none if it is missing.
  ///
  /// - Throws: `.notPermitted`, as root in a user's vault, for a file or a folder that is not the owner's;
  ///   `.moreReadable`.
  func files(in folder: Int) throws(Errno) -> [(name: SegmentIdentifier, size: Int64)] {
    let found = try ifThere { () throws(Errno) in try owner.openFolder(folderName(folder), in: root) }
    guard let opened = found else { return [] }
    var files: [(name: SegmentIdentifier, size: Int64)] = []
    for name in try Directory.names(in: ".", of: opened) {
      guard let identifier = SegmentIdentifier(name: name), identifier.folder == folder,
        let status = try examine(identifier, in: opened), status.st_mode & S_IFMT == S_IFREG
      else { continue }
      // The user must learn of this before anything is changed.
      try owner.checkCopy(of: status)
      files.append((identifier, Int64(status.st_size)))
    }
    return files
  }

  /// The status of a file of the vault; nil if it is gone. An error names the file.
  private func examine(_ identifier: SegmentIdentifier, in folder: Descriptor) throws(Errno) -> stat? {
    do throws(Errno) {
      return try status(of: identifier.description, in: folder)
    } catch {
      action = "examining \(StorageNames.segments)/\(identifier.path)"
      throw error
    }
  }

  /// Makes an exchange of the trees durable, and resets the times that it changed.
  func flushAfterExchange() throws(Errno) {
    try owner.setTimes(of: ".", in: root)
    for tree in try [root, secondTree()] { try systemCall { fsync(tree.number) } }
    try flushDirectory()
  }

  /// Makes changes of names in the vault's own directory durable.
  func flushDirectory() throws(Errno) {
    let opened = try VaultFile.openDirectory(".", in: directory)
    try systemCall { fsync(opened.number) }
  }
}
