// Which files threads look at, and which wait since another with the same content is looked at.
//
// Invariants
// 1. At most one thread looks at a file at a time. It adds the file before it gives the lock back for it, and removes it
//    when it is done with it, whatever came of it.
// 2. No two files in `looks` have the same hash in `hashes`, so a content of which a hash is known first is decoded once.
// 3. A file in `waiting` has the hash of a file in `hashes`, and its content has not changed since it was hashed. Its row
//    is still that of a file to look at. It comes up again when that other file is done with, or when its content changes.
// 4. `waiting` has at most `mostWaiting` entries. What comes then is decoded as if its content were no other's.

internal import Vault

/// The files that threads look at, under the file system's lock.
struct FilesUnderWay {
  /// How many files wait for one with the same content, at most: whoever takes the next file passes over all of them.
  static let mostWaiting = 256

  private var looks: Set<InodeNumber> = []
  /// The hash that a file in `looks` has reserved: its own, once it is known.
  private var hashes: [InodeNumber: [UInt8]] = [:]
  /// Files that are put aside, with their hashes.
  private var waiting: [InodeNumber: [UInt8]] = [:]

  /// Whether no thread looks at a file.
  var isEmpty: Bool { looks.isEmpty }
  /// How many files wait for one with the same content.
  var waitingCount: Int { waiting.count }

  /// Whether a file can be looked at now.
  func isFree(_ number: InodeNumber) -> Bool { !looks.contains(number) && waiting[number] == nil }

  /// A thread looks at a file that is free.
  mutating func begin(_ number: InodeNumber) { looks.insert(number) }

  /// Reserves a hash for a file that is looked at. False when another file that is looked at has it: this one waits then.
  mutating func reserve(_ hash: [UInt8], for number: InodeNumber) -> Bool {
    if !hashes.values.contains(hash) {
      hashes[number] = hash
      return true
    }
    if waiting.count >= Self.mostWaiting { return true }
    waiting[number] = hash
    return false
  }

  /// A file's content has changed: it waits for nothing.
  mutating func noteChange(of number: InodeNumber) { waiting[number] = nil }

  /// The thread that looked at a file is done with it. What waited for its hash is free.
  mutating func end(_ number: InodeNumber) {
    looks.remove(number)
    guard let hash = hashes.removeValue(forKey: number), !waiting.isEmpty else { return }
    waiting = waiting.filter { $0.value != hash }
  }
}
