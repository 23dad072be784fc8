// The files that threads look at, and those that wait because another file with the same content is being looked at.
//
// Invariants
// 1. At most one thread looks at a file at a time. It adds the file before it releases the lock to look at it, and
//    removes the file when it is done, whatever the result.
// 2. No two files in `looks` have the same hash in `hashes`, so a content that is hashed first is decoded once.
// 3. A file in `waiting` has the hash of a file in `hashes`, and its content has not changed since it was hashed. Its
//    row still says that it must be looked at. Its turn comes when the other file is done, or when its own content
//    changes.
// 4. `waiting` has at most `mostWaiting` entries. A file beyond that is decoded, as if its content were unique.

internal import Vault

/// The files that threads look at, guarded by the file system's lock.
struct FilesUnderWay {
  /// Files that may wait for another with the same content, at most: a thread that takes the next file passes over
  /// all of them.
  static let mostWaiting = 256

  private var looks: Set<InodeNumber> = []
  /// The hash that a file in `looks` has reserved: its own, once it is known.
  private var hashes: [InodeNumber: [UInt8]] = [:]
  /// Files that wait, with their hashes.
  private var waiting: [InodeNumber: [UInt8]] = [:]

  /// Whether no thread looks at a file.
  var isEmpty: Bool { looks.isEmpty }
  /// The number of files that wait for another with the same content.
  var waitingCount: Int { waiting.count }

  /// Whether a file can be looked at now.
  func isFree(_ number: InodeNumber) -> Bool { !looks.contains(number) && waiting[number] == nil }

  /// Records that a thread looks at a file. The file must be free.
  mutating func begin(_ number: InodeNumber) { looks.insert(number) }

  /// Reserves a hash for a file that is being looked at. False if another such file has reserved it; this file then
  /// waits.
  mutating func reserve(_ hash: [UInt8], for number: InodeNumber) -> Bool {
    if !hashes.values.contains(hash) {
      hashes[number] = hash
      return true
    }
    if waiting.count >= Self.mostWaiting { return true }
    waiting[number] = hash
    return false
  }

  /// Records that a file's content has changed, so that it no longer waits.
  mutating func noteChange(of number: InodeNumber) { waiting[number] = nil }

  /// Records that the thread is done with a file. The files that waited for its hash become free.
  mutating func end(_ number: InodeNumber) {
    looks.remove(number)
    guard let hash = hashes.removeValue(forKey: number), !waiting.isEmpty else { return }
    waiting = waiting.filter { $0.value != hash }
  }
}
