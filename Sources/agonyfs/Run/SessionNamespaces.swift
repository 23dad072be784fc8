// The namespaces of a private session, before there is one.
//
// 1. The kernel takes the map of a user namespace only from a process that can be traced. So a process makes them that
//    was started for that alone: it never holds a secret, and ends at once. Whoever holds one enters them, and cannot be
//    traced at any time.
// 2. That process answers through descriptor 4 as `SessionServer` does, and ends when nobody holds the other end of
//    descriptor 3 any more.

internal import CPlatform
internal import CSession
internal import Glibc
internal import System
internal import SystemPackage

/// A mount namespace, and a user namespace for whoever may not mount without one.
struct SessionNamespaces {
  private static let lifeDescriptor: CInt = 3

  /// Nil if it is that of this process.
  let user: Descriptor?
  let mounts: Descriptor
  /// The root directory in them.
  let root: Descriptor

  /// Has them made.
  ///
  /// - Parameter request: what will be mounted; the process gets the same arguments.
  /// - Throws: `CommandFailure`, with why that is not possible as the end of a sentence.
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

  /// Our copies of its ends of the pipes are closed on return.
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

  /// The process that makes them; returns when they were opened.
  static func make(_ answer: Descriptor) throws {
    do throws(Errno) {
      try systemCall { agonyfs_session_separate(!agonyfs_session_is_privileged()) }
    } catch {
      throw CommandFailure(.failure, "namespaces are not allowed: \(error)")
    }
    try? answer.writeAll([SessionServer.ready])
    _ = try? Descriptor(lifeDescriptor).readToEnd(limit: 1)
  }

  /// Enters them; this process has one thread.
  func enter() throws(Errno) { try Self.enter(user?.number ?? -1, mounts.number, root.number) }

  /// Closes what leads to them: through it processes of the session would reach what they are not to see.
  func letGo() { for descriptor in [user, mounts, root] { descriptor?.letGo() } }

  /// The same as `enter()`, by the numbers of descriptors; -1 for the user namespace of this process.
  static func enter(_ user: CInt, _ mounts: CInt, _ root: CInt) throws(Errno) {
    try systemCall { agonyfs_session_enter(user, mounts, root) }
    // Some systems (fs.suid_dumpable) let a process be traced that changes its rights.
    agonyfs_set_not_dumpable()
  }
}
