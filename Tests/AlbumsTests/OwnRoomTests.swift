import AlbumsSupport
import FaultyStorage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// A space that owns cover stores what it was made for, and there is no room beyond that; overwriting and deleting go on.
@Suite struct OwnRoomTests {
  private static let password = "the password"
  private static let size = 300_000
  private let storage = FaultyStorage()

  @Test(arguments: [8 << 20, 40 << 20]) func whatFitsIsTheSize(_ cover: Int64) throws {
    let vault = Vault(storage: storage, parameters: .cheap)
    try SpaceManager.addSpace(to: vault, password: .of(Self.password), cover: cover)
    var files = try vault.mount(.of(Self.password))
    let free = try files.statistics().availableBlocks * 4096
    let count = try files.fill("f", size: Self.size)
    #expect(count * Self.size >= cover - 2 << 20)
    #expect(count * Self.size <= free)
    #expect(count * Self.size > Int(free) - 2 * TestVault.segmentSize)
    #expect(try files.statistics().availableBlocks * 4096 < 2 * UInt64(TestVault.segmentSize))

    // Overwriting in place goes on, three times all of it, also after another mount.
    for round in 1...3 {
      for number in 0..<count {
        try files.put(pattern(Self.size, number + 1000 * round), files.find("f\(number)").inode)
        if number % 5 == 0 { try files.synchronize() }
      }
      try files.close()
      files = try vault.mount(.of(Self.password))
    }
    for number in 0..<count {
      let content = try files.get(files.find("f\(number)").inode)
      #expect(isSame(content, pattern(Self.size, number + 3000)))
    }
    // What is deleted can be written at once.
    for number in 0..<count {
      try files.delete("f\(number)")
      try files.put(pattern(Self.size, number), files.make("g\(number)"))
    }
    try files.synchronize()
    try files.close()
    let report = try SpaceManager.check(in: vault, password: .of(Self.password), readData: true)
    #expect(report.problems == [])
  }

  /// Whoever writes while a large file is being deleted waits for that, and not for rounds of cleaning: nobody cleans
  /// here.
  @Test func whoWritesWaitsForDeletingOnly() throws {
    let vault = Vault(storage: storage, parameters: .cheap)
    try SpaceManager.addSpace(to: vault, password: .of(Self.password), cover: 40 << 20)
    let files = try vault.mount(.of(Self.password)) {
      $0.cleans = false
      $0.commitInterval = 3600
    }
    // Far more extents than one step deletes, and nearly all bytes behind them.
    let large = try files.make("large")
    let few = pattern(16, 1)
    for number in 0..<10_000 { try files.put(few, large, at: number * 8192) }
    try files.put(pattern(30 << 20, 1), large, at: 10_000 * 8192)
    try files.synchronize()
    let count = try files.fill("f", size: Self.size)
    try files.delete("large")
    for number in 0..<20 { try files.put(pattern(Self.size, number), files.make("g\(number)")) }
    for number in 0..<20 {
      #expect(try isSame(files.get(files.find("g\(number)").inode), pattern(Self.size, number)))
    }
    #expect(count > 0)
    try files.close()
  }
}
