// Invariants
// 1. A record is replaced atomically: the new one is written to a temporary file, synced and renamed, and the folder is
//    synced.
// 2. An older record never replaces a newer one: a process holds the folder's lock while it reads a record in order to
//    replace it.
// 3. Only the owner can read the folder and the records.

internal import Glibc
internal import System
internal import SystemPackage

/// The folder for the persistent state of this user's agonyfs on this machine.
struct StateFolder {
  /// Longest record that is read, in bytes.
  private static let longest = 4096

  /// Its absolute path.
  let path: String

  /// This user's folder, by the XDG base directory specification: `agonyfs` in XDG_STATE_HOME if that is set, otherwise
  /// in /var/lib for root and in ~/.local/state for other users. Nil if HOME is not set.
  static func ofUser() -> StateFolder? {
    if let state = Environment["XDG_STATE_HOME"], state.hasPrefix("/") { return StateFolder(path: state + "/agonyfs") }
    if geteuid() == 0 { return StateFolder(path: "/var/lib/agonyfs") }
    guard let home = Environment["HOME"], home.hasPrefix("/") else { return nil }
    return StateFolder(path: home + "/.local/state/agonyfs")
  }

  /// A record's content; nil if there is none.
  func read(_ name: String) throws(Errno) -> [UInt8]? {
    do throws(Errno) {
      return try WholeFile.read(path + "/" + name, limit: Self.longest, followsLink: false)
    } catch .noSuchFileOrDirectory {
      return nil
    }
  }

  /// Replaces a record by the result of `change`, which gets its content (nil if there is none). Durable on return. If
  /// `change` returns nil, nothing is written. An unreadable record counts as empty.
  func replace(_ name: String, _ change: ([UInt8]?) -> [UInt8]?) throws(Errno) {
    try makeFolders()
    let folder = try Descriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    try systemCall { flock(folder.number, LOCK_EX) }
    let old: [UInt8]?
    do throws(Errno) { old = try read(name) } catch { old = [] }
    if let content = change(old) { try WholeFile.replace(name, in: folder, with: content) }
  }

  func names() throws(Errno) -> [String] {
    do throws(Errno) {
      return try Directory.names(in: path).compactMap { String(validating: $0, as: UTF8.self) }
    } catch .noSuchFileOrDirectory {
      return []
    }
  }

  /// Removes a record, if there is one. Durable on return.
  func remove(_ name: String) throws(Errno) {
    let folder = try Descriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    do throws(Errno) { try systemCall { unsafe unlinkat(folder.number, name, 0) } } catch .noSuchFileOrDirectory {}
    try systemCall { fsync(folder.number) }
  }

  private func makeFolders() throws(Errno) {
    var folder = ""
    for part in path.split(separator: "/") {
      folder += "/" + part
      // An existing folder gives EEXIST, or an error such as EROFS if it could not be created.
      do throws(Errno) { try systemCall { unsafe mkdir(folder, 0o700) } } catch {
        guard unsafe access(folder, F_OK) == 0 else { throw error }
      }
    }
  }
}
