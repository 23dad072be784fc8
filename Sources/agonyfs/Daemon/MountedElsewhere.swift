internal import Albums
internal import Client
internal import Glibc
internal import Mount
internal import Synchronization
internal import System
internal import SystemPackage
internal import Vault

/// Where a space is that cannot be opened because it is in use.
struct MountedElsewhere: Sendable {
  /// Where it is mounted.
  let place: FilePath
  /// Which process serves it.
  private let server: [UInt8]?

  /// A place in the table of mounts where a space is mounted, proven with its keys; nil if there is none.
  ///
  /// - Parameter vault: the path of its vault.
  private static func find(_ space: Space, ofVault vault: FilePath) -> MountedElsewhere? {
    for place in SpacePlace.places(ofVault: vault) {
      if let found = proven(space, at: place) { return found }
    }
    // The table calls the vault or the mount by another name.
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

  /// How long a mount has to answer, in nanoseconds.
  private static let patience: UInt64 = 3_000_000_000

  /// The same, after the mount has written what was done in the space; nil also if it cannot, or does not answer soon.
  static func writtenPlace(of space: Space, ofVault vault: FilePath) -> FilePath? {
    soon {
      guard let found = find(space, ofVault: vault) else { return nil }
      do throws(Errno) { try OwnerRequest.write.send(to: found.place) } catch {
        // One that is read-only has nothing to write.
        guard error == .readOnlyFileSystem else { return nil }
      }
      return found
    }?.place
  }

  /// What `find` finds; nil also if it takes long, as a mount may that hangs.
  private static func soon(_ find: @escaping @Sendable () -> MountedElsewhere?) -> MountedElsewhere? {
    let lock = Lock()
    let changed = Condition(of: lock)
    let answer = Mutex<(isThere: Bool, found: MountedElsewhere?)>((false, nil))
    // Left behind if it hangs.
    let thread = try? Thread {
      let found = find()
      lock.withLock {
        answer.withLock { $0 = (true, found) }
        changed.signal()
      }
    }
    guard thread != nil else { return nil }
    let deadline = preciseMonotonicTime() + patience
    lock.lock()
    defer { lock.unlock() }
    while !answer.withLock({ $0.isThere }), changed.wait(until: deadline) {}
    return answer.withLock { $0.found }
  }

  /// Where the space is that the slots of a password open; nil if this user has no mount of it that answers soon.
  static func find(_ slots: [SlotKey], _ vault: Vault, at path: FilePath) -> MountedElsewhere? {
    guard let space = try? SpaceManager.openSpace(in: vault, slots: slots, observing: true) else { return nil }
    return soon { find(space, ofVault: path) }
  }

  /// Says that the space is in use, and where.
  var failure: CommandFailure {
    CommandFailure(.spaceInUse, "This space is in use: it is mounted \(Self.words(place)).")
  }

  /// Prints the place, byte for byte, for programs; people have it in the sentence. `withServer` adds a line with the
  /// process that serves it.
  func tell(withServer: Bool) {
    guard isatty(STDOUT_FILENO) == 0 else { return }
    Output.line(place)
    if withServer { Output.line(String(decoding: server ?? [], as: UTF8.self)) }
    // Whoever waits for this process learns of its end when all is written. The failure counts, not that of the output.
    try? Output.finish()
  }

  /// A place as `failure` names it.
  static func words(_ place: FilePath) -> String { "at \(TerminalText.safe(place.bytes))" }
}
