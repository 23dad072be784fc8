// Invariants
// 1. Root never works in another user's home: `become` gives up all of its rights first, for good.

internal import Glibc
internal import System
internal import SystemPackage
internal import Traces

/// Decides whose home `doctor` searches.
enum DoctorHome {
  /// The home of this user.
  ///
  /// - Parameter ignoresEnvironment: whether the environment belongs to another user.
  /// - Throws: `CommandFailure` if there is none, or if it belongs to another user.
  static func own(ignoresEnvironment: Bool) throws -> Home {
    func value(_ name: String) -> [UInt8]? {
      guard !ignoresEnvironment, let value = unsafe getenv(name) else { return nil }
      let bytes = unsafe bytes(of: value)
      return bytes.isEmpty ? nil : bytes
    }
    guard let path = (value("HOME") ?? account(geteuid())?.home).flatMap(PathBytes.normalized), path.count > 1 else {
      throw CommandFailure(.failure, "Your home directory is not known; set HOME to the directory to search.")
    }
    let shown = String(decoding: path, as: UTF8.self)
    var status = stat()
    try CommandFailure.doing("opening the home directory \(shown)") { () throws(Errno) in
      _ = try unsafe FilePath(bytes: path).call { unsafe stat($0, &status) }
    }
    guard status.st_uid == geteuid() else {
      throw CommandFailure(
        .failure, "The home directory \(shown) belongs to another user; run agonyfs doctor as that user, without sudo.")
    }
    var temporary: [[UInt8]] = []
    for folder in [Array("/tmp".utf8), Array("/var/tmp".utf8), value("TMPDIR")] {
      if let folder = folder.flatMap(PathBytes.normalized), !temporary.contains(folder) { temporary.append(folder) }
    }
    return Home(path: path, environment: value, temporary: temporary)
  }

  /// The places that an argument names: the path as it is written, and the path that its links lead to.
  ///
  /// - Throws: `CommandFailure` if the home directory is in one of them, because all files in it would count as traces.
  static func place(_ argument: FilePath, home: Home) throws -> [[UInt8]] {
    guard let path = PathBytes.normalized(AbsolutePath.of(argument).bytes) else {
      throw CommandFailure.empty("The path of the mount point")
    }
    var paths = [path]
    if let resolved = AbsolutePath.of(argument).resolved { paths.append(resolved.bytes) }
    let all = SearchedPlaces(paths)
    guard !all.contains(home.path) else {
      throw CommandFailure(
        .usage, "\(argument) holds your whole home directory; name the directory where a space is or was mounted.")
    }
    return all.paths
  }

  /// Becomes another user, for good and for the whole process. Needs root.
  static func become(_ user: uid_t) throws {
    guard user != geteuid() else { return }
    guard let account = account(user) else {
      throw CommandFailure(.failure, "The user number \(user) does not exist, so no home directory was searched.")
    }
    try CommandFailure.doing("becoming the user \(account.name)") { () throws(Errno) in
      try systemCall { unsafe initgroups(account.name, account.group) }
      try systemCall { setgid(account.group) }
      try systemCall { setuid(user) }
    }
  }

  private static func account(_ user: uid_t) -> (name: String, group: gid_t, home: [UInt8])? {
    guard let entry = unsafe getpwuid(user) else { return nil }
    return unsafe (
      String(cString: entry.pointee.pw_name), entry.pointee.pw_gid, bytes(of: entry.pointee.pw_dir)
    )
  }

  private static func bytes(of text: UnsafePointer<CChar>) -> [UInt8] {
    unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }
}
