internal import Albums
internal import CPlatform
internal import Client
internal import Glibc
internal import Mount
internal import Synchronization
internal import System
internal import SystemPackage
internal import Vault

/// The mount of a space that cannot be opened because it is in use.
struct MountedElsewhere: Sendable {
  let place: FilePath
  /// The process that serves the mount.
  private let server: [UInt8]?

  /// Searches the table of mounts for the space and proves each candidate with its keys; nil if none is its mount.
  ///
  /// - Parameter vault: the path of its vault.
  private static func find(_ space: Space, ofVault vault: FilePath) -> MountedElsewhere? {
    for place in SpacePlace.places(ofVault: vault) {
      if let found = proven(space, at: place) { return found }
    }
    // The table may name the vault or the mount by another path.
    for mounted in MountedSpace.all() {
      if let found = proven(space, at: FilePath(bytes: mounted.path)) { return found }
    }
    return nil
  }

  private static func proven(_ space: Space, at place: FilePath) -> MountedElsewhere? {
    guard let root = try? Descriptor.open(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
      SpaceProof.isMount(root, of: space)
    else { return nil }
    return MountedElsewhere(place: place, server: SpaceProof.server(of: root))
  }

  /// How long a mount may take to answer, in nanoseconds.
  private static let patience: UInt64 = 3_000_000_000
  /// How long opening the space may take, in nanoseconds.
  private static let openingPatience: UInt64 = 20_000_000_000

  /// The mount's place, after the mount has flushed its changes. Nil if it cannot flush or does not answer in time.
  static func writtenPlace(of space: Space, ofVault vault: FilePath) -> FilePath? {
    soon {
      guard let found = find(space, ofVault: vault) else { return nil }
      do throws(Errno) { try OwnerRequest.write.send(to: found.place) } catch {
        // A read-only mount has nothing to flush.
        guard error == .readOnlyFileSystem else { return nil }
      }
      return found
    }?.place
  }

  /// Runs a search with a time limit, because a hung mount can block it; nil if it takes longer.
  private static func soon(
    within limit: UInt64 = MountedElsewhere.patience, _ find: @escaping @Sendable () -> MountedElsewhere?
  ) -> MountedElsewhere? {
    let lock = Lock()
    let changed = Condition(of: lock)
    let answer = Mutex<(isThere: Bool, found: MountedElsewhere?)>((false, nil))
    // A hung thread is abandoned.
    let thread = try? Thread {
      let found = find()
      lock.withLock {
        answer.withLock { $0 = (true, found) }
        changed.signal()
      }
    }
    guard thread != nil else { return nil }
    let deadline = preciseMonotonicTime() + limit
    lock.lock()
    defer { lock.unlock() }
    while !answer.withLock({ $0.isThere }), changed.wait(until: deadline) {}
    return answer.withLock { $0.found }
  }

  /// The mount of the space that a password's slots open. Nil if this user has none that answers in time.
  ///
  /// The space is opened only if it may be mounted here. While another machine writes it, a read of its files may never
  /// end on some hosts, such as ceph-fuse 16.
  static func find(_ slots: [SlotKey], _ vault: Vault, at path: FilePath) -> MountedElsewhere? {
    soon(within: openingPatience) {
      guard mayBeMounted(path),
        let space = try? SpaceManager.openSpace(in: vault, slots: slots, observing: true)
      else { return nil }
      return soon { find(space, ofVault: path) }
    }
  }

  /// Whether this user may have mounted a space of a vault. The table of mounts may name the vault by another path, or
  /// something else instead.
  private static func mayBeMounted(_ vault: FilePath) -> Bool {
    guard let own = directory(vault) else { return true }
    return MountedSpace.all().contains { mounted in
      guard let named = mounted.vault, named != vault.bytes, let other = directory(FilePath(bytes: named)) else {
        return true
      }
      return (own.st_dev, own.st_ino) == (other.st_dev, other.st_ino)
    }
  }

  /// The status of a directory; nil if there is none.
  private static func directory(_ path: FilePath) -> stat? {
    try? Descriptor.open(path, agonyfs_path_flag() | O_DIRECTORY).status()
  }

  var failure: CommandFailure {
    CommandFailure(.spaceInUse, "This space is in use: it is mounted \(Self.words(place)).")
  }

  /// Prints the place, byte for byte, for programs; users read it in the failure. `withServer` adds a line with the
  /// serving process.
  func tell(withServer: Bool) {
    guard isatty(STDOUT_FILENO) == 0 else { return }
    Output.line(place)
    if withServer { Output.line(String(decoding: server ?? [], as: UTF8.self)) }
    // Written now, because the caller waits for this process's end and must have all output by then. An error of the
    // output is ignored: the failure itself matters more.
    try? Output.finish()
  }

  /// A place as `failure` names it.
  static func words(_ place: FilePath) -> String { "at \(TerminalText.safe(place.bytes))" }
}
