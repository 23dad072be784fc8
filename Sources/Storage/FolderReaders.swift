internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// Processes that have folders of a vault open, or work in them, as far as this user may look at them.
struct FolderReaders {
  private let folders: Set<Place>
  /// Paths of other programs end like this. What ends otherwise is not looked at: it may be on a host that is gone.
  private static let parents = [StorageNames.segments, DirectoryRefresh.place]

  private struct Place: Hashable {
    let device: dev_t
    let inode: ino_t

    init(_ status: stat) { (device, inode) = (status.st_dev, status.st_ino) }
  }

  /// The readers of folders, given what stat(2) says of them.
  init(of folders: [stat]) { self.folders = Set(folders.map(Place.init)) }

  /// Whether there are any now.
  var areThere: Bool {
    let own = Self.link("/proc/self/exe")
    for process in (try? Directory.names(in: "/proc")) ?? [] {
      let path = "/proc/" + String(decoding: process, as: UTF8.self)
      guard process.first.map({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) == true else { continue }
      if isFolder(path + "/cwd", orRoot: false) { return true }
      // Every agonyfs that has the vault open has `segments` open, and lists nothing by it.
      let isOther = Self.link(path + "/exe") != own
      for file in (try? Directory.names(in: path + "/fd")) ?? [] {
        if isFolder(path + "/fd/" + String(decoding: file, as: UTF8.self), orRoot: isOther) { return true }
      }
    }
    return false
  }

  /// Whether a link of /proc leads to one of the folders.
  private func isFolder(_ path: String, orRoot: Bool) -> Bool {
    guard let target = Self.link(path) else { return false }
    let parts = target.split(separator: "/").suffix(2).map(String.init)
    guard let last = parts.last else { return false }
    let isBelow = parts.count == 2 && Self.parents.contains(parts[0])
    guard isBelow || (orRoot && last == StorageNames.segments) else { return false }
    var status = stat()
    return unsafe stat(path, &status) == 0 && folders.contains(Place(status))
  }

  /// Where a symbolic link leads; nil if that cannot be seen.
  private static func link(_ path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(path, &bytes, bytes.count)
    return count < 0 ? nil : String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
