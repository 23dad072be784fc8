import Crypto
import FaultyStorage
import FoundationEssentials
import Storage
import System
import TestSupport
import Testing

@testable import Vault

/// The code yields and opens exactly the bytes that another program made from the format article.
@Suite struct VectorTests {
  static let logs = ["log-aes-256-gcm", "log-xchacha20-poly1305"]
  static let file = (0..<16_484).map { UInt8(truncatingIfNeeded: $0 * $0 + 3 * $0) }
  static let databasePage = (0..<4096).map { UInt8(truncatingIfNeeded: 5 * $0 + $0 >> 8) }
  static let intent = WriteIntent(
    inode: InodeNumber(rawValue: 12), size: 5000, modifiedSeconds: 1_700_000_043, modifiedNanoseconds: 43,
    writes: [
      WriteIntent.Write(offset: FileOffset(16), bytes: Array("a line\n".utf8)),
      WriteIntent.Write(offset: FileOffset(4000), bytes: Array(5..<25)),
    ])

  @Test func aSlotComesFromThePassword() throws {
    let vector: Vectors.Slot = try Vectors.read("slot")
    let derivation = try #require(
      PasswordDerivation(operations: vector.operations, memory: vector.memory, salt: bytes(vector.salt)))
    #expect(derivation.derive(.of(vector.password))?.copied == bytes(vector.derived))
    let parameters = VaultParameters(
      identifier: bytes(vector.vault), segmentSize: vector.segmentSize, derivations: [derivation])
    #expect(parameters.slotAssociatedData(derivation) == bytes(vector.associatedData))

    let storage = FaultyStorage()
    let vault = Vault(storage: storage, parameters: parameters)
    let slot = try #require(try vault.slotKeys(for: .of(vector.password)).first)
    #expect(slot.identifiers.map(\.bytes) == [bytes(vector.slotIdentifier), bytes(vector.secondSlotIdentifier)])
    #expect(slot.key.copied == bytes(vector.slotKey))

    // Any one of the eight copies in either file is enough.
    let sealed = bytes(vector.sealed)
    for (copy, identifier) in (0..<8).flatMap({ copy in slot.identifiers.map { (copy, $0) } }) {
      var file = Sodium.randomBytes(vector.segmentSize)
      let start = copy * vector.segmentSize / 8
      file.replaceSubrange(start..<start + sealed.count, with: sealed)
      try storage.put(identifier, file)
      let body = try vault.openSlot([slot]).body
      #expect(body.encoded.copied == bytes(vector.body))
      #expect(body.suite == .xchacha20poly1305)
      try storage.delete(identifier)
    }
  }

  private func body(_ vector: Vectors.Log) throws -> SlotBody {
    SlotBody(
      spaceKey: SecretBytes(bytes(vector.spaceKey)), suite: try #require(CipherSuite(name: vector.suite)),
      extents: try #require(ExtentFormat(pageSize: vector.filePageSize)))
  }

  @Test(arguments: logs)
  func theLogYieldsTheseBytes(name: String) throws {
    let vector: Vectors.Log = try Vectors.read(name)
    let keys = SpaceKeys(try body(vector))
    let head = SegmentNumber(epoch: EpochNumber(rawValue: 1), index: 0)
    let branch = bytes(vector.branch)
    #expect(keys.headIdentifier(head.epoch).bytes == bytes(vector.headIdentifier))
    let next = SegmentNumber(epoch: head.epoch, index: 1)
    #expect(keys.identifier(next, branch: branch).bytes == bytes(vector.secondIdentifier))

    let key = keys.segmentKey(salt: bytes(vector.salt))
    let header = SegmentHeader(number: head, branch: branch, previousEnd: 0, chain: bytes(vector.chain))
    let start = bytes(vector.salt) + key.seal(header.encoded, at: 32, kind: BlobKind.segmentHeader)
    let storage = FaultyStorage()
    let identifier = keys.headIdentifier(head.epoch)
    let segment = OpenSegment(
      number: head, identifier: identifier, writer: try storage.create(identifier), key: key, start: start)
    var run = Run(
      segment: segment, offset: 0, length: vector.segment.count, ticket: 0, completes: nil, startsSegment: true)

    let state = bytes(vector.headState)
    let chains = [bytes(vector.chain)] + vector.records.map { bytes($0.chainAfter) }
    let commit = CommitBody(
      recordCount: 1, pageCount: 2, sequence: 42,
      flushedThrough: LogPosition(segment: head, offset: vector.records[1].offset), chain: chains[3])
    let second = CommitBody(
      recordCount: 0, pageCount: 2, sequence: 43, flushedThrough: commit.flushedThrough, chain: chains[4],
      intents: IntentChange(bytes: WriteIntent.encode([Self.intent]), replacesOlder: true))
    let pages = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
    let extent = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.file.count, alignment: 16)
    defer {
      unsafe pages.deallocate()
      unsafe extent.deallocate()
    }
    unsafe pages.copyBytes(from: Self.databasePage)
    unsafe extent.copyBytes(from: Self.file)
    let headers = [
      RecordHeader(
        kind: .head, bodyLength: state.count + 16, first: 0, second: UInt64(state.count), third: UInt64(state.count)),
      RecordHeader(
        kind: .extent, bodyLength: keys.extents.bodyLength(Self.file.count), first: 12, second: 4096,
        third: UInt64(Self.file.count)),
      RecordHeader(kind: .pages, bodyLength: PagesFormat.bodyLength(1), first: 1),
      RecordHeader(kind: .commit, bodyLength: CommitBody.size + 16, first: 42),
      RecordHeader(
        kind: .commit, flags: RecordHeader.closedFlag | RecordHeader.intentsFlag,
        bodyLength: CommitBody.size + 8 + WriteIntent.encode([Self.intent]).count + 16, first: 43),
    ]
    let bodies: [RunRecord.Body] = unsafe [
      .blob(state, kind: BlobKind.head), .extent(UnsafeRawBufferPointer(extent), keys.extents),
      .pages([DatabasePage(number: PageNumber(rawValue: 2), image: PageImage(Self.databasePage))]),
      .blob(commit.encoded, kind: BlobKind.commit), .blob(second.encoded, kind: BlobKind.commit),
    ]
    var offset = SegmentFormat.recordsStart
    for (index, header) in headers.enumerated() {
      #expect(offset == vector.records[index].offset)
      #expect(header.bodyLength == vector.records[index].bodyLength)
      let sealed = key.seal(header.encoded, at: offset, kind: BlobKind.recordHeader)
      #expect(keys.chain(after: chains[index], tag: Array(sealed.suffix(16)), in: head.epoch) == chains[index + 1])
      run.records.append(
        RunRecord(offset: offset, sealedHeader: sealed, body: bodies[index], bodyLength: header.bodyLength))
      offset += header.recordLength
    }
    #expect(offset == vector.segment.count)

    var made = [UInt8](repeating: 0, count: offset)
    unsafe made.withUnsafeMutableBytes { unsafe run.seal(into: $0) }
    // The bytes that align a record are random.
    for record in vector.records {
      let end = record.offset + RecordHeader.sealedSize + record.bodyLength
      for index in end..<(end + 15) & ~15 { made[index] = 0 }
    }
    #expect(made == Array(vector.segment))
  }

  @Test(arguments: logs)
  func aSpaceOfTheseBytesOpens(name: String) throws {
    let vector: Vectors.Log = try Vectors.read(name)
    let suite = try #require(CipherSuite(name: vector.suite))
    let test = TestSpace(suite: suite)
    let padding = Sodium.randomBytes(vector.segmentSize - vector.segment.count)
    try test.storage.put(SegmentIdentifier(bytes: bytes(vector.headIdentifier)), Array(vector.segment) + padding)
    let space = try test.vault.openSpace(body(vector))
    #expect(space.gate.reason == nil)
    #expect(space.databasePageCount == 2)
    #expect(try space.pageBytes(2) == Self.databasePage)
    #expect(throws: VaultError.self) { try space.pageBytes(1) }
    let position = LogPosition(
      segment: SegmentNumber(epoch: EpochNumber(rawValue: 1), index: 0), offset: vector.records[1].offset)
    let piece = ExtentPiece(write: 0, offset: FileOffset(4096), length: Self.file.count, position: position)
    #expect(try space.bytes(piece) == Self.file)
    #expect(space.verify(readData: true) == [])
    #expect(space.sequence == 43)
    #expect(try space.writeIntents() == [Self.intent])

    // It goes on with the pages that it has.
    let more = randomBytes(50_000, seed: 5)
    let pieces = try space.append(more)
    try space.commitAndClose(version: 1, pageCount: 2)
    let again = try test.vault.openSpace(body(vector))
    #expect(again.filePageSize == vector.filePageSize)
    #expect(try again.bytes(pieces[0], 8191..<16_385) == Array(more[8191..<16_385]))
    #expect(try again.bytes(piece) == Self.file)
    #expect(again.verify(readData: true) == [])
    try again.close()
  }

  /// A head's state that another program made: it is read, and written as it was but for the inode of the head's file,
  /// which earlier versions kept.
  private func headState(_ name: String, inode: [UInt8]) throws -> HeadState {
    let vector: Vectors.Head = try Vectors.read(name)
    let encoded = bytes(vector.encoded)
    let state = try HeadState(decoding: encoded)
    #expect(Array(encoded[16..<24]) == inode)
    #expect(state.encoded == encoded[..<16] + [UInt8](repeating: 0, count: 8) + encoded[24...])
    for count in 0..<encoded.count - state.intents.count {
      #expect(throws: ByteReader.Malformed.self) { try HeadState(decoding: Array(encoded[..<count])) }
    }
    return state
  }

  @Test func aHeadStateIsReadAndWritten() throws {
    let state = try headState("head-state", inode: [0, 0, 0, 0, 0, 1, 0, 0])
    let epoch = { (number: UInt32) in EpochNumber(rawValue: number) }
    #expect(state.epoch == epoch(9))
    #expect(state.birth == FileBirth(seconds: -1, nanoseconds: 999_999_999))
    #expect(state.previousEnd == LogPosition(segment: SegmentNumber(epoch: epoch(8), index: 3), offset: 4096))
    #expect(state.previousChain == (1...32).map { UInt8($0) })
    #expect(state.sequence == 77)
    #expect(state.heads.map(\.epoch) == [epoch(7), epoch(9)])
    #expect(state.epochs[epoch(6)]?.present == 0b1101)
    #expect(state.epochs[epoch(9)]?.branch == (9..<25).map { UInt8($0) })
    #expect(state.retired == [SegmentNumber(epoch: epoch(6), index: 2): epoch(8)])
    #expect(state.pages.count == 4)
    #expect(
      try WriteIntent.decode(state.intents) == [
        WriteIntent(
          inode: InodeNumber(rawValue: 3), size: 7, modifiedSeconds: -1, modifiedNanoseconds: 999_999_999,
          writes: [WriteIntent.Write(offset: .zero, bytes: Array("a".utf8))]),
        WriteIntent(
          inode: InodeNumber(rawValue: 4), size: 1 << 40, modifiedSeconds: 0, modifiedNanoseconds: 0,
          writes: [WriteIntent.Write(offset: FileOffset(1 << 39), bytes: Array("bc".utf8))]),
      ])
    #expect(throws: ByteReader.Malformed.self) { try HeadState(decoding: [2] + state.encoded[1...]) }
    #expect(throws: ByteReader.Malformed.self) { try HeadState(decoding: [3] + state.encoded[1...]) }
  }

  @Test func anOwnerTableIsReadAndWritten() throws {
    let state = try headState("head-state-with-owner", inode: [77, 0, 0, 0, 0, 0, 0, 0])
    let owner = try #require(state.owner)
    #expect(owner.fileCount == 300)
    #expect(owner.slots == [1, 17].map { SegmentIdentifier(bytes: ($0..<$0 + 16).map { UInt8($0) }) })
    #expect(
      owner.derivations == [
        PasswordDerivation(operations: 3, memory: 256 << 20, salt: (33..<49).map { UInt8($0) })
      ])
    #expect(
      owner.cover == [
        CoverRange(branch: (49..<65).map { UInt8($0) }, first: 7, end: 280),
        CoverRange(branch: (65..<81).map { UInt8($0) }, first: 0, end: 3),
      ])
    #expect(state.pages == [5, 6])
    #expect(state.intents == [9, 9])
  }

  /// The worked totals of the format article.
  @Test func totalsAreWhatTheArticleSays() {
    func file(_ length: Int) -> Int {
      stride(from: 0, to: length, by: Space.maximumExtentLength).reduce(0) { total, start in
        let part = min(Space.maximumExtentLength, length - start)
        return total + RecordHeader.recordLength(bodyLength: ExtentFormat.preferred.bodyLength(part))
      }
    }
    #expect(file(0) == 0)
    #expect(file(1) == 80)
    #expect(file(5000) == 5072)
    #expect(file(16_384) == 16_464)
    #expect(file(1 << 20 | 1) == 1_050_752)
    let pages = RecordHeader.recordLength(bodyLength: PagesFormat.bodyLength(3))
    let commit = RecordHeader.recordLength(bodyLength: CommitBody.size + CipherSuite.tagSize)
    #expect(pages == 12_416)
    #expect(commit == 128)
    #expect(pages + commit == 12_544)
    let branch = [UInt8](repeating: 0, count: 16)
    let one = EpochNumber(rawValue: 1)
    let empty = HeadState(
      epoch: one, time: 0, birth: FileBirth(seconds: 0, nanoseconds: 0),
      previousEnd: LogPosition(rawValue: 0), previousChain: Array(repeating: 0, count: 32), sequence: 0,
      heads: [KeptHead(epoch: one, time: 0)], epochs: [one: EpochEntry(branch: branch, present: 1)], retired: [:],
      pages: [], owner: OwnerTable())
    #expect(empty.encoded.count == 164)
    #expect(RecordHeader.recordLength(bodyLength: empty.encoded.count + CipherSuite.tagSize) == 240)
    #expect(SegmentFormat.recordsStart == 112)
  }

  /// And the log really grows by them.
  @Test func theLogGrowsByTheTotals() throws {
    let test = TestSpace()
    func growth(_ body: () throws -> Void) rethrows -> Int {
      let before = test.space.end
      try body()
      return test.space.end - before
    }
    _ = try test.space.append([1])
    #expect(test.space.end == 112 + 240 + 80)
    #expect(try growth { _ = try test.space.append(randomBytes(5000, seed: 1)) } == 5072)
    #expect(try growth { _ = try test.space.append(randomBytes(16_384, seed: 1)) } == 16_464)
    let three = Dictionary(uniqueKeysWithValues: (1...3).map { (UInt32($0), page(UInt32($0), version: 1)) })
    #expect(try growth { try test.space.commit(three, pageCount: 3) } == 12_544)
  }
}
