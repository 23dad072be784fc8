import FaultyObjects
import FaultyStorage
import ObjectStore
import Storage
import Synchronization
import TestSupport
import Testing

@testable import VaultCopy

/// A content keeps its hashes from where it is read, through comparisons and the memory of a sync, to where it is sent.
@Suite struct HashedOnceTests {
  /// The contents that passed a place.
  private final class Contents: Sendable {
    private let noted = Mutex<[HashedContent]>([])

    var all: [HashedContent] { noted.withLock { $0 } }

    func note(_ content: HashedContent) { noted.withLock { $0.append(content) } }
  }

  private let subject: CopySubject
  private let store = MemoryStore()
  private let read = Contents()
  private let sent = Contents()

  init() throws { subject = try CopySubject() }

  private var source: HookedEnd {
    HookedEnd(subject.end, age: 3600, before: { _ in }, note: { [read] in read.note($0) })
  }

  private var target: StoreEnd {
    get throws { try end(HookedStore(store, before: { _ in }, note: { [sent] in sent.note($0) })) }
  }

  /// How many of the contents that were read were sent, and not only their bytes.
  private var count: Int {
    let known = Set(read.all.map { ObjectIdentifier($0) })
    return sent.all.count { known.contains(ObjectIdentifier($0)) }
  }

  @Test func aCopySendsTheContentThatItCompared() throws {
    try CopyRun(from: source, to: try target).run()
    #expect(count == subject.names.count)
    // Other bytes of the same number.
    try subject.write(randomBytes(137, seed: 100), to: subject.names[1])
    try CopyRun(from: source, to: try target).run()
    #expect(count == subject.names.count + 1)
    #expect(try store.content == subject.content)
  }

  @Test func aSyncSendsTheContentThatItRemembers() throws {
    var options = SyncOptions()
    options.memory = SyncMemory()
    try SyncRun(from: source, to: try target, options).run()
    #expect(count == subject.names.count)
    #expect(try store.content == subject.content)
  }
}
