internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// Paths in the vault's directory, what is there, and small steps.
extension DirectoryRefresh {
  /// The directory beside `segments` in which the second tree is made.
  static let place = "refreshing"
  /// A file in it as long as it is the new tree: nothing in it has come then.
  static let mark = ".agonyfs-new"
  /// The new parameters.
  static let parameters = ".agonyfs-parameters"
  /// A link that is made to try whether that can be done.
  static let link = ".agonyfs-link"
  /// Files in it that are not of the tree.
  static let ownNames = [mark, parameters, link]
  /// Such files of earlier versions.
  static let earlierNames = [StorageNames.parameters, "remaining", ".remaining.new"]

  /// Directories in it that are exchanged to try whether that can be done.
  static let probes = [".agonyfs-one", ".agonyfs-other"]
  /// Those of earlier versions.
  static let earlierProbes = ["one", "other"]

  func path(_ folder: Int) -> String { StorageNames.segments + "/" + folderName(folder) }

  func newPath(_ folder: Int) -> String { Self.place + "/" + folderName(folder) }

  static func path(_ folder: String, _ name: [UInt8]) -> [CChar] {
    (Array((folder + "/").utf8) + name + [0]).map { CChar(bitPattern: $0) }
  }

  /// The folder of a name; nil for other names.
  func folder(named name: [UInt8]) -> Int? {
    guard let bytes = Hexadecimal.bytes(of: name), bytes.count == 1 else { return nil }
    return Int(bytes[0])
  }

  func change(_ body: () throws(Errno) -> Void) throws(Errno) {
    guard mayChange() else { throw .ioError }
    try body()
  }

  func exchange(_ path: String, _ other: String) throws(Errno) {
    do throws(Errno) {
      try systemCall { unsafe agonyfs_exchange(directory.number, path, other) }
    } catch .invalidArgument, .noFunction, .notSupported, .improperLink {
      throw .exchangeRefused
    }
  }

  /// What lstat(2) says; nil where nothing is.
  func status(of path: String) throws(Errno) -> stat? {
    try ifThere { () throws(Errno) in try directory.status(of: path) }
  }

  /// The vault's files in a folder, and their bytes; none if it is missing.
  ///
  /// - Throws: `.notPermitted`, as root in somebody's vault, for one that is not the owner's.
  func files(in folder: Int) throws(Errno) -> [(name: SegmentIdentifier, size: Int64)] {
    guard try status(of: path(folder)) != nil else { return [] }
    var files: [(name: SegmentIdentifier, size: Int64)] = []
    for name in try Directory.names(in: path(folder), of: directory) {
      guard let identifier = SegmentIdentifier(name: name), identifier.folder == folder,
        let status = try status(of: path(folder) + "/" + identifier.description), status.st_mode & S_IFMT == S_IFREG
      else { continue }
      // Its owner has to be told, before anything is changed.
      if !owner.mayUse(status) { throw .notPermitted }
      files.append((identifier, Int64(status.st_size)))
    }
    return files
  }

  func freeBytes() throws(Errno) -> Int64 {
    var host = statvfs()
    try systemCall { unsafe fstatvfs(root.number, &host) }
    return Int64(host.f_bavail) * Int64(host.f_frsize)
  }

  func flush(_ path: String) throws(Errno) {
    let opened = try VaultFile.openDirectory(path, in: directory)
    try systemCall { fsync(opened.number) }
  }
}
