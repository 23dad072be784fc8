// Invariants
// 1. All mounts are created, found and removed in one queue, so a mount that is found is not about to be removed.
// 2. A mount of this program is removed with its last session. A mount that existed before is used only after a browser
//    has proven a password of its space, and is never removed.
// 3. This class stores no passwords and no keys.

internal import Dispatch
internal import Identity
internal import WebAccess

/// The mounts that sessions use.
final class Spaces: @unchecked Sendable {
  // The queue guards all mutable state.
  private let queue = DispatchQueue(label: "agonyfs-web.spaces")
  private var users: [ObjectIdentifier: (mount: SpaceMount, count: Int)] = [:]
  private var isOver = false

  private let program: AgonyfsProgram
  private let vault: String
  private let given: SpaceMount?
  private let options: [String]
  private let idle: Int
  private let folder: PrivateFolder

  /// - Parameters:
  ///   - given: The mount that is shown; nil if passwords choose among the spaces of the vault.
  ///   - idle: The seconds without use after which a mount ends by itself, in case this program is killed.
  init(
    _ program: AgonyfsProgram, vault: String, given: SpaceMount?, options: [String], idle: Int, folder: PrivateFolder
  ) {
    (self.program, self.vault, self.given, self.options) = (program, vault, given, options)
    (self.idle, self.folder) = (idle, folder)
  }

  /// The mount of the space that a password opens. Call `release` when done.
  func open(_ password: PasswordBuffer) async -> AgonyfsProgram.Outcome<SpaceMount> {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.find(password)) }
    }
  }

  /// The given mount, without a password; nil if it is gone. Call `release` when done.
  func openGiven() async -> SpaceMount? {
    await withCheckedContinuation { continuation in
      queue.async {
        let mount = self.isOver ? nil : self.given.flatMap { RootDirectory.isMounted($0.root) ? $0 : nil }
        continuation.resume(returning: mount.map { self.use($0) })
      }
    }
  }

  /// Releases the mount of a session that has ended. After the last one, returns when the mount is removed.
  func release(_ mount: SpaceMount) async {
    await withCheckedContinuation { continuation in
      queue.async {
        self.leave(mount)
        continuation.resume()
      }
    }
  }

  /// Removes all mounts of this program and their folder. Nothing can be mounted after that.
  ///
  /// - Returns: The mounts that could not be removed, and why.
  func end() -> [String] {
    program.stop()
    return queue.sync {
      isOver = true
      users = [:]
      return folder.remove(program)
    }
  }

  private func find(_ password: PasswordBuffer) -> AgonyfsProgram.Outcome<SpaceMount> {
    guard !isOver else { return .failed("The server is ending.") }
    if let given {
      guard RootDirectory.isMounted(given.root) else {
        return .failed("The space at \(OneLine.safe(given.path)) is not mounted.")
      }
      switch program.prove(vault, root: given.root, password: password) {
      case .success: return .success(use(given))
      // A space that is not shown here must look like a wrong password, even if it is damaged.
      case .wrong, .inUse: return .wrong
      case .failed(let reason):
        Output.note(reason)
        return .wrong
      }
    }
    guard let directory = try? folder.makeDirectory() else {
      return .failed("No directory for the mount could be made in \(folder.path).")
    }
    let outcome = program.mount(vault, at: directory, options: options, idle: idle, password: password)
    if case .success(.here) = outcome, let mount = try? SpaceMount(at: directory, isOwn: true) {
      return .success(use(mount))
    }
    // A failed command may still have mounted the space.
    remove(directory)
    switch outcome {
    case .success(.here): return .failed("The space is not mounted any more.")
    case .success(.elsewhere(let path, server: let server)): return useMounted(path, server)
    case .wrong: return .wrong
    case .failed(let reason): return .failed(reason)
    case .inUse: return .inUse
    }
  }

  /// Uses an existing mount of this user, if it is served by the same process as when the password was proven.
  /// Otherwise another mount may have replaced it.
  private func useMounted(_ path: String, _ server: [UInt8]) -> AgonyfsProgram.Outcome<SpaceMount> {
    // A mount of this program that could not be removed is still in the folder.
    let isOwn = path.hasPrefix(folder.path + "/")
    guard let mount = try? SpaceMount(at: path, isOwn: isOwn), let device = mount.device,
      RootDirectory.isOfThisUser(device), RootDirectory.server(of: mount.root) == server
    else { return .inUse }
    let known = users.values.first { $0.mount.device == device }
    return .success(use(known?.mount ?? mount))
  }

  private func use(_ mount: SpaceMount) -> SpaceMount {
    users[ObjectIdentifier(mount), default: (mount, 0)].count += 1
    return mount
  }

  private func leave(_ mount: SpaceMount) {
    let key = ObjectIdentifier(mount)
    guard let count = users[key]?.count else { return }
    if count > 1 {
      users[key]?.count = count - 1
    } else {
      users[key] = nil
      if mount.isOwn { remove(mount.path) }
    }
  }

  private func remove(_ directory: String) {
    guard let reason = PrivateFolder.removeDirectory(directory, program) else { return }
    Output.note("A space could not be unmounted from \(directory): \(reason)")
  }
}
