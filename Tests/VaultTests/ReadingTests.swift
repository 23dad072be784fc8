import FaultyStorage
import Testing

@testable import Vault

/// Reading parts of long records, which takes several reads of a file.
@Suite struct ReadingTests {
  let test = TestSpace()
  let piece: ExtentPiece
  let whole: [UInt8]
  /// What was written after that.
  let others: [ExtentPiece]

  init() throws {
    let data = randomBytes(800_007, seed: 7)
    let pieces = try test.space.append(data)
    piece = try #require(pieces.max { $0.length < $1.length })
    whole = piece.part(of: data)
    others = try test.space.append(randomBytes(900_000, seed: 2))
    try test.space.commitAndClose(version: 1)
  }

  @Test func everyRangeOfALongRecordIsRead() throws {
    let space = try test.vault.openSpace(test.body)
    let pageSize = space.filePageSize
    try #require(whole.count > 20 * pageSize)
    var places: [Int] = [whole.count - 1]
    for page in stride(from: 0, through: whole.count / pageSize, by: 8) {
      let place = page * pageSize
      places += [place - 1, place, place + 1, place + 4096].filter { $0 >= 0 && $0 < whole.count }
    }
    for start in places {
      for end in places + [whole.count] where start < end {
        #expect(try space.bytes(piece, start..<end) == Array(whole[start..<end]), "\(start)..<\(end)")
      }
    }
    try space.close()
  }

  @Test func oneDamagedPageHurtsItsReadersOnly() throws {
    let pageSize = test.space.filePageSize
    let lastPage = (whole.count - 1) / pageSize
    for damaged in [0, 1, 7, 8, 9, 15, 16, 17, lastPage - 1, lastPage] {
      let storage = damaged.isMultiple(of: 2) ? test.storage.copy() : test.storage.after(.keepsAll)
      let place = RecordHeader.sealedSize + damaged * test.space.keys.extents.sealedPageSize + 100
      storage.flip(try test.space.identifier(of: piece.position.segment), at: piece.position.offset + place)
      let space = try test.vault(over: storage).openSpace(test.body)
      for page in 0...lastPage {
        let range = page * pageSize..<min(whole.count, (page + 1) * pageSize)
        if page == damaged {
          #expect(throws: VaultError.self) { try space.bytes(piece, range) }
          #expect(throws: VaultError.self) { try space.bytes(piece, range.upperBound - 1..<range.upperBound) }
        } else {
          #expect(try space.bytes(piece, range) == Array(whole[range]))
        }
      }
      #expect(throws: VaultError.self) { try space.bytes(piece) }
      for other in others { #expect(try space.bytes(other) == other.part(of: randomBytes(900_000, seed: 2))) }
      if damaged > 0 {
        let before = 0..<damaged * pageSize
        #expect(try space.bytes(piece, before) == Array(whole[before]))
        #expect(throws: VaultError.self) { try space.bytes(piece, 0..<damaged * pageSize + 1) }
      }
    }
  }
}
