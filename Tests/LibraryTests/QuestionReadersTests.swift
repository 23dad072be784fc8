import AlbumsSupport
import Catalog
import Glibc
import Index
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Library

/// The indexes that questions read.
@Suite struct QuestionReadersTests {
  private let library: CatalogLibrary
  private var files: FileSystem { library.files }

  init() throws { library = try CatalogLibrary() }

  private func index() throws -> Index { try files.questions.asking { state throws(Errno) in state.index } }

  @Test func oneIsReadAgainWhileNothingChanges() throws {
    try library.add("a.jpg")
    let first = try index()
    #expect(try index() === first)
    try library.add("b.jpg")
    let second = try index()
    #expect(second !== first)
    // A commit changes nothing for who reads.
    try files.synchronize()
    #expect(try index() === second)
    try files.close()
  }

  @Test func fewAreReadAtOnce() throws {
    let now = Atomic(0)
    let most = Atomic(0)
    let files = files
    try inThreads(12) { _ in
      try files.questions.asking { _ throws(Errno) in
        let count = now.add(1, ordering: .relaxed).newValue
        if count > most.load(ordering: .relaxed) { most.store(count, ordering: .relaxed) }
        usleep(5000)
        now.subtract(1, ordering: .relaxed)
      }
    }
    #expect((1...QuestionReaders.most).contains(most.load(ordering: .relaxed)))
    try files.close()
  }

  /// The pages that a question reads are in memory for the next one, and several questions at once take little memory.
  @Test func oneHasALargeCache() throws {
    let files = files
    for _ in 0..<2 {
      let caches = Mutex<[Int64]>([])
      try inThreads(QuestionReaders.most) { _ in
        try files.questions.asking { state throws(Errno) in
          let kibibytes = try? state.index.connection.prepare("PRAGMA cache_size").firstRow { $0.integer(0) }
          caches.withLock { $0.append(-(kibibytes ?? 0) >> 10) }
          // All read at the same time.
          for _ in 0..<5000 where caches.withLock({ $0.count < QuestionReaders.most }) { usleep(1000) }
        }
      }
      #expect(caches.withLock { $0.sorted() } == [1, 1, 1, 16])
    }
    // The one that is kept is the large one.
    let kept = try index().connection.prepare("PRAGMA cache_size").firstRow { $0.integer(0) }
    #expect(kept == -16 << 10)
    try library.add("a.jpg")
    #expect(try index().connection.prepare("PRAGMA cache_size").firstRow { $0.integer(0) } == -16 << 10)
    try files.close()
  }

  /// An index with the large cache gets the small one while another is in use, and the large one when it is alone again.
  @Test func theLargeCacheIsGivenBack() throws {
    let files = files
    let stage = Atomic(0)
    @Sendable func wait(for wanted: Int) {
      for _ in 0..<20_000 where stage.load(ordering: .acquiring) < wanted { usleep(1000) }
    }
    let caches = Mutex<[Int: Int64]>([:])
    try inThreads(3) { number in
      wait(for: [0, 1, 3][number])
      try files.questions.asking { state throws(Errno) in
        let kibibytes = try? state.index.connection.prepare("PRAGMA cache_size").firstRow { $0.integer(0) }
        caches.withLock { $0[number] = -(kibibytes ?? 0) >> 10 }
        if number < 2 { stage.store(number + 1, ordering: .releasing) }
        if number < 2 { wait(for: [2, 4][number]) }
      }
      // The first one's index is idle now, while the second one's is in use.
      if number == 0 { stage.store(3, ordering: .releasing) }
      if number == 2 { stage.store(4, ordering: .releasing) }
    }
    #expect(caches.withLock { $0 } == [0: 16, 1: 1, 2: 1])
    #expect(try index().connection.prepare("PRAGMA cache_size").firstRow { $0.integer(0) } == -16 << 10)
    try files.close()
  }

  /// Answers that are not read to their end keep their states in memory, but not any number of them.
  @Test func theOldestOfManyStatesEnds() throws {
    var asked: [AskedMoment] = []
    for number in 0..<10 {
      try library.add("\(number).jpg")
      var one = AskedMoment()
      try files.questions.reading(&one) { _ throws(Errno) in }
      asked.append(one)
    }
    #expect(asked.map { $0.moment?.files.pages.hasEnded } == [true, true] + [Bool?](repeating: false, count: 8))
    // What ended is asked of the present state.
    var oldest = asked[0]
    try files.questions.reading(&oldest) { _ throws(Errno) in }
    #expect(oldest.moment?.files.pages === asked[9].moment?.files.pages)
    try files.close()
  }
}
