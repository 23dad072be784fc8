internal import CSession
internal import Crypto
internal import Glibc
internal import Mount
internal import System
internal import SystemPackage

/// A session without namespaces: the space is mounted where other processes see it, and the environment asks programs
/// to keep their files in it.
struct RedirectedSession {
  /// The folder in the space for the files that programs keep.
  static let folder = ".run"

  /// What to mount. Without a mount point, a temporary one is made.
  var request: MountRequest
  let runtime: FilePath?

  /// Runs the program to its end; all changes are durable on return.
  ///
  /// - Throws: `CommandFailure` if the program could not be started, or not everything could be written.
  func run(_ password: consuming Password) throws -> ProgramEnding {
    let base = try makeBase()
    defer { Self.remove(base) }
    var request = request
    request.session = .visible
    if request.mountPoint.isEmpty {
      request.mountPoint = base.appending("Albums")
      request.session = .temporary
      try Self.make(request.mountPoint)
    }
    let point = try MountPoint.check(request.mountPoint, options: request.options, vault: request.vault)
    (request.mountPoint, request.directory) = (point.path, point.directory)
    let server = try SessionServer(request)
    try server.mount(password)
    let kept = request.options.isReadOnly ? base.appending("files") : request.mountPoint.appending(Self.folder)
    let ending = try run(server, request.mountPoint, keeping: kept, runtimeFolder: base.appending("runtime"))
    agonyfs_terminal_take_back()
    try server.finish()
    return ending
  }

  private func run(
    _ server: SessionServer, _ mountPoint: FilePath, keeping kept: FilePath, runtimeFolder: FilePath
  ) throws -> ProgramEnding {
    try Self.make(kept)
    for (_, folder) in SessionEnvironment.redirected { try Self.make(kept.appending(folder)) }
    try makeRuntime(runtimeFolder)
    let mask = PrivateSession.blockSignals()
    agonyfs_adopt_orphans()
    var program = SessionProgram(words: SessionProgram.ofCommandLine(), directory: mountPoint.bytes)
    program.endsWithParent = true
    _ = unsafe runtimeFolder.withPlatformString { unsafe setenv("XDG_RUNTIME_DIR", $0, 1) }
    var environment = SessionEnvironment(workingDirectory: mountPoint, bus: nil)
    environment.redirect(to: kept)
    environment.apply()
    let bus = SessionBus.start(listensAt: "unix:path=\(runtimeFolder)/bus", like: program, mask)
    environment = SessionEnvironment(workingDirectory: mountPoint, bus: bus)
    environment.redirect(to: kept)
    environment.apply()
    let child = program.start(mask)
    guard child > 0 else { throw CommandFailure(Errno.current, doing: "starting the program") }
    var processes = SessionProcesses(program: child, server: server.process.identifier)
    let ending = processes.waitForProgram()
    processes.endOthers()
    return ending
  }

  /// Makes a directory in memory that only this user can enter.
  private func makeBase() throws -> FilePath {
    let parent = runtime?.string ?? "/dev/shm"
    var template = Array("\(parent)/agonyfs-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else {
      throw CommandFailure(Errno.current, doing: "making a directory in \(parent)")
    }
    return FilePath(platformString: template)
  }

  private static func make(_ folder: FilePath) throws {
    do throws(Errno) {
      try unsafe folder.call { unsafe mkdir($0, 0o700) }
    } catch {
      if error != .fileExists { throw CommandFailure(error, doing: "making \(folder)") }
    }
  }

  /// Makes a runtime directory for the session, with links to the sockets of Wayland and sound, but of no other
  /// services.
  private func makeRuntime(_ folder: FilePath) throws {
    try Self.make(folder)
    guard let runtime else { return }
    let display = unsafe getenv("WAYLAND_DISPLAY").map { unsafe String(cString: $0) } ?? "wayland-0"
    for name in [display, "pipewire-0", "pulse"] where !name.contains("/") {
      _ = unsafe symlink("\(runtime)/\(name)", "\(folder)/\(name)")
    }
  }

  /// Removes a session's directory and all files that programs left in it. A file system mounted in it stays.
  static func remove(_ base: FilePath) {
    let words = ["rm", "-rf", "--one-file-system", "--"].map { Array($0.utf8) }
    _ = try? ChildProcess.run("/bin/rm", words: words + [base.bytes], errorLimit: 0)
  }
}
