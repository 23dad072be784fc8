internal import Glibc
internal import Mount
internal import System
internal import SystemPackage

/// The directories and sockets of this machine that matter to a private session.
struct SessionHost {
  /// Directories in which all users may write.
  static let sharedMemory: [FilePath] = ["/tmp", "/var/tmp", "/dev/shm"]
  /// Directories with the sockets of the system bus and of the system log.
  private static let services = ["/run/dbus", "/run/systemd/journal"]
  /// Candidates for the serving process's mount; few programs need any of them.
  private static let stages: [FilePath] = ["/dev/shm", "/mnt", "/srv", "/media", "/opt", "/var/tmp", "/tmp"]

  /// The home directory without symbolic links; nil if there is none.
  let home: FilePath?
  /// The runtime directory without symbolic links; nil if there is none.
  let runtime: FilePath?
  private let environment: (String) -> FilePath?

  /// The host of this process. `HOME` is used even if another user owns it.
  init() {
    self.init { name in unsafe getenv(name).map { unsafe FilePath(platformString: $0) } }
  }

  /// - Parameter environment: returns the value of a variable.
  init(environment: @escaping (String) -> FilePath?) {
    self.environment = environment
    home = environment("HOME").flatMap(Self.directory)
    let usual = FilePath("/run/user/\(geteuid())")
    runtime = Self.directory(environment("XDG_RUNTIME_DIR") ?? usual)
  }

  /// Decides the places of a session.
  ///
  /// - Parameters:
  ///   - album: where to show the space; nil for the usual place.
  ///   - kept: absolute paths of directories that stay the real ones.
  ///   - needed: other paths that the serving process uses.
  func places(album: FilePath?, kept: [FilePath], needed: [FilePath]) throws(CommandFailure) -> SessionPlaces {
    let root: FilePath = "/"
    // An overlay over the root directory would hide what the session needs.
    let covered = home == root ? nil : home
    var vanishing = Self.sharedMemory.compactMap { Self.directory($0) }
    if let runtime, runtime != root { vanishing.append(runtime) }
    vanishing = vanishing.reduce(into: []) { list, path in if !list.contains(path) { list.append(path) } }
    let needed = needed + kept + [covered].compactMap(\.self)
    guard let stage = SessionPlaces.stage(among: Self.stages.compactMap { Self.directory($0) }, needed: needed) else {
      throw CommandFailure(.failure, "The session finds no directory for its mount; make /mnt.")
    }
    let mounts = covered.map { MountedPlaces.below($0.bytes) } ?? []
    return SessionPlaces(
      home: covered, vanishing: vanishing, hidden: Self.services.compactMap { Self.directory(FilePath($0)) },
      sockets: sockets(in: vanishing), kept: kept, mounts: mounts.map { FilePath(bytes: $0) },
      source: stage.appending("agonyfs"), album: try Self.album(album, home: covered))
  }

  /// The sockets of Wayland, X11, PipeWire and PulseAudio that lie in the directories replaced by memory.
  private func sockets(in vanishing: [FilePath]) -> [FilePath] {
    var sockets: [FilePath] = ["/tmp/.X11-unix"]
    if let key = environment("XAUTHORITY") { sockets.append(key) }
    if let runtime {
      let display = environment("WAYLAND_DISPLAY") ?? "wayland-0"
      sockets.append(runtime.pushing(display))
      sockets += ["pipewire-0", "pulse/native"].map { runtime.appending($0) }
    }
    return sockets.compactMap(\.resolved).filter { path in vanishing.contains { path.starts(with: $0) } }
  }

  /// Where to show the space: `Albums` in the home directory unless a place is given.
  private static func album(_ given: FilePath?, home: FilePath?) throws(CommandFailure) -> FilePath {
    let path = given.map(AbsolutePath.of) ?? (home ?? "/tmp").appending("Albums")
    guard let name = path.lastComponent, name.kind == .regular else {
      throw CommandFailure(.usage, "The space cannot be shown at \(path); choose another place with --at.")
    }
    if let existing = path.resolved {
      guard directory(existing) != nil else {
        throw CommandFailure(.mountPointUnusable, "\(path) is not a directory; choose another place with --at.")
      }
      return existing
    }
    guard let parent = path.removingLastComponent().resolved else {
      throw CommandFailure(
        .mountPointUnusable,
        "The directory \(path.removingLastComponent()) does not exist; choose another place with --at.")
    }
    return parent.appending(name)
  }
}

extension SessionHost {
  /// Resolves the path of a directory; nil if it is not an absolute path to a directory.
  static func directory(_ path: FilePath) -> FilePath? {
    guard path.isAbsolute, let found = path.resolved, Directory.exists(at: found) else { return nil }
    return found
  }
}
