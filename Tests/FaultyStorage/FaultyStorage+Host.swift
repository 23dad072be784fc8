// A host that lacks abilities, as those of networks and of cards do. Each lack is played as `DirectoryStorage` meets it:
//
// - births: all are unknown,
// - unnamedFiles: no room is held without a file; a file that is put always has another name first,
// - allocation: no room is held at all,
// - renameWithoutReplacing and hardLinks together: a file that is put takes the place of an empty one,
// - locks: no lease is granted,
// - seconds: modification times are even numbers of seconds.
//
// The others change nothing that a storage does with segment files.

package import Storage
internal import System
internal import SystemPackage

extension FaultyStorage {
  /// Has the host lack these abilities, too. What a power cut leaves is on the same host, a copy is not.
  package func lack(_ abilities: Set<HostAbility>) { lock.withLock { lacking.formUnion(abilities) } }

  /// Whether the host lacks an ability.
  package func lacks(_ ability: HostAbility) -> Bool { lock.withLock { lacking.contains(ability) } }

  /// Lets no room be held without a file, as a network's file system does.
  package func refuseHolding() { lack([.unnamedFiles]) }

  /// Keeps no births from now on, as a host of a network.
  package func forgetBirths() { lack([.births]) }

  /// The modification time of what is written now, in seconds since 1970.
  var now: Int64 { lacking.contains(.seconds) ? clock() & ~1 : clock() }

  /// Flushes a file and gives it its name: one operation, or three. Lock held.
  func giveName(of identifier: SegmentIdentifier, to temporary: SegmentIdentifier) throws(Errno) {
    let isCut = try begin()
    if let file = files[temporary] {
      file.flushedCount = file.content.count
      file.markComplete()
      note(.flush(temporary))
    }
    if lacking.isSuperset(of: [.renameWithoutReplacing, .hardLinks]) {
      try end(isCut: isCut)
      return try replaceEmptyFile(identifier, by: temporary)
    }
    if !isCut { rename(temporary, to: identifier) }
    try end(isCut: isCut)
  }

  /// Makes an empty file, which keeps others from the name, and then replaces it. If the rename fails, nothing has the
  /// name.
  private func replaceEmptyFile(
    _ identifier: SegmentIdentifier, by temporary: SegmentIdentifier
  ) throws(Errno) {
    let isCutBefore = try begin()
    files[identifier] = newFile()
    files[identifier]?.modified = now
    note(.create(identifier))
    try end(isCut: isCutBefore)
    do throws(Errno) {
      let isCut = try begin()
      if !isCut { rename(temporary, to: identifier) }
      try end(isCut: isCut)
    } catch {
      if !isCut { remove(identifier) }
      throw error
    }
  }

  private func rename(_ old: SegmentIdentifier, to new: SegmentIdentifier) {
    guard let file = files.removeValue(forKey: old) else { return }
    files[new] = file
    note(.rename(old, to: new))
  }

  /// Deletes a file whose name was never flushed. Lock held.
  func remove(_ identifier: SegmentIdentifier) {
    if files.removeValue(forKey: identifier) != nil { note(.delete(identifier)) }
  }
}
