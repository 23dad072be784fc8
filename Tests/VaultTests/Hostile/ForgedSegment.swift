import Crypto
import Storage
import Testing

@testable import Vault

/// A segment that is taken apart, and put together again with other content under the right keys: as somebody with the
/// key of the space can do it.
struct ForgedSegment {
  struct Record {
    var header: [UInt8]
    /// Plaintexts of the body's blobs, in order, with their kinds.
    var blobs: [(kind: UInt8, plaintext: [UInt8])]
    /// The record's kind.
    let kind: RecordKind
  }

  let identifier: SegmentIdentifier
  let salt: [UInt8]
  /// The epoch whose keys it has.
  let epoch: EpochNumber
  var header: [UInt8]
  var records: [Record] = []

  /// Takes a file apart; nil if it is no segment of the space.
  init?(_ identifier: SegmentIdentifier, in space: Space) throws {
    guard let file = try? space.storage.open(identifier), let handle = try SegmentHandle.open(file, keys: space.keys)
    else { return nil }
    self.identifier = identifier
    salt = try file.bytes(at: 0, count: SegmentFormat.saltSize)
    header = handle.header.encoded
    epoch = handle.number.epoch
    var reader = LogReader(space.log.context, handle)
    reader.staysInSegment = true
    while let record = try reader.next() {
      var blobs: [(kind: UInt8, plaintext: [UInt8])] = []
      var offset = record.bodyOffset
      func take(_ length: Int, _ kind: UInt8) {
        guard let plaintext = record.blob(at: offset, sealedLength: length, kind: kind) else { return }
        blobs.append((kind, plaintext))
        offset += length
      }
      switch record.header.kind {
      case .commit: take(record.header.bodyLength, BlobKind.commit)
      case .head: take(record.header.bodyLength, BlobKind.head)
      case .pages:
        let count = Int(record.header.first)
        take(4 * count + CipherSuite.tagSize, BlobKind.pageNumbers)
        for _ in 0..<count { take(PagesFormat.sealedPageSize, BlobKind.databasePage) }
      case .extent:
        let end = record.bodyOffset + record.header.bodyLength
        while offset < end { take(min(space.keys.extents.sealedPageSize, end - offset), BlobKind.filePage) }
      }
      records.append(Record(header: record.header.encoded, blobs: blobs, kind: record.header.kind))
    }
  }

  /// The file: sealed at the right places, with the right chain in commits unless `mendsChain` is false.
  func file(for keys: SpaceKeys, mendsChain: Bool = true) -> [UInt8] {
    let key = keys.segmentKey(salt: salt)
    var file = salt + key.seal(header, at: SegmentFormat.saltSize, kind: BlobKind.segmentHeader)
    var chain = Array(header.suffix(SpaceKeys.chainSize))
    for record in records {
      let sealed = key.seal(record.header, at: file.count, kind: BlobKind.recordHeader)
      file += sealed
      for (kind, plaintext) in record.blobs {
        var plaintext = plaintext
        if kind == BlobKind.commit, mendsChain, plaintext.count >= CommitBody.size {
          plaintext.replaceSubrange(24..<CommitBody.size, with: chain)
        }
        file += key.seal(plaintext, at: file.count, kind: kind)
      }
      chain = keys.chain(after: chain, tag: Array(sealed.suffix(CipherSuite.tagSize)), in: epoch)
      file += [UInt8](repeating: 9, count: -file.count & (SegmentFormat.alignment - 1))
    }
    let padding = [UInt8](repeating: 9, count: max(0, TestSpace.segmentSize - file.count))
    return Array(file.prefix(TestSpace.segmentSize)) + padding
  }
}
