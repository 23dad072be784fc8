import FaultyStorage
import Storage
import TestSupport
import Testing

@testable import Vault

/// Cover that a space owns: the number of its files never changes, and names never get other bytes.
@Suite struct OwnedCoverTests {
  let test: TestSpace
  var storage: FaultyStorage { test.storage }

  init() throws { test = try .owningCover() }

  /// Writes data until there is no room, and gives where it is.
  private func fill() throws -> [ExtentPiece] {
    var pieces: [ExtentPiece] = []
    var rounds = Rounds(until: "there is no room")
    while test.space.admit(300_000, waiting: 0) {
      try rounds.begin()
      pieces += try test.space.append(randomBytes(300_000, seed: UInt64(pieces.count)))
      #expect(storage.names.count == TestSpace.ownFiles)
    }
    return pieces
  }

  @Test func whatIsWrittenDisplacesCover() throws {
    #expect(storage.names.count == TestSpace.ownFiles)
    #expect(test.space.wrongCover(in: storage) == [])
    let before = Set(storage.names)
    let pieces = try fill()
    #expect(pieces.count > 30)
    #expect(throws: VaultError.noSpace) { for _ in 0..<60 { _ = try test.space.append(randomBytes(300_000)) } }
    #expect(storage.names.count == TestSpace.ownFiles)
    // The reserve still takes a commit and heads.
    try test.space.commit([1: page(1, version: 1)], pageCount: 1)
    try test.space.close()
    #expect(storage.names.count == TestSpace.ownFiles)
    #expect(storage.reservedBytes == 0)
    #expect(before.intersection(storage.names).count < TestSpace.ownFiles / 4)
    let again = try test.vault.openSpace(test.body, copyWindow: 0)
    for (index, piece) in pieces.enumerated() where piece.write == 0 && piece.length == 300_000 {
      #expect(try again.bytes(piece) == randomBytes(300_000, seed: UInt64(index)))
    }
  }

  @Test func deadSegmentsAreCover() throws {
    _ = try fill()
    try test.space.commit([1: page(1, version: 1)], pageCount: 1)
    try test.space.advanceEpoch()
    let full = Set(storage.names)
    try test.space.retire(test.space.segments().filter { !$0.isOpen && $0.databasePages == 0 }.map(\.number))
    for _ in 0..<2 { try test.space.advanceEpoch() }
    // Only the heads of those epochs took the place of something.
    #expect(full.subtracting(storage.names).count <= 2)
    #expect(storage.names.count == TestSpace.ownFiles)
    #expect(test.space.capacity().availableBytes > 8 << 20)
    _ = try fill()
    try test.space.close()
    #expect(storage.names.count == TestSpace.ownFiles)
    #expect(try test.vault.openSpace(test.body, copyWindow: 0).pageBytes(1) == page(1, version: 1))
  }

  @Test func aFullHostIsNoHindrance() throws {
    _ = try test.space.append(randomBytes(10))
    storage.fill()
    let pieces = try fill()
    #expect(pieces.count > 30)
    try test.space.commit([1: page(1, version: 1)], pageCount: 1)
    try test.space.close()
    #expect(storage.names.count == TestSpace.ownFiles)
  }

  /// Two hundred sessions in a day, then no room, then something is deleted, then there is room again.
  @Test func manySessionsInOneDayLeaveRoom() throws {
    try test.space.commit([1: page(1, version: 0)], pageCount: 1)
    try test.space.close()
    let vault = Vault(storage: storage, parameters: test.vault.parameters) { 1_000_000_000 }
    for version in 1...200 {
      let space = try vault.openSpace(test.body)
      try space.commit([1: page(1, version: version)], pageCount: 1)
      try space.retire(space.segments().filter { !$0.isOpen && $0.databasePages == 0 }.map(\.number))
      try space.close()
      #expect(storage.names.count == TestSpace.ownFiles)
    }
    let space = try vault.openSpace(test.body)
    // Heads are not kept for copies when that leaves too little room.
    #expect(space.admit(1_000_000, waiting: 0))
    for round in 1...2 {
      var written = 0
      var rounds = Rounds(until: "there is no room")
      while space.admit(300_000, waiting: 0) {
        try rounds.begin()
        _ = try space.append(randomBytes(300_000))
        written += 300_000
      }
      #expect(written > 3_000_000, "round \(round)")
      #expect(throws: VaultError.noSpace) { for _ in 0..<60 { _ = try space.append(randomBytes(300_000)) } }
      #expect(storage.names.count == TestSpace.ownFiles)
      try space.retire(space.segments().filter { !$0.isOpen && $0.databasePages == 0 }.map(\.number))
      for _ in 0..<2 { try space.advanceEpoch() }
    }
    try space.close()
    #expect(storage.names.count == TestSpace.ownFiles)
    #expect(try vault.openSpace(test.body).pageBytes(1) == page(1, version: 200))
  }

  /// A file that is lost, one too many, and a short one: the next writable opening sets it right, a read-only one does
  /// not touch anything.
  @Test func theNumberIsRestored() throws {
    for version in 1...5 {
      _ = try test.space.append(randomBytes(900_000))
      try test.space.commit([1: page(1, version: version)], pageCount: 1)
    }
    try test.space.close()
    let owner = try #require(test.space.owner)
    let range = try #require(owner.cover.first)
    let name = { (counter: UInt64) in
      test.space.keys.coverIdentifier(CoverFile(branch: range.branch, counter: counter))
    }
    #expect(range.first > 3)
    let content = storage.content(name(range.end - 1))
    storage.tamper(name(range.end - 1)) { _ in nil }
    storage.tamper(name(range.end - 2)) { Array($0.prefix(1000)) }
    storage.place(randomBytes(1 << 20), as: name(1))
    _ = try test.vault.openSpace(test.body, readOnly: true)
    #expect(storage.names.count == TestSpace.ownFiles)
    #expect(storage.names.contains(name(1)))
    let space = try test.vault.openSpace(test.body, copyWindow: 0)
    #expect(storage.names.count == TestSpace.ownFiles)
    #expect(!storage.names.contains(name(1)))
    #expect(storage.content(name(range.end - 1)) == content)
    #expect(space.wrongCover(in: storage) == [])
  }

  @Test func anOlderCopyThatIsPutBackHasTheSameNumber() throws {
    for version in 1...3 {
      _ = try test.space.append(randomBytes(900_000))
      try test.space.commit([1: page(1, version: version)], pageCount: 1)
    }
    try test.space.close()
    let old = storage.copy()
    var space = try test.vault.openSpace(test.body, copyWindow: 0)
    for version in 4...9 {
      _ = try space.append(randomBytes(900_000))
      try space.commit([1: page(1, version: version)], pageCount: 1)
    }
    try space.close()

    // Put back beside what is there, as rsync without --delete does.
    for name in old.names where !storage.names.contains(name) { storage.place(old.content(name), as: name) }
    #expect(storage.names.count > TestSpace.ownFiles)
    space = try test.vault.openSpace(test.body, copyWindow: 0)
    #expect(try space.pageBytes(1) == page(1, version: 9))
    #expect(space.wrongCover(in: storage) == [])
    try space.close()

    // Put back as it was, and continued.
    let fork = old.copy()
    space = try test.vault(over: fork).openSpace(test.body, copyWindow: 0)
    #expect(space.origin.isCopy)
    #expect(fork.names.count == TestSpace.ownFiles)
    // Both go on, in several segments.
    let highest = space.highestEpoch
    for _ in 0..<3 { _ = try space.append(randomBytes(900_000)) }
    try space.commit([1: page(1, version: 20)], pageCount: 1)
    try space.close()
    #expect(fork.names.count == TestSpace.ownFiles)
    // No name of a segment or of cover has two contents. Both branches use the same names for heads.
    let heads = Set((1...100).map { space.keys.headIdentifier(EpochNumber(rawValue: highest.rawValue + $0)) })
    let both = Set(fork.names).intersection(storage.names).subtracting(heads)
    #expect(both.count > 2)
    for name in both { #expect(fork.content(name) == storage.content(name)) }

    // Both together, without deleting anything.
    let merged = storage.copy()
    for name in fork.names where !merged.names.contains(name) { merged.place(fork.content(name), as: name) }
    #expect(merged.names.count > TestSpace.ownFiles)
    for version in 10...11 {
      space = try test.vault(over: merged).openSpace(test.body, copyWindow: 0)
      #expect(try space.pageBytes(1) == page(1, version: version - 1))
      #expect(space.wrongCover(in: merged) == [])
      #expect(space.verify(readData: true) == [])
      try space.commit([1: page(1, version: version)], pageCount: 1)
      try space.close()
    }
  }

  @Test func moreCoverIsAdded() throws {
    let before = test.space.capacity()
    _ = try test.space.append(randomBytes(900_000))
    try test.space.commit([1: page(1, version: 1)], pageCount: 1)
    storage.setLimit(30 << 20)
    #expect(throws: VaultError.noSpace) { try test.space.cover.growCover(by: 8 << 20) }
    #expect(storage.names.count == TestSpace.ownFiles)
    // Bounds the random number of files beside it.
    storage.setLimit(1 << 30)
    try test.space.cover.growCover(by: 20 << 20)
    let files = storage.names.count
    let own = Int(test.vault.coverFiles(for: 20 << 20))
    #expect(files >= TestSpace.ownFiles + own + Cover.least)
    #expect(test.space.owner?.fileCount == UInt64(TestSpace.ownFiles + own))
    #expect((test.space.capacity().ownBytes ?? 0) >= (before.ownBytes ?? 0) + 20 << 20)
    try test.space.close()
    let again = try test.vault.openSpace(test.body, copyWindow: 0)
    #expect(storage.names.count == files)
    #expect(again.wrongCover(in: storage) == [])
    let none = TestSpace()
    #expect(throws: VaultError.self) { try none.space.cover.growCover(by: 1) }
  }

  /// Growth makes as many files as cover for nobody of that size, and whose cover the space has.
  @Test func growthMakesAsManyFilesAsCoverOfNobody() throws {
    for size in [1, 3 << 20] {
      var made: [Int] = []
      for grows in [true, false] {
        // So little that the random part is the least.
        storage.fill(leaving: 95 << 20)
        let before = storage.names.count
        if grows { try test.space.cover.growCover(by: Int64(size)) } else { try test.vault.addCover(for: Int64(size)) }
        made.append(storage.names.count - before)
      }
      #expect(made[0] == Int(test.vault.coverFiles(for: Int64(size))) + Cover.least)
      #expect(made[0] == made[1])
    }
    // With more room it varies, and belongs to nobody.
    storage.fill(leaving: 2 << 30)
    let owned = test.space.owner?.fileCount
    var random: Set<Int> = []
    for _ in 0..<10 {
      let before = storage.names.count
      try test.space.cover.growCover(by: 0)
      random.insert(storage.names.count - before)
    }
    #expect(random.count > 1 && random.min() ?? 0 >= Cover.least)
    #expect(test.space.owner?.fileCount == owned)
    #expect(test.space.wrongCover(in: storage) == [])
  }

  @Test func theSizeIsWhatFits() {
    for size in [1 << 20, 4 << 20, 64 << 20] {
      for bytes: Int64 in [1, 100 << 20, 1 << 30, 50 << 30] {
        let files = RoomBudget.files(for: bytes, segmentSize: size)
        #expect(RoomBudget.usableBytes(files: files, segmentSize: size) >= bytes)
        #expect(RoomBudget.usableBytes(files: files - 1, segmentSize: size) < bytes)
      }
    }
  }
}

extension Space {
  /// The names of whole cover files of the space that lack their bytes, or that the table does not expect to exist.
  func wrongCover(in storage: FaultyStorage) -> [SegmentIdentifier] {
    let names = Set(storage.names)
    var wrong: [SegmentIdentifier] = []
    for range in owner?.cover ?? [] {
      for counter in 0..<range.end {
        let name = keys.coverIdentifier(CoverFile(branch: range.branch, counter: counter))
        guard names.contains(name) else {
          if counter >= range.first { wrong.append(name) }
          continue
        }
        var bytes = [UInt8](repeating: 0, count: segmentSize)
        for part in 0..<segmentSize / CoverFile.partSize {
          unsafe bytes.withUnsafeMutableBytes { buffer in
            let start = part * CoverFile.partSize
            unsafe keys.fillCover(
              name, part: part, UnsafeMutableRawBufferPointer(rebasing: buffer[start..<start + CoverFile.partSize]))
          }
        }
        if counter < range.first || storage.content(name) != bytes { wrong.append(name) }
      }
    }
    return wrong
  }
}
