import Crypto
import FaultyObjects
import FaultyStorage
import ObjectStore
import Storage
import Synchronization
import TestSupport
import Testing

@testable import VaultCopy

/// Runs of one process read only what was changed in between.
@Suite struct SyncMemoryTests {
  /// The files that were read.
  private final class Reads: Sendable {
    private let names = Mutex<Set<SegmentIdentifier>>([])

    func note(_ name: SegmentIdentifier) { _ = names.withLock { $0.insert(name) } }

    /// Those since the last call.
    func take() -> Set<SegmentIdentifier> {
      names.withLock { names in
        let taken = names
        names = []
        return taken
      }
    }
  }

  private let subject: CopySubject
  private let store = MemoryStore()
  private let reads = Reads()

  init() throws { subject = try CopySubject() }

  /// Syncs, and returns the files that were read.
  @discardableResult
  private func sync(_ memory: SyncMemory?, age: Int64 = 3600) throws -> Set<SegmentIdentifier> {
    let source = HookedEnd(subject.end, age: age) { [reads] (name) throws(CopyError) in reads.note(name) }
    var options = SyncOptions()
    options.memory = memory
    try SyncRun(from: source, to: end(store), options).run()
    #expect(try store.content == subject.content)
    return reads.take()
  }

  @Test func onlyWhatWasChangedIsReadAgain() throws {
    let (memory, all) = (SyncMemory(), Set(subject.names))
    #expect(try sync(memory) == all)
    #expect(try sync(memory).isEmpty)
    // Other bytes of the same number, more bytes, the same bytes in another file, and a new file.
    try subject.write(randomBytes(137, seed: 100), to: subject.names[1])
    try subject.write(try subject.storage.content(of: subject.names[2]) + [1, 2, 3], to: subject.names[2])
    try subject.write(try subject.storage.content(of: subject.names[3]), to: subject.names[3])
    try subject.write([1, 2, 3], to: .numbered(1000))
    try subject.storage.delete(subject.names[4])
    #expect(try sync(memory) == Set(subject.names[1...3] + [.numbered(1000)]))
    #expect(try sync(memory).isEmpty)
    // What the bucket has is always compared.
    try store.put(try #require(ObjectKey("segments/" + subject.names[5].path)), [1], ifAbsent: false)
    #expect(try sync(memory) == [subject.names[5]])
    // Without a memory, or with another one.
    #expect(try sync(nil).count == all.count)
    #expect(try sync(SyncMemory()).count == all.count)
  }

  /// The next change may have the same time.
  @Test func whatWasJustChangedIsReadAgain() throws {
    let memory = SyncMemory()
    try sync(memory, age: -3600)
    #expect(try sync(memory, age: -3600) == Set(subject.names))
    let (name, bytes) = (subject.names[1], [UInt8](repeating: 7, count: 3))
    let stamp = FileStamp(size: 3, inode: 1, changed: 1000 * 1_000_000_000)
    let md5 = try #require(NameDigest.md5(bytes))
    for (now, isKnown) in [(Int64(1000), false), (1005, false), (1006, true)] {
      let memory = SyncMemory()
      memory.note(name, stamp, HashedContent(bytes), now: now)
      #expect(memory.has(name, stamp, md5: md5) == isKnown)
      #expect(!memory.has(name, stamp, md5: [UInt8](repeating: 0, count: 16)))
      for field in 0..<3 {
        var other = stamp
        if field == 0 { other.size += 1 } else if field == 1 { other.inode += 1 } else { other.changed += 1 }
        #expect(!memory.has(name, other, md5: md5))
      }
    }
  }

  @Test func aHostSaysWhatWasChanged() throws {
    let name = subject.names[1]
    let stamp = try #require(subject.end.stamp(of: name))
    #expect(try stamp.size == Int64(subject.storage.content(of: name).count))
    #expect(subject.end.stamp(of: name) == stamp && stamp != subject.end.stamp(of: subject.names[2]))
    try subject.storage.delete(name)
    #expect(subject.end.stamp(of: name) == nil)
  }
}
