import FaultyStorage
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// A space that owns cover stores what it was made for, and there is no room beyond that; overwriting and deleting go on.
@Suite struct OwnRoomTests {
  private static let password = "the password"
  private static let size = 300_000
  private let storage = FaultyStorage()

  /// Writes files until there is no room; gives how many.
  private func fill(_ files: FileSystem, from first: Int = 0) throws -> Int {
    var number = first
    var rounds = Rounds(until: "there is no room")
    while true {
      try rounds.begin()
      let file = try files.make("f\(number)")
      do {
        try files.put(pattern(Self.size, number), file)
        try files.synchronize()
      } catch Errno.noSpace {
        files.forget(try files.unlink(.of("f\(number)"), in: .root))
        return number - first
      }
      number += 1
    }
  }

  @Test(arguments: [8 << 20, 40 << 20]) func whatFitsIsTheSize(_ cover: Int64) throws {
    let vault = Vault(storage: storage, parameters: .cheap)
    try SpaceManager.addSpace(to: vault, password: .of(Self.password), cover: cover)
    let open = { () throws in
      try FileSystem(
        space: SpaceManager.openSpace(in: vault, password: .of(Self.password)),
        options: FileSystemOptions(logger: quietLogger))
    }
    var files = try open()
    let free = try files.statistics().availableBlocks * 4096
    let count = try fill(files)
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
      files = try open()
    }
    for number in 0..<count {
      let content = try files.get(files.find("f\(number)").inode)
      #expect(isSame(content, pattern(Self.size, number + 3000)))
    }
    // What is deleted can be written at once.
    for number in 0..<count {
      files.forget(try files.unlink(.of("f\(number)"), in: .root))
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
    var options = FileSystemOptions(logger: quietLogger)
    options.cleans = false
    options.commitInterval = 3600
    let files = try FileSystem(
      space: SpaceManager.openSpace(in: vault, password: .of(Self.password)), options: options)
    // Far more extents than one step deletes, and nearly all bytes behind them.
    let large = try files.make("large")
    let few = pattern(16, 1)
    for number in 0..<10_000 { try files.put(few, large, at: number * 8192) }
    try files.put(pattern(30 << 20, 1), large, at: 10_000 * 8192)
    try files.synchronize()
    let count = try fill(files)
    files.forget(try files.unlink(.of("large"), in: .root))
    for number in 0..<20 { try files.put(pattern(Self.size, number), files.make("g\(number)")) }
    for number in 0..<20 {
      #expect(try isSame(files.get(files.find("g\(number)").inode), pattern(Self.size, number)))
    }
    #expect(count > 0)
    try files.close()
  }
}
