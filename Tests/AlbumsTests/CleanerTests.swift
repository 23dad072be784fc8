import AlbumsSupport
import FaultyStorage
import Testing
import Vault

@testable import Albums

@Suite struct CleanerTests {
  @Test func cleaningShrinksTheStoreAndLosesNothing() throws {
    let vault = try TestVault {
      $0.commitInterval = 3600
      $0.cleans = false
    }
    let files = vault.files
    var kept: [InodeNumber: [UInt8]] = [:]
    for number in 0..<120 {
      let content = pattern(150_000, number)
      let file = try files.make("f\(number)", with: content)
      if number % 6 == 0 { kept[file] = content }
      if number % 10 == 9 { try files.synchronize() }
    }
    // Shared and cut extents move as well.
    let shared = try files.make("shared")
    let first = try #require(kept.keys.min())
    _ = try files.copyRange(from: first, at: FileOffset(1000), to: shared, at: .zero, length: 100_000)
    kept[shared] = Array(pattern(150_000, 0)[1000..<101_000])
    try files.resize(first, 120_000)
    kept[first] = Array(pattern(150_000, 0)[..<120_000])
    for number in 0..<120 where number % 6 != 0 { try files.delete("f\(number)") }
    try files.synchronize()
    let before = vault.storage.names.count
    for _ in 0..<6 {
      try files.cleaner.clean()
      try vault.space.advanceEpoch()
    }
    try vault.space.advanceEpoch()
    let live = kept.values.reduce(0) { $0 + $1.count }
    // Two more heads lead to the head before the newest.
    #expect(2 * (vault.storage.names.count - 2) <= before)
    #expect(vault.storage.names.count * TestVault.segmentSize < 4 * live + (12 << 20))
    for (file, content) in kept { #expect(try files.get(file) == content) }
    try vault.reopen()
    for (file, content) in kept { #expect(try vault.files.get(file) == content) }
    try vault.closeSound()
  }

  @Test func nothingIsCopiedWhereLittleIsGarbage() throws {
    let vault = try TestVault { $0.cleans = false }
    for number in 0..<30 { try vault.files.put(pattern(150_000, number), try vault.files.make("f\(number)")) }
    try vault.files.synchronize()
    let operations = vault.storage.operationCount
    #expect(try !vault.files.cleaner.clean())
    #expect(vault.storage.operationCount == operations)
    try vault.files.close()
  }
}
