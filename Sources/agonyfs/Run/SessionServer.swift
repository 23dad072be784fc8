// The process that serves the mount of a session. It is outside the program's process group, session and process
// namespace, so it survives their end.
//
// 1. The password comes through a pipe (descriptor 3). The process can never be traced: another process makes the
//    namespaces of a private session, and they come as descriptors (7, 8, 9).
// 2. It answers through another pipe (descriptor 4): 0 when the mount is ready, and 0 at the end if everything is
//    written. Any other byte is an exit status, followed by a sentence.
// 3. It ends the mount when the last copy of the other end of descriptor 5 is closed. The process that started it and
//    the program's first process hold copies. The first process, whose number comes through that pipe, closes its copy
//    before the kernel kills the others of its process namespace. So this process also waits for the end of the first
//    process, which comes after theirs: no process of the session sees the mount end.

internal import ArgumentParser
internal import CPlatform
internal import CSession
internal import Crypto
internal import Glibc
internal import Mount
internal import System
internal import SystemPackage

/// Where the mount of a session is.
enum SessionKind: String, ExpressibleByArgument {
  /// In namespaces that no process outside sees.
  case `private`
  /// At a directory that all processes see.
  case visible
  /// At a visible directory that is made for the session and removed with it.
  case temporary
  /// No mount: only the namespaces of a private session are made.
  case namespaces
}

/// The process that serves the mount of a session, as seen by its parent.
final class SessionServer {
  private static let passwordDescriptor: CInt = 3
  private static let answerDescriptor: CInt = 4
  private static let lifeDescriptor: CInt = 5
  private static let directoryDescriptor: CInt = 6
  private static let mountsDescriptor: CInt = 7
  private static let rootDescriptor: CInt = 8
  private static let userDescriptor: CInt = 9
  /// The answer for success.
  static let ready: UInt8 = 0

  let process: ChildProcess
  private let answer: Descriptor
  private var life: Descriptor?
  private var secret: Descriptor?

  /// Starts the process; with namespaces, it enters them.
  init(_ request: MountRequest, _ namespaces: SessionNamespaces? = nil) throws {
    // The process may end before it has read the password; its answer says why.
    signal(SIGPIPE, SIG_IGN)
    defer { signal(SIGPIPE, SIG_DFL) }
    do throws(Errno) {
      let secret = try Descriptor.pipe()
      let answer = try Descriptor.pipe()
      let life = try Descriptor.pipe()
      process = try ChildProcess(
        "/proc/self/exe", words: request.arguments,
        descriptors: [
          nil, nil, .standardError, secret.reading, answer.writing, life.reading, request.directory, namespaces?.mounts,
          namespaces?.root, namespaces?.user,
        ],
        inheriting: .everythingButSession)
      (self.answer, self.life, self.secret) = (answer.reading, life.writing, secret.writing)
    } catch {
      throw CommandFailure(error, doing: "starting the background process")
    }
  }

  /// Sends the password; the mount is ready on return.
  func mount(_ password: consuming Password) throws {
    signal(SIGPIPE, SIG_IGN)
    try? unsafe password.bytes.withUnsafeBytes { try unsafe secret?.writeAll($0) }
    signal(SIGPIPE, SIG_DFL)
    secret = nil
    _ = consume password
    try expect(Self.ready)
  }

  /// Sends the number of the process namespace's first process.
  func watch(_ first: pid_t) throws(Errno) { try life?.writeAll(Array("\(first)".utf8)) }

  /// Lets the mount end; all changes are durable on return.
  func finish() throws {
    life = nil
    try expect(Self.ready)
    process.wait()
  }

  private func expect(_ wanted: UInt8) throws { try Self.expect(wanted, through: answer, from: process) }

  /// Waits for an answer.
  ///
  /// - Throws: `CommandFailure` with the status and sentence of the process, or if it ends without an answer.
  static func expect(_ wanted: UInt8, through answer: Descriptor, from process: ChildProcess) throws {
    let first = try? answer.readSome(most: 1)
    if first == [wanted] { return }
    let rest = (try? answer.readToEnd(limit: 8192)) ?? []
    guard let first = first?.first else {
      throw CommandFailure(.failure, "The background process \(process.wait().text) too early.")
    }
    throw CommandFailure(CommandStatus(rawValue: Int32(first)) ?? .failure, String(decoding: rest, as: UTF8.self))
  }
}

extension SessionServer {
  /// Runs in the new process: serves the mount until the session has ended.
  ///
  /// - Throws: only the exit status.
  static func serve(_ request: MountRequest, _ kind: SessionKind) throws {
    var request = request
    request.session = kind
    signal(SIGPIPE, SIG_IGN)
    unsafe chdir("/")
    let answer = Descriptor(answerDescriptor)
    do {
      switch kind {
      case .namespaces: return try SessionNamespaces.make(answer)
      case .private:
        // Checked before entering: the session's file system may lack the /proc that shows a tracer.
        try TracedProcess.refuse()
        try enter(request.mountPoint)
      case .visible, .temporary: request.directory = Descriptor(directoryDescriptor)
      }
      let password = try SecretLine.passed(through: passwordDescriptor)
      try watchLife()
      try MountServer(request: request).serve(password) { try? answer.writeAll([0]) }
      if kind == .temporary { RedirectedSession.remove(request.mountPoint.removingLastComponent()) }
      try? answer.writeAll([0])
    } catch {
      let failure = CommandFailure(any: error, vault: request.vault) ?? CommandFailure(.failure, "\(error)")
      let sent: Void? = try? answer.writeAll(
        [UInt8(truncatingIfNeeded: failure.status.rawValue)] + failure.message.utf8)
      if sent == nil { MountServer.log(failure) }
      throw ExitCode(failure.status.rawValue)
    }
  }

  /// Enters the namespaces, and makes the mount point in memory that no other process sees.
  private static func enter(_ mountPoint: FilePath) throws {
    let isUser = !agonyfs_session_is_privileged()
    let numbers = [mountsDescriptor, rootDescriptor, userDescriptor]
    defer { for number in numbers { close(number) } }
    try CommandFailure.doing("separating the session") { () throws(Errno) in
      try SessionNamespaces.enter(isUser ? userDescriptor : -1, mountsDescriptor, rootDescriptor)
      let stage = mountPoint.removingLastComponent()
      try unsafe stage.call { unsafe agonyfs_mount_memory($0) }
      try unsafe mountPoint.call { unsafe mkdir($0, 0o700) }
    }
  }

  /// Starts a thread that asks for the unmount as soon as the session has ended.
  private static func watchLife() throws {
    let life = Descriptor(lifeDescriptor)
    _ = try Thread {
      var first: Descriptor?
      while let some = try? life.readSome(most: 16), !some.isEmpty {
        guard let number = pid_t(String(decoding: some, as: UTF8.self)) else { continue }
        first = (try? systemCall { agonyfs_process_descriptor(number) }).map { Descriptor($0) }
      }
      var waited = pollfd(fd: first?.number ?? -1, events: Int16(POLLIN), revents: 0)
      if first != nil { _ = try? systemCall { unsafe poll(&waited, 1, patience) } }
      kill(getpid(), SIGTERM)
    }
  }

  /// In milliseconds. A process that the kernel cannot end delays the unmount no longer than this.
  private static let patience: CInt = 30_000
}
