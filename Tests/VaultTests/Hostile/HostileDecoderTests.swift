import Crypto
import FaultyStorage
import Storage
import System
import TestSupport
import Testing

@testable import Vault

/// Every decoder of the format gets bytes that somebody with the key made: it refuses them or takes them, and what it
/// takes can be counted with. A trap ends the test; the case is the last line printed.
@Suite struct HostileDecoderTests {
  /// How many inputs each decoder gets in a run of all tests.
  private static let cases = TestLength.isLong ? 200_000 : 6000

  private static let epoch = EpochNumber(rawValue: 7)
  private static let chain = [UInt8](repeating: 3, count: SpaceKeys.chainSize)
  private static let branch = [UInt8](repeating: 4, count: SpaceKeys.branchSize)
  private static let intents = WriteIntent.encode([VectorTests.intent, VectorTests.intent])
  private static let owner: OwnerTable = {
    var owner = OwnerTable(ownFiles: 40)
    owner.slots = [SegmentIdentifier(bytes: randomBytes(16))]
    owner.derivations = VaultParameters.cheap.derivations
    return owner
  }()
  private static let head = HeadState(
    epoch: epoch, time: 1_700_000_000, birth: FileBirth(seconds: 2, nanoseconds: 3),
    previousEnd: LogPosition(segment: SegmentNumber(epoch: EpochNumber(rawValue: 6), index: 1), offset: 4096),
    previousChain: chain, sequence: 12, heads: [KeptHead(epoch: EpochNumber(rawValue: 6), time: 5)],
    epochs: [epoch: EpochEntry(branch: branch, present: 3)],
    retired: [SegmentNumber(epoch: EpochNumber(rawValue: 3), index: 0): EpochNumber(rawValue: 5)],
    pages: [1 << 32, 0, 2 << 32], owner: owner, intents: intents)

  private func feed(_ name: String, _ valid: [[UInt8]], _ decode: ([UInt8]) -> Void) {
    print("hostile bytes: \(name)")
    for bytes in valid { decode(bytes) }
    for number in 0..<Self.cases {
      var mutation = Mutation(seed: UInt64(number))
      decode(mutation.resized(valid[number % valid.count]))
    }
  }

  @Test func everyDecoderTakesOrRefuses() throws {
    var accepted = 0
    let header = SegmentHeader(
      number: SegmentNumber(epoch: Self.epoch, index: 5), branch: Self.branch, previousEnd: 4096, chain: Self.chain)
    feed("segment header", [header.encoded]) { bytes in
      guard let header = try? SegmentHeader(decoding: bytes) else { return }
      #expect(header.number.epoch <= .highest)
      accepted += 1
    }
    let records = [
      RecordHeader(kind: .extent, bodyLength: 9000, first: 7, second: 1 << 20, third: 8900),
      RecordHeader(kind: .pages, bodyLength: PagesFormat.bodyLength(2), first: 2),
      RecordHeader(kind: .commit, flags: 3, bodyLength: 200, first: 12),
      RecordHeader(kind: .head, bodyLength: 1000, first: 0, second: 984, third: 984),
    ]
    feed("record header", records.map(\.encoded)) { bytes in
      guard let header = RecordHeader(decoding: bytes) else { return }
      #expect(header.recordLength >= RecordHeader.sealedSize)
      accepted += 1
    }
    var commit = CommitBody(
      recordCount: 1, pageCount: 9, sequence: 12,
      flushedThrough: LogPosition(segment: SegmentNumber(epoch: Self.epoch, index: 0), offset: 112), chain: Self.chain)
    let plain = commit.encoded
    commit.intents = IntentChange(bytes: Self.intents, replacesOlder: false)
    feed("commit", [plain, commit.encoded]) { bytes in
      for flags in [0, RecordHeader.intentsFlag] {
        guard let commit = try? CommitBody(decoding: bytes, flags: flags) else { continue }
        #expect(commit.sequence + 1 > commit.sequence)
        _ = commit.flushedThrough.segment.epoch
        accepted += 1
      }
    }
    feed("write intents", [Self.intents]) { bytes in
      for intent in (try? WriteIntent.decode(bytes)) ?? [] {
        for write in intent.writes { #expect(write.offset + write.bytes.count <= FileOffset(rawValue: intent.size)) }
        accepted += 1
      }
    }
    var body = SlotBody(spaceKey: SecretBytes.random(count: CipherSuite.keySize), suite: .aes256gcm)
    body.compatible = 5
    let rekeyed = body.successor(from: EpochNumber(rawValue: 1 << 7))
    feed("slot", [body.encoded.copied, rekeyed.encoded.copied]) { bytes in
      // What is sealed in a slot has one of two lengths.
      guard bytes.count == SlotBody.size || bytes.count == SlotBody.rekeyedSize else { return }
      if (try? SlotBody(decoding: SecretBytes(bytes))) != nil { accepted += 1 }
    }
    feed("parameters", [VaultParameters.cheap.json]) { bytes in
      if (try? VaultParameters(json: bytes)) != nil { accepted += 1 }
    }
    #expect(accepted > Self.cases)
  }

  @Test func everyHeadIsTakenOrRefused() throws {
    var accepted = 0
    feed("head", [Self.head.encoded]) { bytes in
      guard let state = try? HeadState(decoding: bytes) else { return }
      accepted += 1
      #expect(state.epoch.rawValue + 1 > 0 && state.sequence + 1 > 0)
      var recovered = RecoveredState()
      (recovered.epochs, recovered.heads, recovered.retired) = (state.epochs, state.heads, state.retired)
      (recovered.pages, recovered.owner, recovered.highestEpoch) = (state.pages, state.owner, state.epoch)
      var catalog = SegmentCatalog(recovered)
      _ = (catalog.segments, catalog.needed, catalog.keptCount, catalog.countDeletableAfterTwoHeads)
      catalog.retire(catalog.segments)
      _ = catalog.keptHeads(adding: KeptHead(epoch: state.epoch, time: .max), window: 86_400)
      catalog.note(heads: state.heads, retired: catalog.retired(asOf: state.epoch))
      catalog.remove(catalog.deletable)
      #expect(PageMap(positions: state.pages).pageCount == state.pages.count)
      #expect(state.encoded.count >= HeadState.fixedSize)
    }
    #expect(accepted > 100)
  }

  @Test func everyOwnerTableIsTakenOrRefused() throws {
    var (left, begun) = (Self.owner, Self.owner)
    left.rekeying = .left(successor: Array(Self.branch[..<OwnerTable.markSize]))
    begun.beginRekeying(branch: Self.branch)
    let tables = [Self.owner, left, begun].map { owner in
      var writer = ByteWriter()
      owner.encode(to: &writer)
      return writer.bytes
    }
    var accepted = 0
    feed("owner table", tables) { bytes in
      guard var owner = try? OwnerTable(decoding: bytes) else { return }
      accepted += 1
      #expect(owner.coverCount >= 0 && owner.encodedSize > 0)
      _ = owner.derivations.map(\.work)
      _ = RoomBudget.usableBytes(files: Int64(owner.fileCount), segmentSize: SegmentFormat.sizeRange.upperBound)
      owner.setCover(count: 17) { Self.branch }
      #expect(owner.cover.reduce(0) { $0 + $1.count } == 17)
      for _ in 0..<20 { _ = owner.takeCover() }
      owner.beginRekeying(branch: Self.branch)
      for _ in 0..<20 { _ = owner.takePreviousCover() }
    }
    #expect(accepted > 100)
  }

  @Test func everyCheckpointRecordIsTakenOrRefused() throws {
    let test = TestSpace()
    try test.space.commit([1: page(1, version: 1)], pageCount: 1)
    let keys = test.space.keys
    let record = test.space.record(of: test.space.checkpoint)
    let plain = try #require(SlotSealing.open(record, key: keys.recordKey, associatedData: [])).copied
    var accepted = 0
    feed("checkpoint record", [plain]) { bytes in
      let sealed = SlotSealing.seal(SecretBytes(bytes), key: keys.recordKey, associatedData: [])
      guard let checkpoint = test.space.checkpoint(fromRecord: sealed) else { return }
      accepted += 1
      _ = test.space.rollbackStatus(since: checkpoint)
    }
    #expect(accepted > 100)
  }
}
