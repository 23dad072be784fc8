import FaultyStorage
import Glibc
import Storage
import System
import SystemPackage
import TestSupport
import Testing

/// A vault with a file or two in most folders.
final class RefreshSubject {
  static let size = 700

  let folder: TemporaryFolder
  private let isMounted: Bool
  /// Called with the storage of each refresh.
  var prepare: (DirectoryStorage) -> Void = { _ in }
  var path: String { folder.path("vault") }

  init() throws {
    folder = try TemporaryFolder()
    // A flush costs nothing there.
    isMounted = unsafe mount("tmpfs", folder.path, "tmpfs", 0, "size=64m") == 0
    let creation = try DirectoryCreation(at: FilePath(folder.path("vault")))
    let storage = creation.storage
    for number in 0..<256 where number % 8 != 3 {
      for file in 0...number % 2 {
        let name = try #require(SegmentIdentifier(name: self.name(number, 1000 + file).utf8))
        try storage.put(name, randomBytes(Self.size, seed: UInt64(number * 2 + file)))
      }
    }
    try storage.put(try #require(SegmentIdentifier(name: name(7).utf8)), randomBytes(Self.size))
    try storage.replaceParameters(with: [1, 2])
    try creation.complete()
  }

  deinit { if isMounted { unsafe umount2(folder.path, CInt(MNT_DETACH)) } }

  static func hexadecimal(_ number: Int) -> String { (number < 16 ? "0" : "") + String(number, radix: 16) }

  /// The name of a file in a folder.
  func name(_ folder: Int, _ number: Int = 0) -> String {
    let digits = String(number, radix: 16)
    return Self.hexadecimal(folder) + String(repeating: "0", count: 30 - digits.count) + digits
  }

  /// Refreshes; `mayChange` gets the number of changes so far.
  func refresh(
    progress: @escaping (RefreshProgress) -> Bool = { _ in true }, mayChange: @escaping (Int) -> Bool = { _ in true }
  ) throws {
    let storage = try DirectoryStorage(path: FilePath(path))
    prepare(storage)
    let refresh = DirectoryRefresh(storage, segmentSize: Self.size, progress: progress)
    var count = 0
    refresh.mayChange = {
      count += 1
      return mayChange(count - 1)
    }
    try refresh.run()
  }

  /// Ends a refresh, as a kill does, right after the trees were exchanged; calls `body` with a folder's path when the
  /// refresh has listed it and not copied it yet.
  func killAfterExchange(of folder: Int, _ body: @escaping (String) -> Void = { _ in }) throws {
    let name = Self.hexadecimal(folder)
    let refreshing = path + "/refreshing"
    let (place, new) = (path + "/segments/" + name, refreshing + "/" + name)
    let inode = HostFile.status(place).st_ino
    var hasBegun = false
    #expect(throws: RefreshError.self) {
      try refresh(mayChange: { _ in
        if !hasBegun, HostFile.names(in: refreshing).contains(name) {
          hasBegun = true
          body(place)
        }
        return HostFile.status(place).st_ino == inode
      })
    }
    #expect(hasBegun && HostFile.status(new).st_ino == inode)
  }

  struct Look {
    /// By paths in the vault.
    var contents: [String: [UInt8]] = [:]
    var inodes: [String: ino_t] = [:]
    var modes: [String: mode_t] = [:]
  }

  /// Everything in the vault but `refreshing`.
  func look() -> Look {
    var look = Look()
    func add(_ name: String) {
      let path = self.path + "/" + name
      let status = HostFile.status(path)
      look.inodes[name] = status.st_ino
      look.modes[name] = status.st_mode
      if status.st_mode & S_IFMT == S_IFDIR {
        for child in HostFile.names(in: path) where child != "refreshing" {
          add(name.isEmpty ? child : name + "/" + child)
        }
      } else {
        look.contents[name] = (try? Descriptor.openQuietly(path, O_RDONLY | O_NOFOLLOW).readToEnd()) ?? []
      }
    }
    add("")
    return look
  }

  /// What has another time than everything has.
  var conspicuous: [String] {
    look().inodes.keys.map { $0.isEmpty ? path : path + "/" + $0 }.filter(isConspicuous)
  }

  /// Expects the same files, for whoever opens the vault.
  func expectWhole(_ before: Look, _ comment: Comment) throws {
    let storage = try DirectoryStorage(path: FilePath(path))
    #expect(try storage.readParameters(limit: 10) == [1, 2], comment)
    var found: [String: [UInt8]] = ["agonyfs.json": [1, 2]]
    for name in try storage.listed().map(\.identifier) {
      found["segments/" + name.path] = try storage.content(of: name)
    }
    #expect(found.keys == before.contents.keys, comment)
    let changed = found.filter { before.contents[$0.key] != $0.value }
    #expect(changed.isEmpty, comment)
    #expect(HostFile.names(in: path + "/segments").count == 256, comment)
  }

  /// Writes a file that leaves so many bytes free.
  func fill(_ path: String, leaving free: Int) throws {
    var host = statvfs()
    try systemCall { unsafe statvfs(folder.path, &host) }
    let bytes = Int(host.f_bavail) * Int(host.f_frsize) - free
    try HostFile.write([UInt8](repeating: 1, count: bytes), to: path)
  }
}
