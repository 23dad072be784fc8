internal import Albums
internal import Client
internal import Crypto
internal import Glibc
internal import Mount
internal import Synchronization
internal import System
internal import SystemPackage
internal import Vault

/// Where a space is that cannot be opened because it is in use.
enum MountedElsewhere {
  /// A place in the table of mounts where a space is mounted, proven with its keys; nil if there is none.
  ///
  /// - Parameter vault: the path of its vault.
  static func place(of space: Space, ofVault vault: FilePath) -> FilePath? {
    SpacePlace.places(ofVault: vault).first { place in
      guard let root = try? Descriptor.open(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) else { return false }
      return SpaceProof.isMount(root, of: space)
    }
  }

  /// How long a mount has to answer, in nanoseconds.
  private static let patience: UInt64 = 3_000_000_000

  /// The same, after the mount has written what was done in the space; nil also if it cannot, or does not answer soon.
  static func writtenPlace(of space: Space, ofVault vault: FilePath) -> FilePath? {
    soon {
      guard let place = place(of: space, ofVault: vault) else { return nil }
      do throws(Errno) { try OwnerRequest.write.send(to: place) } catch {
        // One that is read-only has nothing to write.
        guard error == .readOnlyFileSystem else { return nil }
      }
      return place
    }
  }

  /// What `find` finds; nil also if it takes long, as a mount may that hangs.
  private static func soon(_ find: @escaping @Sendable () -> FilePath?) -> FilePath? {
    let lock = Lock()
    let changed = Condition(of: lock)
    let answer = Mutex<(isThere: Bool, place: FilePath?)>((false, nil))
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
    return answer.withLock { $0.place }
  }

  /// Says that the space of a password is in use, and where.
  static func failure(_ password: borrowing Password, _ vault: Vault, at path: FilePath) -> any Error {
    guard let space = try? SpaceManager.openSpace(in: vault, password: password, observing: true),
      let place = soon({ place(of: space, ofVault: path) })
    else { return VaultError.spaceInUse }
    return CommandFailure(.spaceInUse, "This space is in use: it is mounted \(words(place)).")
  }

  /// A place as `failure` names it.
  static func words(_ place: FilePath) -> String { "at \(TerminalText.safe(place.bytes))" }
}
