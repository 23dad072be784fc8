internal import CSession
internal import Glibc
internal import System
internal import SystemPackage

/// Sets up the mounts of a private session, in a separate mount namespace.
struct SessionView {
  /// Why a step failed.
  struct Failure: Error, Equatable {
    /// The step, as the beginning of a sentence.
    var action: String
    var error: Errno
    /// Whether the overlay failed.
    var isOverlay = false
  }

  let isInUserNamespace: Bool
  private var copies: [FilePath: Descriptor] = [:]
  private var lower: Descriptor?
  private var memory: Descriptor?
  private var folders = 0

  init(isInUserNamespace: Bool) { self.isInUserNamespace = isInUserNamespace }

  mutating func make(_ plan: SessionPlan) throws(Failure) {
    for step in plan.steps {
      do throws(Errno) {
        try take(step)
      } catch {
        let isOverlay = if case .overlay = step { true } else { false }
        throw Failure(action: Self.action(step), error: error, isOverlay: isOverlay)
      }
    }
  }

  private mutating func take(_ step: SessionStep) throws(Errno) {
    switch step {
    case .copy(let path, let isFrozen): try copy(path, isFrozen: isFrozen)
    case .keepLower(let path): lower = try Self.place(path)
    case .freeze: try systemCall { agonyfs_view_freeze() }
    case .memory(let path):
      try unsafe path.call { unsafe agonyfs_mount_memory($0) }
      memory = try Self.place(path)
    case .empty(let path, let isShared): try show(folder(mode: isShared ? 0o1777 : 0o700), at: path)
    case .overlay(let path): try coverHome(path)
    case .show(let path, let target):
      guard let tree = copies[path] else { return }
      try makePlace(target, like: tree)
      try show(tree, at: target)
    case .processes: try systemCall { unsafe agonyfs_mount_processes("/proc") }
    }
  }

  private mutating func copy(_ path: FilePath, isFrozen: Bool) throws(Errno) {
    do throws(Errno) {
      let tree = Descriptor(try unsafe path.call { unsafe agonyfs_tree_copy(-1, $0) })
      if isFrozen { try systemCall { agonyfs_tree_freeze(tree.number) } }
      copies[path] = tree
    } catch {
      // A dead mount and a socket that has disappeared are skipped.
      guard isFrozen || error == .noSuchFileOrDirectory else { throw error }
    }
  }

  /// Covers the home directory with an overlay whose changes go to memory.
  private mutating func coverHome(_ path: FilePath) throws(Errno) {
    guard let lower, let memory else { return }
    let names = ["upper", "work"]
    for name in names { try systemCall { unsafe mkdirat(memory.number, name, 0o700) } }
    let upper = try Descriptor.open(names[0], in: memory, O_RDONLY | O_DIRECTORY)
    let work = try Descriptor.open(names[1], in: memory, O_RDONLY | O_DIRECTORY)
    var status = stat()
    try systemCall { unsafe fstat(lower.number, &status) }
    // Only root can change the owner; others keep their own.
    _ = fchown(upper.number, status.st_uid, status.st_gid)
    try systemCall { fchmod(upper.number, status.st_mode & 0o7777) }
    try makeDirectories(path)
    try unsafe path.call { path in
      unsafe agonyfs_mount_overlay(path, lower.number, upper.number, work.number, isInUserNamespace)
    }
  }

  /// Makes a directory in memory and returns a copy of its mount.
  private mutating func folder(mode: mode_t) throws(Errno) -> Descriptor {
    guard let memory else { throw .noSuchFileOrDirectory }
    folders += 1
    let name = "\(folders)"
    try systemCall { unsafe mkdirat(memory.number, name, 0o700) }
    try systemCall { unsafe fchmodat(memory.number, name, mode, 0) }
    return Descriptor(try systemCall { unsafe agonyfs_tree_copy(memory.number, name) })
  }

  private func show(_ tree: Descriptor, at path: FilePath) throws(Errno) {
    var status = stat()
    try systemCall { unsafe fstat(tree.number, &status) }
    if status.st_mode & S_IFMT == S_IFDIR { try makeDirectories(path) }
    try unsafe path.call { unsafe agonyfs_tree_show(tree.number, $0) }
  }

  /// Makes the file or directory to mount at, if it is missing: in memory, since everything else is read-only.
  private func makePlace(_ path: FilePath, like tree: Descriptor) throws(Errno) {
    var status = stat()
    try systemCall { unsafe fstat(tree.number, &status) }
    guard status.st_mode & S_IFMT != S_IFDIR else { return }
    try makeDirectories(path.removingLastComponent())
    if path.resolved != nil { return }
    let file = try unsafe path.call { unsafe open($0, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }
    close(file)
  }

  private func makeDirectories(_ path: FilePath) throws(Errno) {
    if SessionHost.directory(path) != nil { return }
    if path.lastComponent != nil { try makeDirectories(path.removingLastComponent()) }
    try unsafe path.call { unsafe mkdir($0, 0o700) }
  }

  private static func place(_ path: FilePath) throws(Errno) -> Descriptor {
    Descriptor(try unsafe path.call { unsafe open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
  }

  private static func action(_ step: SessionStep) -> String {
    switch step {
    case .copy(let path, _): "copying the mount of \(path)"
    case .keepLower(let path): "opening \(path)"
    case .freeze: "making everything read-only"
    case .memory(let path), .empty(let path, _): "covering \(path)"
    case .overlay(let path): "laying an overlay over \(path)"
    case .show(_, let path): "mounting \(path)"
    case .processes: "hiding other processes"
    }
  }
}
