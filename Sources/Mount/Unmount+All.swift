// Invariants:
// 1. A mount whose process hangs delays the others only for `patience`: each is unmounted in a separate thread.
// 2. However, a mount that another one may depend on waits for the other: its process still writes, and must not be cut
//    off from its vault. A mount never depends on a later one. (The place of a vault may be unknown or wrong, if its
//    directory was moved or the mount has the name of another vault; `patience` covers that as well.)
// 3. A FUSE mount that does not have agonyfs's name has `answerPatience` to say whether it is one; nothing waits longer
//    for it. In that case the result does not say that everything is locked.

internal import Glibc
internal import Synchronization
internal import System
internal import SystemPackage

extension Unmount {
  /// Unmounts all spaces that the calling user mounted in this mount namespace, and keeps no data of their files in the
  /// host's memory. Continues after a failure.
  ///
  /// - Returns: how many spaces were unmounted, and the failures, one for each mount that is left.
  package static func unmountAll(_ manner: Manner) -> (unmounted: Int, failures: [MountError]) {
    var unmounted = 0
    var failures: [MountError] = []
    var done: Set<String> = []
    // When a mount is gone, one that it hid can be reached.
    var isChanged = true
    while isChanged {
      isChanged = false
      let table = MountTable.current()
      var mounts: [OwnMount] = []
      for entry in ownMounts(table) where !done.contains(entry.device) {
        guard let place = table.places(of: entry.device).first,
          !mounts.contains(where: { $0.entry.device == entry.device })
        else { continue }
        mounts.append(OwnMount(entry: entry, place: place))
      }
      for (mount, outcome) in zip(mounts, together(mounts, table, manner)) {
        switch outcome {
        case .success:
          isChanged = true
          unmounted += 1
        // A mount above hides the directory.
        case .failure(.notMounted) where mount.entry.isNamedOurs: break
        case .failure(.notMounted): done.insert(mount.entry.device)
        case .failure(let error):
          done.insert(mount.entry.device)
          failures.append(error)
        }
      }
    }
    for entry in ownMounts(.current()) where entry.isNamedOurs && done.insert(entry.device).inserted {
      let path = String(decoding: entry.path, as: UTF8.self)
      failures.append(.unmountFailed(path: path, reason: "another mount hides it; unmount that one first"))
    }
    return (unmounted, failures)
  }

  /// Whether the calling user has any mount that may be a space.
  package static var mayHaveMounts: Bool { !ownMounts(.current()).isEmpty }

  private struct OwnMount {
    let entry: MountTableEntry
    let place: FilePath

    /// The outcome if it does not answer: it may be an agonyfs mount, or sshfs without a network.
    var withoutAnswer: Result<Void, MountError> {
      .failure(
        .unmountFailed(path: place.string, reason: "it does not answer; if it is not a space, use its own program"))
    }
  }

  /// The FUSE mounts of the calling user, the latest first. Those with another name than agonyfs's must be asked what
  /// they are, and may hang.
  private static func ownMounts(_ table: MountTable) -> [MountTableEntry] {
    table.entries.reversed().filter { $0.isFuse && $0.number(of: "user_id") == geteuid() }
  }

  /// Unmounts all; each waits for the mounts that may depend on it.
  private static func together(
    _ mounts: [OwnMount], _ table: MountTable, _ manner: Manner
  ) -> [Result<Void, MountError>] {
    let vaults = vaults(of: mounts)
    guard let ends = try? mounts.map({ _ in try Descriptor.pipe() }) else {
      return mounts.map { attempt($0.place, manner) }
    }
    let outcomes = Mutex<[Int: Result<Void, MountError>]>([:])
    // The mounts that are known to be agonyfs's.
    let ours = Mutex(Set(mounts.indices.filter { mounts[$0].entry.isNamedOurs }))
    let work = mounts.indices.map { number in
      let before = mounts[..<number].indices.map { other in
        let mayDepend = table.mayDepend(mounts[other].entry, vault: vaults[other], on: mounts[number].entry)
        return (number: other, end: ends[other].reading, mayDepend: mayDepend)
      }
      let (mount, end) = (mounts[number], ends[number].writing)
      return { @Sendable in
        let began = preciseMonotonicTime()
        // Asked first, because others wait for the answer.
        if !mount.entry.isNamedOurs, DaemonQuestion.ask(.identity, of: mount.place, mount.entry) != nil {
          ours.withLock { _ = $0.insert(number) }
        }
        for other in before {
          let isOurs = ours.withLock { $0.contains(other.number) }
          if !other.mayDepend || !isOurs {
            waitForEnd(of: other.end, since: began, other.mayDepend ? answerPatience : patience)
          }
          if other.mayDepend, ours.withLock({ $0.contains(other.number) }) { waitForEnd(of: other.end) }
        }
        let outcome = attempt(mount.place, manner)
        outcomes.withLock { $0[number] = outcome }
        try? end.writeAll([0])
      }
    }
    let began = preciseMonotonicTime()
    for one in work {
      // The latest comes first, so the mounts that it waits for are already on their way. A hung thread is abandoned
      // and ends with this process.
      if (try? Thread(one)) == nil { one() }
    }
    for number in mounts.indices {
      if !ours.withLock({ $0.contains(number) }) { waitForEnd(of: ends[number].reading, since: began, answerPatience) }
      if ours.withLock({ $0.contains(number) }) { waitForEnd(of: ends[number].reading) }
    }
    return outcomes.withLock { found in mounts.indices.map { found[$0] ?? mounts[$0].withoutAnswer } }
  }

  private static func waitForEnd(of mount: Descriptor, since began: UInt64, _ patience: CInt) {
    let passed = CInt(clamping: (preciseMonotonicTime() - began) / 1_000_000)
    waitForEnd(of: mount, max(0, patience - passed))
  }

  /// In milliseconds. Less than logind waits before the machine sleeps.
  private static let patience: CInt = 1000
  /// How long a mount may take to say whether it is agonyfs's, in milliseconds.
  private static let answerPatience: CInt = 3000

  /// The paths of the known vaults without symbolic links, by the number of the mount. The place of a vault on a hung
  /// mount stays unknown.
  private static func vaults(of mounts: [OwnMount]) -> [Int: [UInt8]] {
    guard mounts.count > 1 else { return [:] }
    let lock = Lock()
    let changed = Condition(of: lock)
    let found = Mutex<(vaults: [Int: [UInt8]], open: Int)>(([:], mounts.count))
    for (number, mount) in mounts.enumerated() {
      let source = FilePath(bytes: mount.entry.source)
      // A hung thread is abandoned and ends with this process.
      let thread = try? Thread {
        let path = source.isAbsolute ? CanonicalPath.resolve(source) : nil
        lock.withLock {
          found.withLock { state in
            state.vaults[number] = path?.bytes
            state.open -= 1
          }
          changed.signal()
        }
      }
      if thread == nil { found.withLock { $0.open -= 1 } }
    }
    let deadline = preciseMonotonicTime() + UInt64(patience) * 1_000_000
    lock.lock()
    defer { lock.unlock() }
    while found.withLock({ $0.open }) > 0, changed.wait(until: deadline) {}
    return found.withLock { $0.vaults }
  }

  private static func attempt(_ place: FilePath, _ manner: Manner) -> Result<Void, MountError> {
    Result { () throws(MountError) in try unmount(place, manner, evicts: true) }
  }
}

extension MountTable {
  /// Whether a mount may need an earlier one until its process has ended: because its mount point is inside, or its
  /// vault may be on it.
  ///
  /// - Parameter vault: the path of its vault without symbolic links; nil if it is unknown. The option `fsname` hides
  ///   it.
  func mayDepend(_ mount: MountTableEntry, vault: [UInt8]?, on other: MountTableEntry) -> Bool {
    guard let vault, Self.rest(of: mount.path, below: other.path) == nil else { return true }
    // Of the file systems with the longest path, the last one is visible.
    var holder: Int?
    for (number, entry) in entries.enumerated() where Self.rest(of: vault, below: entry.path) != nil {
      if let holder, entries[holder].path.count > entry.path.count { continue }
      holder = number
    }
    let first = entries.firstIndex { $0.device == other.device }
    guard let holder, let first else { return true }
    return holder >= first || entries[holder].device == other.device
  }

  /// The rest of a path below a directory, empty for the directory itself; nil for any other path.
  static func rest(of path: [UInt8], below directory: [UInt8]) -> [UInt8]? {
    let slash = UInt8(ascii: "/")
    let directory = directory == [slash] ? [] : directory
    guard path.starts(with: directory), path.count == directory.count || path[directory.count] == slash else {
      return nil
    }
    return Array(path[directory.count...])
  }
}
