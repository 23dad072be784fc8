import AlbumsSupport
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

  private func seek(_ file: InodeNumber, _ offset: Int, _ target: SeekTarget) throws -> Int {
    Int(try files.seek(file, from: FileOffset(offset), to: target).rawValue)
  }

  @Test func holesAndData() throws {
    let file = try files.make("f")
    expect(.noSuchAddressOrDevice) { _ = try seek(file, 0, .data) }
    try files.put(pattern(8192, 1), file, at: 1 << 20)
    try files.resize(file, 4 << 20)
    for _ in 0..<2 {
      #expect(try seek(file, 0, .data) == 1 << 20)
      #expect(try seek(file, 0, .hole) == 0)
      #expect(try seek(file, 1 << 20, .hole) == (1 << 20) + 8192)
      expect(.noSuchAddressOrDevice) { _ = try seek(file, (1 << 20) + 8192, .data) }
      #expect(try seek(file, 3 << 20, .hole) == 3 << 20)
      expect(.noSuchAddressOrDevice) { _ = try seek(file, 4 << 20, .hole) }
      try files.synchronize()
    }
    #expect(try files.attributes(of: file).blocks512 == 16)
    try files.allocate(file, mode: [.punchHole, .keepSize], offset: FileOffset((1 << 20) + 100), length: 1000)
    #expect(try seek(file, 1 << 20, .hole) == (1 << 20) + 8192)
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
    // Data in blocks 1, 3 and 4 (all but a byte of block 3 after a hole in it), 7; the end in the middle of block 9.
    try files.put([1], file, at: 4096 + 50)
    try files.put(pattern(4097, 1), file, at: 3 * 4096)
    try files.put([1, 2], file, at: 8 * 4096 - 2)
    try files.resize(file, 9 * 4096 + 100)
    for _ in 0..<2 {
      #expect(try seek(file, 0, .data) == 4096)
      #expect(try seek(file, 0, .hole) == 0)
      for place in [4096, 4100, 4150, 8191] {
        #expect(try seek(file, place, .data) == place && seek(file, place, .hole) == 2 * 4096, "\(place)")
      }
      #expect(try seek(file, 2 * 4096 + 1, .hole) == 2 * 4096 + 1)
      #expect(try seek(file, 2 * 4096 + 1, .data) == 3 * 4096)
      #expect(try seek(file, 3 * 4096, .hole) == 5 * 4096)
      #expect(try seek(file, 5 * 4096, .data) == 7 * 4096)
      #expect(try seek(file, 7 * 4096 + 1, .data) == 7 * 4096 + 1)
      #expect(try seek(file, 7 * 4096 + 1, .hole) == 8 * 4096)
      #expect(try seek(file, 9 * 4096 + 99, .hole) == 9 * 4096 + 99)
      expect(.noSuchAddressOrDevice) { _ = try seek(file, 8 * 4096, .data) }
      try files.synchronize()
    }
    // What waits and what is stored meet in one block.
    try files.allocate(file, mode: [.punchHole, .keepSize], offset: FileOffset(3 * 4096), length: 4095)
    try files.put([1], file, at: 5 * 4096 + 4000)
    #expect(try seek(file, 2 * 4096, .data) == 3 * 4096)
    #expect(try seek(file, 3 * 4096, .hole) == 6 * 4096)
    try files.put([1], file, at: 9 * 4096 + 99)
    #expect(try seek(file, 8 * 4096, .data) == 9 * 4096)
    #expect(try seek(file, 9 * 4096 + 1, .hole) == 9 * 4096 + 100)
    try files.close()
  }

  /// A crash on a full disk may leave extents behind the end that the row states. They never come back as content.
  @Test func whatIsBehindTheEndIsZeroWhenTheFileGrows() throws {
    let names = ["cut", "written", "allocated"]
    for name in names { try files.put(pattern(30_000, 4), files.make(name)) }
    try files.close()
    try vault.changeIndex { (index) throws(IndexError) in
      for name in names {
        var record = try index.record(at: name)
        record.size = 10_000
        try index.update(record)
      }
    }
    try vault.mount()
    for name in names {
      let file = try files.find(name).inode
      switch name {
      case "cut": try files.resize(file, 30_000)
      case "written": try files.put([1], file, at: 29_999)
      default: try files.allocate(file, mode: [], offset: .zero, length: 30_000)
      }
      var expected = Array(pattern(30_000, 4)[..<10_000]) + [UInt8](repeating: 0, count: 20_000)
      if name == "written" { expected[29_999] = 1 }
      #expect(isSame(try files.get(file), expected), "\(name)")
    }
    try vault.closeSound()
  }
}
