import AlbumsSupport
import Crypto
import FaultyStorage
import Index
import System
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import Albums

/// The hash of what the storage has. `FaultyStorage` gives a reader past memory nothing that a power cut could take.
@Suite struct StoredDigestTests {
  private static let owner = Opener(user: 1000, group: 1000)

  private static func hash(_ bytes: [UInt8], _ key: ContentKey = .ofThisRun) -> [UInt8] {
    var hasher = ContentHasher(key)
    unsafe bytes.withUnsafeBytes { unsafe hasher.update($0) }
    return hasher.finish()
  }

  @Test(arguments: [0, 1, 4096, 70_001, 3_000_000]) func whatWasWrittenIsRead(count: Int) throws {
    let vault = try TestVault()
    let inode = try vault.files.make("a")
    let content = pattern(count, 3)
    try vault.files.put(content, inode)
    let found = try vault.files.storedDigest(of: inode, for: Self.owner)
    #expect(found == StoredDigest(size: Int64(count), hash: Self.hash(content)))
    // Once more when nothing is to be written, and after the next mount.
    #expect(try vault.files.storedDigest(of: inode, for: Self.owner) == found)
    try vault.reopen()
    #expect(try vault.files.storedDigest(of: inode, for: Self.owner) == found)
    try vault.files.close()
  }

  /// Nothing under a key of zeros is test case 1 of the specification of GCM; "abc" was computed by another program.
  @Test func theHashIsGMAC() throws {
    func digits(_ key: [UInt8], _ text: String) throws -> String {
      Hexadecimal.text(of: Self.hash(Array(text.utf8), try #require(ContentKey(key))))
    }
    #expect(try digits([UInt8](repeating: 0, count: 16), "") == "58e2fccefa7e3061367f1d57a4e7455a")
    #expect(try digits(Array(0..<16), "abc") == "71c97e7265176abb1ea435384743293d")
    #expect(ContentKey([1, 2, 3]) == nil)
  }

  @Test func holesAndOverwrittenPartsAreRead() throws {
    let vault = try TestVault()
    let inode = try vault.files.make("a")
    var content = [UInt8](repeating: 0, count: 2_500_000)
    for (offset, count, seed) in [(5, 10_000, 1), (1_048_570, 20, 2), (2_400_000, 100_000, 3), (3000, 9000, 4)] {
      let part = pattern(count, seed)
      try vault.files.put(part, inode, at: offset)
      content.replaceSubrange(offset..<offset + count, with: part)
      if seed % 2 == 0 { try vault.files.synchronize() }
    }
    #expect(try vault.files.storedDigest(of: inode, for: Self.owner).hash == Self.hash(content))
    #expect(Checker.check(vault.space, readData: true).problems == [])
    try vault.files.close()
  }

  @Test func wrongBytesAreTold() throws {
    let vault = try TestVault()
    let inode = try vault.files.make("a", with: pattern(300_000, 1))
    _ = try vault.files.storedDigest(of: inode, for: Self.owner)
    let position = try vault.files.locked { try $0.index.firstExtent(of: inode).position }
    vault.storage.flip(try vault.space.name(of: position.segment), at: position.offset + 200_000)
    expect(.ioError) { _ = try vault.files.storedDigest(of: inode, for: Self.owner) }
    try? vault.files.close()
  }

  @Test func whoMayNotReadGetsNone() throws {
    let vault = try TestVault()
    let inode = try vault.files.make("a", mode: 0o600)
    try vault.files.put(pattern(10, 1), inode)
    expect(.permissionDenied) {
      _ = try vault.files.storedDigest(of: inode, for: Opener(user: 1001, group: 1001))
    }
    expect(.isDirectory) { _ = try vault.files.storedDigest(of: .root, for: Self.owner) }
    try vault.files.close()
  }

  /// What a power cut leaves after the names were made durable has the hash that was told before.
  @Test(arguments: TestLength.seedArguments(20)) func aPowerCutTakesNothingThatWasHashed(seed: UInt64) throws {
    let vault = try TestVault()
    var files: [(name: String, hash: [UInt8])] = []
    var numbers = SeededGenerator(seed: seed)
    for number in 0..<6 {
      let inode = try vault.files.make("\(number)", with: pattern(Int.random(in: 1...200_000, using: &numbers), number))
      files.append(("\(number)", try vault.files.storedDigest(of: inode, for: Self.owner).hash))
    }
    try vault.files.synchronize()
    let after = try vault.afterPowerCut(seed: seed)
    for file in files {
      let inode = try after.files.find(file.name).inode
      #expect(try after.files.storedDigest(of: inode, for: Self.owner).hash == file.hash)
    }
    try after.files.close()
  }
}
