import Crypto
import FaultyStorage
import Storage
import Testing

@testable import Vault

/// A vault in memory with one space, and a record of what was committed to it.
final class TestSpace {
  static let segmentSize = VaultParameters.cheap.segmentSize
  let vault: Vault
  let storage: FaultyStorage
  let body: SlotBody
  var space: Space

  init(suite: CipherSuite = .aes256gcm, storage: FaultyStorage = FaultyStorage(), copyWindow: Int64 = 0) {
    self.storage = storage
    vault = Vault(storage: storage, parameters: .cheap)
    let made = vault.createSpace(suite: suite, copyWindow: copyWindow)
    space = made.space
    body = made.body
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
  func commit(_ pages: [UInt32: [UInt8]], pageCount: UInt32) throws {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, pages.count) * 4096, alignment: 16)
    defer { unsafe block.deallocate() }
    var writes: [PageWrite] = []
    for (index, page) in pages.sorted(by: { $0.key < $1.key }).enumerated() {
      let place = unsafe UnsafeMutableRawBufferPointer(rebasing: block[index * 4096..<(index + 1) * 4096])
      unsafe place.copyBytes(from: page.value)
      unsafe writes.append(PageWrite(number: PageNumber(rawValue: page.key), bytes: UnsafeRawBufferPointer(place)))
    }
    try commit(writes, pageCount: pageCount)
  }

  func pageBytes(_ number: UInt32) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    var failure: VaultError?
    unsafe bytes.withUnsafeMutableBytes { buffer in
      do throws(VaultError) {
        try unsafe readPage(PageNumber(rawValue: number), into: buffer)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  func append(_ bytes: [UInt8], inode: UInt64 = 5, offset: Int = 0) throws -> [ExtentPiece] {
    var result: Result<[ExtentPiece], VaultError> = .success([])
    unsafe bytes.withUnsafeBytes { buffer in
      do throws(VaultError) {
        let write = unsafe ExtentWrite(
          inode: InodeNumber(rawValue: inode), offset: FileOffset(offset), plaintext: unsafe buffer)
        result = .success(try append([write]))
      } catch {
        result = .failure(error)
      }
    }
    return try result.get()
  }

  func bytes(_ piece: ExtentPiece, _ range: Range<Int>? = nil) throws -> [UInt8] {
    let range = range ?? 0..<piece.length
    var bytes = [UInt8](repeating: 0, count: range.count)
    var failure: VaultError?
    unsafe bytes.withUnsafeMutableBytes { buffer in
      do throws(VaultError) {
        try unsafe read(piece.position, recordLength: piece.length, range: range, into: buffer)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
