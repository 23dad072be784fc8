import Crypto
import FaultyStorage
import Storage
import Testing

@testable import Vault

/// A vault in memory with one space, and a record of what was committed to it.
final class TestSpace {
  static let segmentSize = VaultParameters.cheap.segmentSize
  /// The files of a space that owns cover: few, so that dead segments go soon.
  static let ownFiles = 24
  let vault: Vault
  let storage: FaultyStorage
  let body: SlotBody
  var space: Space

  init(
    suite: CipherSuite = .aes256gcm, storage: FaultyStorage = FaultyStorage(), ownFiles: Int64 = 0,
    copyWindow: Int64 = 0
  ) {
    self.storage = storage
    vault = Vault(storage: storage, parameters: .cheap)
    guard let made = try? vault.createSpace(suite: suite, ownFiles: ownFiles, copyWindow: copyWindow) else {
      preconditionFailure("somebody else is in the vault")
    }
    space = made.space
    body = made.body
  }

  /// A space that owns cover, with all its files.
  ///
  /// - Parameter version: what page 1 has, durably; nothing is committed without.
  static func owningCover(_ files: Int = ownFiles, version: Int? = nil) throws -> TestSpace {
    let test = TestSpace(ownFiles: Int64(files))
    try test.space.cover.restoreFileCount()
    if let version { try test.space.commitDurably(version: version) }
    return test
  }

  /// The same vault's files in another storage.
  func vault(over storage: FaultyStorage) -> Vault { Vault(storage: storage, parameters: vault.parameters) }

  /// Ends the process without closing, and opens the space again.
  func reopenAfterKill() throws {
    storage.killProcess()
    space = try vault.openSpace(body, copyWindow: 0)
  }
}

/// A database page whose bytes all depend on `version`.
func page(_ number: UInt32, version: Int) -> [UInt8] {
  randomBytes(Space.databasePageSize, seed: UInt64(number) << 32 | UInt64(version))
}

extension Space {
  func commit(_ pages: [UInt32: [UInt8]], pageCount: UInt32, intents: IntentChange = .none) throws {
    let images = pages.map { (PageNumber(rawValue: $0), PageImage($1)) }
    var transaction = LogTransaction(PageChanges(pages: Dictionary(uniqueKeysWithValues: images), pageCount: pageCount))
    transaction.intents = intents
    try commit(transaction)
  }

  /// Commits a version of page 1, and makes it durable.
  func commitDurably(version: Int, pageCount: UInt32 = 1) throws {
    try commit([1: page(1, version: version)], pageCount: pageCount)
    try sync()
  }

  /// Commits a version of page 1, and closes the space.
  func commitAndClose(version: Int, pageCount: UInt32 = 1) throws {
    try commit([1: page(1, version: version)], pageCount: pageCount)
    try close()
  }

  /// Commits that segments are given up.
  func retire(_ segments: [SegmentNumber]) throws {
    var transaction = LogTransaction()
    transaction.retiring = segments
    try commit(transaction)
  }

  /// Commits intents alone.
  func state(_ intents: [WriteIntent]) throws { try commit(LogTransaction(stating: intents)) }

  var isReadOnly: Bool { !gate.isOpen }
  var end: Int { log.locked { $0.tail.end } }
  var endSegment: SegmentNumber { log.locked { $0.tail.segment } }
  var sequence: UInt64 { log.locked { $0.tail.sequence } }
  var highestEpoch: EpochNumber { log.locked { $0.catalog.highestEpoch } }
  /// Bytes that the reserve holds.
  var heldReserve: Int { log.locked { $0.room.held } }
  func branch(of epoch: EpochNumber) -> [UInt8]? { log.locked { $0.catalog.branch(of: epoch) } }
  /// The name of a segment's file.
  func identifier(of segment: SegmentNumber) throws -> SegmentIdentifier {
    keys.identifier(segment, branch: try #require(branch(of: segment.epoch)))
  }

  func pageBytes(_ number: UInt32) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    try unsafe bytes.withUnsafeMutableBytes { try unsafe readPage(PageNumber(rawValue: number), into: $0) }
    return bytes
  }

  func append(_ bytes: [UInt8], inode: UInt64 = 5, offset: Int = 0) throws -> [ExtentPiece] {
    try unsafe bytes.withUnsafeBytes { buffer in
      let write = unsafe ExtentWrite(
        inode: InodeNumber(rawValue: inode), offset: FileOffset(offset), plaintext: unsafe buffer)
      return try append([write])
    }
  }

  func bytes(_ piece: ExtentPiece, _ range: Range<Int>? = nil) throws -> [UInt8] {
    let range = range ?? 0..<piece.length
    var bytes = [UInt8](repeating: 0, count: range.count)
    try unsafe bytes.withUnsafeMutableBytes { buffer in
      try unsafe read(piece.position, recordLength: piece.length, range: range, into: buffer)
    }
    return bytes
  }
}

extension ExtentPiece {
  /// What the piece holds of a write that began at offset 0.
  func part(of data: [UInt8]) -> [UInt8] { Array(data.dropFirst(Int(offset.rawValue)).prefix(length)) }
}
