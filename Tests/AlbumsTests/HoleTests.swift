import Index
import SystemPackage
import Testing
import Vault

@testable import Albums

/// What `fallocate` makes of files, and what `lseek` tells of them.
@Suite struct HoleTests {
  let vault: TestVault
  var files: FileSystem { vault.files }
  init() throws { vault = try TestVault() }

  @Test func holesAndData() throws {
    let file = try files.make("f")
    let seek = { (offset: Int, target: SeekTarget) in
      Int(try vault.files.seek(file, from: FileOffset(offset), to: target).rawValue)
    }
    expect(.noSuchAddressOrDevice) { _ = try seek(0, .data) }
    try files.put(pattern(8192, 1), file, at: 1 << 20)
    try files.resize(file, 4 << 20)
    for _ in 0..<2 {
      #expect(try seek(0, .data) == 1 << 20)
      #expect(try seek(0, .hole) == 0)
      #expect(try seek(1 << 20, .hole) == (1 << 20) + 8192)
      expect(.noSuchAddressOrDevice) { _ = try seek((1 << 20) + 8192, .data) }
      #expect(try seek(3 << 20, .hole) == 3 << 20)
      expect(.noSuchAddressOrDevice) { _ = try seek(4 << 20, .hole) }
      try files.synchronize()
    }
    #expect(try files.attributes(of: file).blocks512 == 16)
    try files.allocate(file, mode: [.punchHole, .keepSize], offset: FileOffset((1 << 20) + 100), length: 1000)
    #expect(try seek(1 << 20, .hole) == (1 << 20) + 8192)
    #expect(
      try files.get(file, at: (1 << 20) + 90, count: 20) == pattern(8192, 1)[90..<100]
        + [UInt8](repeating: 0, count: 10))
    for mode in [AllocationMode.punchHole, [.punchHole, .zeroRange], AllocationMode(rawValue: 8)] {
      expect(.notSupported) { try files.allocate(file, mode: mode, offset: .zero, length: 1) }
    }
    try files.allocate(file, mode: [], offset: .zero, length: 5 << 20)
    #expect(try files.attributes(of: file).size == 5 << 20)
    try files.allocate(file, mode: .keepSize, offset: .zero, length: 6 << 20)
    #expect(try files.attributes(of: file).size == 5 << 20)
    expect(.noSpace) { try files.allocate(file, mode: [], offset: .zero, length: 1 << 55) }
    try files.close()
  }

  @Test func holesAndDataAreToldInBlocks() throws {
    let file = try files.make("f")
    let seek = { (offset: Int, target: SeekTarget) in
      Int(try vault.files.seek(file, from: FileOffset(offset), to: target).rawValue)
    }
    // Data in blocks 1, 3 and 4 (all but a byte of block 3 after a hole in it), 7; the end in the middle of block 9.
    try files.put([1], file, at: 4096 + 50)
    try files.put(pattern(4097, 1), file, at: 3 * 4096)
    try files.put([1, 2], file, at: 8 * 4096 - 2)
    try files.resize(file, 9 * 4096 + 100)
    for _ in 0..<2 {
      #expect(try seek(0, .data) == 4096)
      #expect(try seek(0, .hole) == 0)
      #expect(try [4096, 4100, 4150, 8191].map { try seek($0, .data) } == [4096, 4100, 4150, 8191])
      #expect(try [4096, 4100, 4150, 8191].allSatisfy { try seek($0, .hole) == 2 * 4096 })
      #expect(try seek(2 * 4096 + 1, .hole) == 2 * 4096 + 1)
      #expect(try seek(2 * 4096 + 1, .data) == 3 * 4096)
      #expect(try seek(3 * 4096, .hole) == 5 * 4096)
      #expect(try seek(5 * 4096, .data) == 7 * 4096)
      #expect(try seek(7 * 4096 + 1, .data) == 7 * 4096 + 1)
      #expect(try seek(7 * 4096 + 1, .hole) == 8 * 4096)
      #expect(try seek(9 * 4096 + 99, .hole) == 9 * 4096 + 99)
      expect(.noSuchAddressOrDevice) { _ = try seek(8 * 4096, .data) }
      try files.synchronize()
    }
    // What waits and what is stored meet in one block.
    try files.allocate(file, mode: [.punchHole, .keepSize], offset: FileOffset(3 * 4096), length: 4095)
    try files.put([1], file, at: 5 * 4096 + 4000)
    #expect(try seek(2 * 4096, .data) == 3 * 4096)
    #expect(try seek(3 * 4096, .hole) == 6 * 4096)
    try files.put([1], file, at: 9 * 4096 + 99)
    #expect(try seek(8 * 4096, .data) == 9 * 4096)
    #expect(try seek(9 * 4096 + 1, .hole) == 9 * 4096 + 100)
    try files.close()
  }

  /// A crash on a full disk may leave extents behind the end that the row states. They never come back as content.
  @Test func whatIsBehindTheEndIsZeroWhenTheFileGrows() throws {
    let vault = try TestVault()
    var made: [String: InodeNumber] = [:]
    for name in ["cut", "written", "allocated"] {
      let file = try vault.files.make(name)
      try vault.files.put(pattern(30_000, 4), file)
      made[name] = file
    }
    try vault.files.close()
    let space = try vault.vault.openSpace(vault.body, copyWindow: 0)
    let index = try Index(space: space)
    for file in made.values {
      var record = try #require(try index.inode(file))
      record.size = 10_000
      try index.update(record)
    }
    try index.commit(to: space)
    try space.close()
    vault.space = try vault.vault.openSpace(vault.body, copyWindow: 0)
    vault.files = try FileSystem(space: vault.space, options: vault.options)
    let files = vault.files
    for (name, file) in made {
      switch name {
      case "cut":
        var changes = AttributeChanges(caller: Caller(user: 0, group: 0))
        changes.size = 30_000
        _ = try files.setAttributes(of: file, changes)
      case "written": try files.put([1], file, at: 29_999)
      default: try files.allocate(file, mode: [], offset: .zero, length: 30_000)
      }
      var expected = Array(pattern(30_000, 4)[..<10_000]) + [UInt8](repeating: 0, count: 20_000)
      if name == "written" { expected[29_999] = 1 }
      #expect(isSame(try files.get(file), expected), "\(name)")
    }
    try files.close()
    let after = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
    #expect(Checker.check(after, readData: true).problems == [])
    try after.close()
  }
}
