// A storage in memory that fails on purpose.
//
// It keeps what was written and what was flushed apart. `powerCut(seed:)` gives the storage that a machine may find after the power went: what was
// flushed is there; of the rest each file keeps a prefix of chance length, perhaps with garbage at its end; names that were not flushed may
// be missing, and deleted names that were not flushed may be back.

package import Storage
package import SystemPackage
internal import Vault

/// A small generator with a seed, so that a failure can be repeated.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64
  /// Begins with a seed.
  package init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }
  /// The next number (SplitMix64).
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}

/// What goes wrong, and when.
package enum Fault: Sendable {
  /// From operation n on nothing works any more, as when the process is killed there; the operation's own write is torn.
  case cut(at: Int)
  /// Operation n fails with this error, once.
  case error(Errno, at: Int)
}

/// Segment files in memory.
package final class FaultyStorage: Storage, @unchecked Sendable {
  final class File: @unchecked Sendable {
    var content: [UInt8] = []
    var flushedCount = 0
    var nameIsFlushed = false
    var isComplete = false
    var isLeased = false
    var held = 0
    let identity: SegmentIdentity
    init(identity: SegmentIdentity) { self.identity = identity }
  }

  let lock = Lock()
  var files: [SegmentIdentifier: File] = [:]
  var deleted: [SegmentIdentifier: File] = [:]
  var operations = 0
  var fault: Fault?
  var isCut = false
  var limit = Int.max
  var births: UInt64 = 0
  /// Whether nothing can be written here.
  package let isReadOnly: Bool

  /// An empty storage.
  package init(isReadOnly: Bool = false) { self.isReadOnly = isReadOnly }

  /// Operations that changed something, or tried to, so far.
  package var operationCount: Int { lock.withLock { operations } }
  /// Sets what goes wrong; operations are counted from the storage's creation.
  package func inject(_ fault: Fault?) { lock.withLock { self.fault = fault } }
  /// Bounds the storage, in bytes.
  package func setLimit(_ bytes: Int) { lock.withLock { limit = bytes } }
  /// All names, sorted.
  package var names: [SegmentIdentifier] {
    lock.withLock { files.keys.sorted { $0.description < $1.description } }
  }
  /// The bytes of a file.
  package func content(_ identifier: SegmentIdentifier) -> [UInt8] {
    lock.withLock { files[identifier]?.content ?? [] }
  }
  /// Changes the bytes of a file, or removes it when `change` gives nil.
  package func tamper(_ identifier: SegmentIdentifier, _ change: ([UInt8]) -> [UInt8]?) {
    lock.withLock {
      guard let file = files[identifier] else { return }
      if let content = change(file.content) { file.content = content } else { files[identifier] = nil }
    }
  }

  /// Ends all leases, as the end of a process does.
  package func killProcess() { lock.withLock { for file in files.values { file.isLeased = false } } }

  /// What is there after the power went.
  package func powerCut(seed: UInt64) -> FaultyStorage {
    var generator = SeededGenerator(seed: seed)
    let after = FaultyStorage()
    lock.lock()
    defer { lock.unlock() }
    after.births = births
    let sorted = { (files: [SegmentIdentifier: File]) in files.sorted { $0.key.description < $1.key.description } }
    for (identifier, file) in sorted(files) {
      if !file.nameIsFlushed && Bool.random(using: &generator) { continue }
      let survivor = File(identity: file.identity)
      let kept = Int.random(in: file.flushedCount...file.content.count, using: &generator)
      survivor.content = Array(file.content[..<kept])
      if kept < file.content.count, Bool.random(using: &generator) {
        let garbage = Int.random(in: 0...min(8192, file.content.count - kept), using: &generator)
        let isZero = Bool.random(using: &generator)
        for _ in 0..<garbage { survivor.content.append(isZero ? 0 : UInt8.random(in: 0...255, using: &generator)) }
      }
      survivor.flushedCount = survivor.content.count
      survivor.nameIsFlushed = true
      survivor.isComplete = file.isComplete
      after.files[identifier] = survivor
    }
    for (identifier, file) in sorted(deleted) where Bool.random(using: &generator) {
      let revived = File(identity: file.identity)
      revived.content = Array(file.content[..<file.flushedCount])
      revived.flushedCount = revived.content.count
      revived.nameIsFlushed = true
      after.files[identifier] = revived
    }
    return after
  }

  /// A copy with other inodes and without what `isLeftOut` names, as a file-by-file backup makes.
  package func copy(leavingOut isLeftOut: (SegmentIdentifier) -> Bool = { _ in false }) -> FaultyStorage {
    let copy = FaultyStorage()
    lock.lock()
    defer { lock.unlock() }
    copy.births = births + 1_000_000
    for (identifier, file) in files where !isLeftOut(identifier) {
      copy.births += 1
      let twin = File(identity: SegmentIdentity(inode: copy.births, bornSeconds: 2, bornNanoseconds: 0))
      twin.content = file.content
      twin.flushedCount = file.content.count
      twin.nameIsFlushed = true
      copy.files[identifier] = twin
    }
    return copy
  }

  /// Counts an operation; call with the lock held. True when this is the operation at which the process ends.
  func begin() throws(Errno) -> Bool {
    if isCut { throw .ioError }
    operations += 1
    switch fault {
    case .cut(at: operations):
      isCut = true
      return true
    case .error(let error, at: operations): throw error
    default: return false
    }
  }

  var used: Int { files.values.reduce(0) { $0 + max($1.content.count, $1.held) } }
}
