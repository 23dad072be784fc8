// The namespaces of a private session, before a process is in them.
//
// 1. The kernel accepts the map of a user namespace only from a process that can be traced. So a separate process makes
//    the namespaces: it never holds a secret, and ends at once. The processes that hold secrets only enter them, and
//    can never be traced.
// 2. That process answers through descriptor 4, as `SessionServer` does, and ends when the last copy of the other end
//    of descriptor 3 is closed.

internal import CPlatform
internal import CSession
internal import Glibc
internal import System
internal import SystemPackage

/// A mount namespace, and a user namespace if this user may not mount without one.
struct SessionNamespaces {
  private static let lifeDescriptor: CInt = 3

  /// Nil if the session stays in this process's user namespace.
  let user: Descriptor?
  let mounts: Descriptor
  /// The root directory in the namespaces.
  let root: Descriptor

  /// Starts the process that makes the namespaces, and opens them.
  ///
  /// - Parameter request: what will be mounted; the new process gets the same arguments.
  /// - Throws: `CommandFailure` whose message, the end of a sentence, says why namespaces cannot be made.
  init(_ request: MountRequest) throws {
    var request = request
    request.session = .namespaces
    let (process, answer, life) = try CommandFailure.doing("starting a process") { () throws(Errno) in
      try Self.launch(request)
    }
    try SessionServer.expect(SessionServer.ready, through: answer, from: process)
    (user, mounts, root) = try CommandFailure.doing("opening the namespaces") { () throws(Errno) in
      let folder = "/proc/\(process.identifier)/"
      var user: Descriptor?
      if !agonyfs_session_is_privileged() { user = try Descriptor.open(folder + "ns/user", O_RDONLY) }
      let mounts = try Descriptor.open(folder + "ns/mnt", O_RDONLY)
      return (user, mounts, try Descriptor.open(folder + "root", agonyfs_path_flag() | O_DIRECTORY))
    }
    life.letGo()
    process.wait()
  }

  /// Starts the process. On return, its ends of the pipes are open only in it.
  private static func launch(
    _ request: MountRequest
  ) throws(Errno) -> (process: ChildProcess, answer: Descriptor, life: Descriptor) {
    let answer = try Descriptor.pipe()
    let life = try Descriptor.pipe()
    let process = try ChildProcess(
      "/proc/self/exe", words: request.arguments,
      descriptors: [nil, nil, .standardError, life.reading, answer.writing], inheriting: .everythingButSession)
    return (process, answer.reading, life.writing)
  }

  /// Runs in the process that makes the namespaces; returns when the caller has opened them.
  static func make(_ answer: Descriptor) throws {
    do throws(Errno) {
      try systemCall { agonyfs_session_separate(!agonyfs_session_is_privileged()) }
    } catch {
      throw CommandFailure(.failure, "namespaces are not allowed: \(error)")
    }
    try? answer.writeAll([SessionServer.ready])
    _ = try? Descriptor(lifeDescriptor).readToEnd(limit: 1)
  }

  /// Enters the namespaces; this process must have one thread.
  func enter() throws(Errno) { try Self.enter(user?.number ?? -1, mounts.number, root.number) }

  /// Closes the descriptors: through them, processes of the session would reach the machine's own file systems.
  func letGo() { for descriptor in [user, mounts, root] { descriptor?.letGo() } }

  /// Enters namespaces by the numbers of descriptors; -1 for the user namespace of this process.
  static func enter(_ user: CInt, _ mounts: CInt, _ root: CInt) throws(Errno) {
    try systemCall { agonyfs_session_enter(user, mounts, root) }
    // With some values of fs.suid_dumpable, a change of rights makes a process traceable again.
    agonyfs_set_not_dumpable()
  }
}
