// Invariants
// 1. A checksum that is remembered is that of the bytes that the file has while its size, inode and change time are the
//    same. Every change sets the change time to the time of the change; so a file counts only if it had not been changed
//    for some seconds when it was read, because a later change could have the same time in the steps of the host.
// 2. The change times are those of this machine: another one that writes to the same files may have another clock. So it
//    is for local hosts only.

internal import ObjectStore
internal import Storage
internal import Synchronization
internal import System

/// The checksums of a vault's files, so that several runs of one process read only what was changed in between.
package final class SyncMemory: Sendable {
  /// Seconds since the last change of a file that is remembered.
  private static let leastAge: Int64 = 5

  private struct Known: Sendable {
    let stamp: FileStamp
    let md5: [UInt8]
  }

  private let files = Mutex<[SegmentIdentifier: Known]>([:])

  /// Nothing is remembered yet.
  package init() {}

  /// Whether a file is the same as when its MD5 was this one.
  func has(_ identifier: SegmentIdentifier, _ stamp: FileStamp, md5: [UInt8]) -> Bool {
    files.withLock { files in
      guard let known = files[identifier] else { return false }
      return known.stamp == stamp && known.md5 == md5
    }
  }

  /// Remembers a content that was read now.
  ///
  /// - Parameter stamp: the facts of the file from before it was read.
  func note(_ identifier: SegmentIdentifier, _ stamp: FileStamp, _ content: HashedContent, now: Int64) {
    let isOld = stamp.changed < (now - Self.leastAge) * 1_000_000_000
    guard isOld, stamp.size == content.bytes.count, let md5 = content.md5 else { return }
    files.withLock { $0[identifier] = Known(stamp: stamp, md5: md5) }
  }

  /// Forgets all files that a vault does not have.
  func keep(_ present: [SegmentIdentifier: CopyEntry]) {
    files.withLock { $0 = $0.filter { present[$0.key] != nil } }
  }
}

/// A vault whose files are remembered when they are read.
final class RememberedSource: SyncSource {
  private let source: any SyncSource
  private let memory: SyncMemory

  init(_ source: any SyncSource, _ memory: SyncMemory) { (self.source, self.memory) = (source, memory) }

  var place: String { source.place }
  var keepsChecksums: Bool { source.keepsChecksums }
  var isUnfinished: Bool { source.isUnfinished }
  func stop() { source.stop() }
  func readParameters() throws(CopyError) -> [UInt8]? { try source.readParameters() }
  func readTokens() throws(CopyError) -> SyncTokens { try source.readTokens() }

  func knows(_ identifier: SegmentIdentifier, listed: CopyEntry, like there: CopyEntry) -> Bool {
    guard let md5 = there.md5, let stamp = source.stamp(of: identifier) else { return false }
    return stamp.size == listed.size && there.size == listed.size && memory.has(identifier, stamp, md5: md5)
  }

  func changeTokens(_ change: (inout SyncTokens) -> Void) throws(CopyError) { try source.changeTokens(change) }

  func countWithoutFolder(_ identifiers: Set<SegmentIdentifier>) throws(CopyError) -> Int {
    try source.countWithoutFolder(identifiers)
  }

  func list() throws(CopyError) -> [SegmentIdentifier: CopyEntry] {
    let files = try source.list()
    memory.keep(files)
    return files
  }

  func entry(_ identifier: SegmentIdentifier, listed: CopyEntry) throws(CopyError) -> CopyEntry? {
    try source.entry(identifier, listed: listed)
  }

  func read(_ identifier: SegmentIdentifier, listed: CopyEntry?) throws(CopyError) -> HashedContent? {
    let stamp = source.stamp(of: identifier)
    let now = timeOfDay().seconds
    let content = try source.read(identifier, listed: listed)
    if let stamp, let content { memory.note(identifier, stamp, content, now: now) }
    return content
  }
}
