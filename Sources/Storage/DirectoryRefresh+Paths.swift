internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// Paths in the vault's directory, what is there, and small steps.
extension DirectoryRefresh {
  /// The directory beside `segments` in which folders are made.
  static let place = "refreshing"
  /// The file in it.
  static let note = "remaining"

  /// Directories in it that are exchanged to try whether that can be done.
  static let probes = [place + "/one", place + "/other"]

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
    var status = stat()
    do throws(Errno) {
      try systemCall { unsafe fstatat(directory.number, path, &status, AT_SYMLINK_NOFOLLOW) }
      return status
    } catch .noSuchFileOrDirectory {
      return nil
    }
  }

  /// The vault's files in a folder, and their bytes; none if it is missing.
  func files(in folder: Int) throws(Errno) -> [(name: SegmentIdentifier, size: Int64)] {
    guard try status(of: path(folder)) != nil else { return [] }
    var files: [(name: SegmentIdentifier, size: Int64)] = []
    for name in try Directory.names(in: path(folder), of: directory) {
      guard let identifier = SegmentIdentifier(name: name), identifier.folder == folder,
        let status = try status(of: path(folder) + "/" + identifier.description), status.st_mode & S_IFMT == S_IFREG
      else { continue }
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

  /// Writes down which folders remain.
  func note(_ remaining: [Int]) throws(Errno) {
    try change { () throws(Errno) in
      let place = try VaultFile.openDirectory(Self.place, in: directory)
      let lines = remaining.map { folderName($0) + "\n" }.joined()
      try WholeFile.replace(Self.note, in: place, with: Array(lines.utf8)) { owner.give($0) }
    }
  }

  /// The folders that an earlier refresh left; nil if there was none, or if anything was changed in the others since.
  func notedFolders() throws(Errno) -> [Int]? {
    let file: Descriptor
    do throws(Errno) {
      file = try VaultFile.open(Self.place + "/" + Self.note, in: directory, O_RDONLY)
    } catch .noSuchFileOrDirectory {
      return nil
    }
    let noted = try FileCopy.status(of: file).st_mtim
    let folders = try file.readToEnd(limit: 4096).split(separator: UInt8(ascii: "\n")).compactMap {
      self.folder(named: Array($0))
    }
    for folder in Set(0..<256).subtracting(folders) {
      guard let changed = try status(of: path(folder))?.st_ctim else { return nil }
      if (changed.tv_sec, changed.tv_nsec) > (noted.tv_sec, noted.tv_nsec) { return nil }
    }
    return folders
  }
}
