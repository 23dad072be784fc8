// Invariants
// 1. The folder belongs to this user, and no other user may enter it. It has a random name that was free.
// 2. Its lock is held as long as this process lives, so a folder with a free lock was left by a killed process.
// 3. Nothing is removed from a folder that does not satisfy 1: another user may have created it.

internal import CPlatform
internal import Glibc
internal import Synchronization
internal import System
internal import SystemPackage

/// The folder with the mounts of one server.
public final class PrivateFolder: Sendable {
  /// Its absolute path.
  public let path: String
  private let lock: Descriptor
  private static let prefix = "agonyfs-web."
  private static let lockName = "lock"

  /// Creates the folder in `XDG_RUNTIME_DIR` if only this user may enter that, otherwise in `/tmp`.
  ///
  /// - Throws: The `Errno` of the failed call.
  public convenience init() throws { try self.init(in: Self.base) }

  init(in base: String) throws {
    let template = base + "/" + Self.prefix + "XXXXXX"
    var name = template.utf8CString.map { $0 }
    guard unsafe mkdtemp(&name) != nil else { throw Errno.current }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    lock = try Descriptor.open(path + "/" + Self.lockName, O_RDWR | O_CREAT | O_EXCL)
    try systemCall { flock(lock.number, LOCK_EX | LOCK_NB) }
  }

  /// Creates a mount point in the folder.
  ///
  /// - Throws: The `Errno`.
  public func makeDirectory() throws -> String {
    let made = path + "/" + Token.random().text
    try systemCall { unsafe mkdir(made, 0o700) }
    return made
  }

  /// Writes a file that only this user may read; nil if it cannot be written.
  public func write(_ text: String, to name: String) -> String? {
    let whole = path + "/" + name
    guard let file = try? Descriptor.open(whole, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW),
      (try? file.writeAll(Array(text.utf8))) != nil
    else { return nil }
    return whole
  }

  /// Unmounts and removes a directory of the folder. Returns nil, or why that failed.
  public static func removeDirectory(_ place: String, _ program: AgonyfsProgram) -> String? {
    if unsafe rmdir(place) == 0 { return nil }
    let reason = program.unmount(place)
    // The mount may have ended by itself in the meantime.
    return unsafe rmdir(place) == 0 ? nil : reason ?? "\(Errno.current)"
  }

  /// Removes the folder with its mounts. Returns what could not be removed, and why.
  public func remove(_ program: AgonyfsProgram) -> [String] { Self.remove(path, program) }

  /// Removes the folders and mounts that killed processes left. Returns what could not be removed, and why.
  public static func removeLeftOvers(_ program: AgonyfsProgram) -> [String] { removeLeftOvers(in: base, program) }

  static func removeLeftOvers(in base: String, _ program: AgonyfsProgram) -> [String] {
    let names = (try? Directory.names(in: base)) ?? []
    var failed: [String] = []
    for name in names.map({ String(decoding: $0, as: UTF8.self) }) where name.hasPrefix(prefix) {
      let path = base + "/" + name
      guard isPrivate(path), let lock = try? Descriptor.open(path + "/" + lockName, O_RDWR | O_NOFOLLOW),
        flock(lock.number, LOCK_EX | LOCK_NB) == 0
      else { continue }
      failed += remove(path, program)
    }
    return failed
  }

  private static var base: String {
    guard let value = unsafe getenv("XDG_RUNTIME_DIR") else { return "/tmp" }
    let path = unsafe String(cString: value)
    return path.hasPrefix("/") && isPrivate(path) ? path : "/tmp"
  }

  /// Whether it is a directory of this user that no other user may enter.
  private static func isPrivate(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
      && status.st_mode & 0o077 == 0
  }

  private static func remove(_ path: String, _ program: AgonyfsProgram) -> [String] {
    let names = ((try? Directory.names(in: path)) ?? []).map { String(decoding: $0, as: UTF8.self) }
    let places = names.filter { $0 != lockName }.map { path + "/" + $0 }.filter { unsafe unlink($0) != 0 }
    let failed = Mutex<[String]>([])
    // In parallel, because each may take as long as its deadline.
    let work = places.map { place in
      { @Sendable in
        guard let reason = removeDirectory(place, program) else { return }
        failed.withLock { $0.append("\(place): \(reason)") }
      }
    }
    let threads = work.map { try? Thread($0) }
    for (work, thread) in zip(work, threads) { thread.map { $0.join() } ?? work() }
    if failed.withLock({ $0.isEmpty }) {
      unsafe unlink(path + "/" + lockName)
      if unsafe rmdir(path) != 0 { return ["\(path): \(Errno.current)"] }
    }
    return failed.withLock { $0 }
  }
}
