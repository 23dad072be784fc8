import Crypto
import FaultyStorage
import Index
import Synchronization
import TestSupport
import Testing

@testable import Vault

/// The index of a snapshot, beside the one that is written.
@Suite struct SnapshotIndexTests {
  private let space: Space
  private let index: Index

  init() throws {
    let vault = Vault(storage: FaultyStorage(), parameters: .cheap)
    space = try vault.createSpace(suite: .aes256gcm, copyWindow: 0).space
    index = try Index(space: space, creating: RootOwner(owner: 0, group: 0))
    try index.commit(to: space)
  }

  /// Commits without a flush.
  private static func commit(_ index: Index, _ space: Space) throws {
    try index.commit()
    guard let changes = index.unlogged else { return }
    try space.commit(LogTransaction(changes))
    index.noteLogged(changes)
  }

  /// Adds files, each with a row of most of a page; the index says how many there are.
  private static func addFiles(_ count: Int, to index: Index, _ space: Space) throws {
    for _ in 0..<count {
      let inode = index.nextInodeNumber()
      var record = InodeRecord.file(inode)
      record.target = [UInt8](repeating: 0x74, count: 3000)
      try index.insert(record)
      let name = try name("file \(inode.rawValue)")
      try index.insertDentry(
        parent: .root, DentryRecord(name: name, inode: inode, kind: 10, cookie: index.nextCookie()))
    }
    let before = try index.metaInteger("files") ?? 0
    try index.setMeta("files", to: before + Int64(count))
    try commit(index, space)
  }

  private static func names(_ index: Index) throws -> [FileName] {
    try index.dentries(after: nil, limit: .max).map(\.entry.name)
  }

  private func found(_ word: String, _ index: Index) throws -> [InodeNumber] {
    var numbers: [InodeNumber] = []
    try index.catalog.photos(matching: word) { numbers.append($0) }
    return numbers
  }

  @Test func anOldStateIsReadWhileTheIndexGoesOn() throws {
    try index.catalog.setItem(.full(5), words: "red", tags: [1], replacing: [])
    try Self.addFiles(200, to: index, space)
    let old = try Self.names(index)
    let reader = try Index(reading: space.snapshot())
    try index.catalog.setItem(.full(5), words: "blue", tags: [2], replacing: [1])
    for _ in 0..<20 {
      try Self.addFiles(30, to: index, space)
      for located in try index.dentries(after: nil, limit: 20) {
        try index.deleteDentry(parent: .root, name: located.entry.name)
        try index.deleteInode(located.entry.inode)
      }
      try index.incrementalVacuum(pages: 10)
      try Self.commit(index, space)
    }
    #expect(try Self.names(reader) == old)
    #expect(try found("red", reader) == [InodeNumber(rawValue: 5)])
    #expect(try found("blue", reader) == [])
    #expect(try reader.catalog.item(InodeNumber(rawValue: 5)) == .full(5))
    #expect(try reader.integrityCheck() == [])
    #expect(reader.inodeCount == 201)
    #expect(reader.fileCounters == PageFileCounters())

    let newest = try Index(reading: space.snapshot())
    #expect(try Self.names(newest) == Self.names(index))
    #expect(try Self.names(newest) != old)
    #expect(try found("blue", newest) == [InodeNumber(rawValue: 5)])
    try expectClean(index)
  }

  @Test func refusesChanges() throws {
    let reader = try Index(reading: space.snapshot())
    #expect(reader.isReadOnly)
    #expect(throws: IndexError.readOnly) { try reader.insert(.file(InodeNumber(rawValue: 99))) }
    #expect(throws: IndexError.readOnly) { try reader.setMeta("x", to: 1) }
    #expect(throws: IndexError.readOnly) { try reader.catalog.setItem(.full(5), words: "", tags: [], replacing: []) }
    #expect(throws: IndexError.readOnly) { try reader.connection.execute("DELETE FROM inode") }
    try reader.commit()
    #expect(reader.unlogged == nil)
    #expect(try reader.inode(.root) != nil)
    #expect(reader.fileCounters == PageFileCounters())
  }

  /// Opening prepares what it needs itself, and a small part of the pages is kept, however many are read.
  @Test func takesLittle() throws {
    for _ in 0..<5 { try Self.addFiles(500, to: index, space) }
    #expect(space.databasePageCount > 2000)
    let reader = try Index(reading: space.snapshot())
    #expect(reader.preparedStatementCount == 1)
    #expect(try reader.inodes(after: nil, limit: .max).count == 2501)
    #expect(reader.preparedStatementCount == 2)
    #expect(reader.connection.cachedBytes > 1 << 20)
    #expect(reader.connection.cachedBytes < 3 << 20)
  }

  @Test func anEndIsToldWhateverIsAsked() throws {
    for _ in 0..<3 { try Self.addFiles(500, to: index, space) }
    let snapshot = try space.snapshot()
    let reader = try Index(reading: snapshot)
    #expect(try reader.metaInteger("files") == 1500)
    snapshot.end()
    #expect(throws: IndexError.ended) { try reader.inodes(after: nil, limit: .max) }
    #expect(throws: IndexError.ended) { try Self.names(reader) }
    #expect(throws: IndexError.ended) { try reader.integrityCheck() }
    #expect(throws: IndexError.ended) { try reader.catalog.item(InodeNumber(rawValue: 5)) }
    #expect(throws: IndexError.ended) { try Index(reading: snapshot) }
    #expect(reader.lastStoreError == .snapshotEnded)
    // Who asks again gets another one.
    #expect(try Self.names(Index(reading: space.snapshot())).count == 1500)
    try expectClean(index)
  }

  @Test func damageIsNoEnd() throws {
    let (_, store) = try makeIndex()
    store.damage([PageNumber(rawValue: 1)])
    #expect(throws: IndexError.damaged) { try Index(reading: store) }
    #expect(throws: IndexError.damaged) { try Index(reading: MemoryPageStore()) }
  }

  /// Several threads read while one writes, and moves pages so that segments go: each answer is of one state as a whole.
  @Test func severalReadWhileOneWrites() throws {
    let (index, space) = (self.index, self.space)
    try Self.addFiles(50, to: index, space)
    let isOver = Mutex(false)
    let wholeCount = Mutex(0)
    try inThreads(3) { thread in
      if thread == 0 {
        defer { isOver.withLock { $0 = true } }
        for round in 0..<60 {
          try Self.addFiles(10, to: index, space)
          guard round % 3 == 2 else { continue }
          let oldest = space.segments().filter { !$0.isOpen }.prefix(2).map(\.number)
          var transaction = LogTransaction()
          transaction.moving = Set(oldest.flatMap { space.databasePages(in: $0) })
          transaction.retiring = oldest
          try space.commit(transaction)
          try space.advanceEpoch()
        }
        return
      }
      while !isOver.withLock({ $0 }) {
        do {
          let reader = try Index(reading: space.snapshot())
          let names = try Self.names(reader).count
          let files = try reader.metaInteger("files")
          let problems = try reader.integrityCheck()
          #expect(Int64(names) == files)
          #expect(problems == [])
          wholeCount.withLock { $0 += 1 }
        } catch IndexError.ended {
          // It asks again.
        }
      }
    }
    #expect(wholeCount.withLock { $0 } > 0)
    try expectClean(index)
  }
}
