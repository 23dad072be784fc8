import Crypto
import FaultyStorage
import Storage
import TestSupport
import Testing

@testable import Vault

/// Whole spaces whose heads, commits, segment headers and lists of pages somebody with the key has changed. Everything
/// that opens, checks and writes a space ends with success, damage or an error. A trap ends the test; the case is the
/// last line printed.
@Suite struct HostileSpaceTests {
  /// How many spaces each kind of space gives in a run of all tests.
  private static let cases = 15

  /// Room of the storage: more than any of these spaces needs.
  private static let room = 96 << 20

  /// A kind of space: how it was left, and what it has.
  struct Kind: Sendable, CustomStringConvertible {
    let description: String
    var ownFiles = 0
    var isClosed = false
    static let all = [
      Kind(description: "closed", isClosed: true), Kind(description: "killed"),
      Kind(description: "with cover", ownFiles: 24, isClosed: true),
      Kind(description: "with cover, killed", ownFiles: 24),
    ]
  }

  private func made(_ kind: Kind) throws -> TestSpace {
    let test = try TestSpace.owningCover(kind.ownFiles)
    for version in 1...3 {
      _ = try test.space.append(randomBytes(10_000, seed: UInt64(version)))
      try test.space.commit([1: page(1, version: version), 2: page(2, version: version)], pageCount: 2)
      try test.space.state([VectorTests.intent])
      try test.space.sync()
      if version < 3 {
        try test.space.close()
        test.space = try test.vault.openSpace(test.body, copyWindow: 0)
      }
    }
    if kind.isClosed { try test.space.close() }
    test.storage.killProcess()
    return test
  }

  /// Puts one forged segment into a copy of the storage.
  private func forge(_ test: TestSpace, _ segments: [ForgedSegment], _ mutation: inout Mutation) -> FaultyStorage {
    let storage = test.storage.after(.keepsAll)
    storage.setLimit(Self.room)
    let keys = test.space.keys
    for _ in 0...mutation.below(2) {
      // The newest decide.
      let place = max(mutation.below(segments.count), mutation.below(segments.count))
      var segment = segments[place]
      let records = segment.records.indices.filter { segment.records[$0].kind != .extent || mutation.below(8) == 0 }
      switch (mutation.below(8), records.isEmpty) {
      case (0, _), (_, true): segment.header = mutation.changed(segment.header)
      case (1, _):
        let record = records[mutation.below(records.count)]
        segment.records[record].header = mutation.changed(segment.records[record].header)
      default:
        let record = records[mutation.below(records.count)]
        guard !segment.records[record].blobs.isEmpty else { break }
        let blob = mutation.below(min(2, segment.records[record].blobs.count))
        segment.records[record].blobs[blob].plaintext = mutation.changed(segment.records[record].blobs[blob].plaintext)
      }
      let file = segment.file(for: keys, mendsChain: mutation.below(8) > 0)
      var name = segment.identifier
      // Under the name that its header gives it, sometimes.
      if mutation.below(3) == 0, let header = try? SegmentHeader(decoding: segment.header) {
        name = keys.identifier(header.number, branch: header.branch)
      }
      if storage.names.contains(name) { storage.tamper(name) { _ in file } } else { storage.place(file, as: name) }
    }
    return storage
  }

  /// All that is done with a space. Errors are as good as success.
  private func exercise(_ storage: FaultyStorage, _ test: TestSpace) {
    let vault = test.vault(over: storage)
    if let space = try? vault.openSpace(test.body, readOnly: true, scanning: true) {
      _ = space.verify(readData: true)
      _ = try? space.foreignContinuation()
      _ = try? space.missingFiles()
      _ = try? space.attributableFiles()
      look(at: space)
      try? space.close()
    }
    for acceptOlder in [true, false] {
      guard let space = try? vault.openSpace(test.body, acceptOlder: acceptOlder, copyWindow: 0) else { return }
      look(at: space)
      write(to: space)
      try? space.close()
      storage.killProcess()
    }
  }

  private func look(at space: Space) {
    for number in [1, 2, 3, UInt32.max] { _ = try? space.pageBytes(number) }
    _ = try? space.writeIntents()
    for segment in space.segments() { _ = space.databasePages(in: segment.number) }
    _ = (space.capacity(), space.roomState, space.roomForCleaning, space.bytesWithoutNewData)
    _ = (space.retiredSegments, space.segmentsFreedByTwoEpochs, space.segmentIdentifiers(), space.ownsCover)
    _ = space.checkpoint(fromRecord: space.record(of: space.checkpoint)).map { space.rollbackStatus(since: $0) }
  }

  private func write(to space: Space) {
    guard space.gate.isOpen else { return }
    _ = space.completeShortFiles()
    _ = try? space.append(randomBytes(50_000))
    try? space.commit([1: page(1, version: 9)], pageCount: max(1, space.databasePageCount))
    try? space.state([VectorTests.intent])
    try? space.sync()
    var transaction = LogTransaction()
    transaction.moving = [PageNumber(rawValue: 1), PageNumber(rawValue: 2)]
    transaction.retiring = space.segments().filter { !$0.isOpen && $0.databasePages == 0 }.map(\.number)
    try? space.commit(transaction)
    for _ in 0..<2 { try? space.advanceEpoch() }
    try? space.cover.growCover(by: 1 << 20)
    try? space.cover.restoreFileCount()
  }

  @Test(arguments: Kind.all) func nothingTraps(_ kind: Kind) throws {
    let test = try made(kind)
    let segments = try test.space.segmentIdentifiers().compactMap { try ForgedSegment($0, in: test.space) }
    #expect(segments.count > 4)
    var opened = CaseCount("hostile spaces, \(kind)")
    for seed in TestLength.seeds(Self.cases, few: max(4, Self.cases / 5), function: "nothingTraps, \(kind)") {
      if seed % 10 == 1 { print("hostile space, \(kind), seed \(seed) and following") }
      var mutation = Mutation(seed: seed)
      exercise(forge(test, segments, &mutation), test)
      opened.add()
    }
  }

  /// A field of a head or a commit, and a value that it must not have.
  struct Field: Sendable, CustomStringConvertible {
    let description: String
    var isInCommit = false
    let offset: Int
    let size: Int
    let value: UInt64
    static let all = [
      Field(description: "epoch", offset: 4, size: 4, value: 1 << 32 - 1),
      Field(description: "owner table", offset: 36, size: 4, value: 1 << 32 - 1),
      Field(description: "sequence", offset: 80, size: 8, value: .max),
      Field(description: "heads", offset: 88, size: 4, value: 1 << 32 - 1),
      Field(description: "epochs", offset: 92, size: 4, value: 1 << 32 - 1),
      Field(description: "retired", offset: 96, size: 4, value: 1 << 32 - 1),
      Field(description: "pages", offset: 100, size: 4, value: 1 << 32 - 1),
      Field(description: "kept head", offset: 104, size: 4, value: 1 << 32 - 1),
      Field(description: "records", isInCommit: true, offset: 0, size: 4, value: 1 << 32 - 1),
      Field(description: "pages of the database", isInCommit: true, offset: 4, size: 4, value: 1 << 32 - 1),
      Field(description: "sequence of a commit", isInCommit: true, offset: 8, size: 8, value: .max),
      Field(description: "durable end", isInCommit: true, offset: 16, size: 8, value: .max),
    ]
  }

  /// The newest head or the last commit says what cannot be: it counts as damaged. A damaged head costs nothing, since the
  /// log leads to the same state; of a commit its own changes are lost.
  @Test(arguments: Field.all) func aFieldBeyondItsRangeIsDamage(_ field: Field) throws {
    let test = try made(Kind(description: "killed"))
    let storage = test.storage.after(.keepsAll)
    let head = test.space.keys.headIdentifier(test.space.highestEpoch)
    var segment = try #require(try ForgedSegment(head, in: test.space))
    let kind: RecordKind = field.isInCommit ? .commit : .head
    let record = try #require(segment.records.lastIndex { $0.kind == kind })
    Mutation(seed: 1).write(field.value, field.size, at: field.offset, in: &segment.records[record].blobs[0].plaintext)
    storage.tamper(head) { _ in segment.file(for: test.space.keys) }
    let space = try test.vault(over: storage).openSpace(test.body, copyWindow: 0)
    #expect(try space.pageBytes(2) == page(2, version: 3))
    if field.value == .max, field.offset == 16 {
      // What the commit itself changes is known, but not what it says comes after it.
      #expect(!space.gate.isOpen && space.origin.warning != nil)
    } else {
      #expect(space.sequence == (field.isInCommit ? test.space.sequence - 1 : test.space.sequence))
    }
    #expect(space.databasePageCount == 2)
  }

  /// A head whose numbers are the highest that there are: the space is read, and no write goes on from it.
  @Test(arguments: [false, true]) func theHighestNumbersAreTheLast(isEpoch: Bool) throws {
    let test = try made(Kind(description: "closed", isClosed: true))
    let storage = test.storage.after(.keepsAll)
    let keys = test.space.keys
    let newest = test.space.highestEpoch
    var segment = try #require(try ForgedSegment(keys.headIdentifier(newest), in: test.space))
    var state = try HeadState(decoding: segment.records[0].blobs[0].plaintext)
    segment.records.removeLast(segment.records.count - 1)
    var header = try SegmentHeader(decoding: segment.header)
    if isEpoch {
      state.epoch = .highest
      state.epochs[.highest] = state.epochs[newest]
      state.birth = FileBirth(seconds: 0, nanoseconds: 0)
      header.number = SegmentNumber(epoch: .highest, index: 0)
    } else {
      state.sequence = CommitBody.highestSequence
    }
    segment.header = header.encoded
    segment.records[0].blobs[0].plaintext = state.encoded
    let bytes = UInt64(state.encoded.count)
    segment.records[0].header =
      RecordHeader(
        kind: .head, bodyLength: Int(bytes) + CipherSuite.tagSize, first: 0, second: bytes, third: bytes
      ).encoded
    storage.place(segment.file(for: keys), as: keys.headIdentifier(state.epoch))
    let space = try test.vault(over: storage).openSpace(test.body, acceptOlder: true, scanning: true, copyWindow: 0)
    #expect(space.highestEpoch == state.epoch && space.sequence == state.sequence)
    #expect(try space.pageBytes(2) == page(2, version: 3))
    #expect(throws: VaultError.self) { try space.commit([1: page(1, version: 9)], pageCount: 2) }
    #expect(!space.gate.isOpen)
  }

  /// A head far beyond the others of which only the header opens: not every number between is tried.
  @Test func aTornHeadFarAwayEndsTheSearch() throws {
    let test = try made(Kind(description: "closed", isClosed: true))
    let storage = test.storage.after(.keepsAll)
    let newest = test.space.keys.headIdentifier(test.space.highestEpoch)
    var segment = try #require(try ForgedSegment(newest, in: test.space))
    var header = try SegmentHeader(decoding: segment.header)
    header.number = SegmentNumber(epoch: .highest, index: 0)
    segment.header = header.encoded
    storage.place(segment.file(for: test.space.keys), as: test.space.keys.headIdentifier(.highest))
    let space = try test.vault(over: storage).openSpace(test.body, readOnly: true, scanning: true)
    #expect(try space.pageBytes(2) == page(2, version: 3))
  }

  /// The forged files are what the program wrote, if nothing is changed.
  @Test(arguments: Kind.all) func whatIsForgedIsRead(_ kind: Kind) throws {
    let test = try made(kind)
    let storage = test.storage.after(.keepsAll)
    for segment in try test.space.segmentIdentifiers().compactMap({ try ForgedSegment($0, in: test.space) }) {
      storage.tamper(segment.identifier) { _ in segment.file(for: test.space.keys) }
    }
    let space = try test.vault(over: storage).openSpace(test.body, copyWindow: 0)
    #expect(space.gate.isOpen && space.origin.warning == nil)
    #expect(try space.pageBytes(2) == page(2, version: 3))
    #expect(space.verify(readData: true) == [])
  }
}
