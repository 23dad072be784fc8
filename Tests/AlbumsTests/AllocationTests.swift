import AlbumsSupport
import FaultyStorage
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Index
@testable import Vault

/// What `fallocate` promises: the room is counted, it is there when it is written, and it comes back when it is not.
@Suite struct AllocationTests {
  static let mebibyte = 1 << 20

  /// A vault on a disk of 64 MiB.
  func smallVault() throws -> TestVault {
    try TestVault(storage: FaultyStorage(limit: 64 << 20)) { $0.commitInterval = 3600 }
  }

  func allocated(_ file: InodeNumber, _ vault: TestVault) throws -> Int {
    Int(try vault.files.attributes(of: file).blocks512) * 512
  }

  func allocate(
    _ file: InodeNumber, _ vault: TestVault, _ mode: AllocationMode, _ offset: Int, _ length: Int
  ) throws {
    try vault.files.allocate(file, mode: mode, offset: FileOffset(offset), length: Int64(length))
  }

  func allocate(_ file: InodeNumber, _ vault: TestVault, _ length: Int) throws {
    try allocate(file, vault, [], 0, length)
  }

  private func available(_ vault: TestVault) throws -> Int { Int(try vault.files.statistics().availableBlocks) * 4096 }

  // MARK: Counting

  @Test func blocksCountWhatWasAllocated() throws {
    let vault = try TestVault()
    for sectors in 1...40 {
      let file = try vault.files.make("f\(sectors)")
      try allocate(file, vault, sectors * 512)
      #expect(try allocated(file, vault) == (sectors * 512 + 4095) / 4096 * 4096)
      #expect(try vault.files.attributes(of: file).size == Int64(sectors * 512))
      // Again it takes nothing.
      try allocate(file, vault, sectors * 512)
      #expect(try allocated(file, vault) == (sectors * 512 + 4095) / 4096 * 4096)
    }
    try vault.reopen()
    for sectors in 1...40 {
      let found = try vault.files.find("f\(sectors)")
      #expect(Int(found.blocks512) * 512 == (sectors * 512 + 4095) / 4096 * 4096)
      #expect(try vault.files.get(found.inode) == [UInt8](repeating: 0, count: sectors * 512))
    }
    try vault.closeSound()
  }

  /// Two bytes across the border of two blocks take both, and the file does not grow when they are written.
  @Test func aFileDoesNotGrowWhenAllocatedBytesAreWritten() throws {
    let vault = try TestVault { $0.commitInterval = 3600 }
    let file = try vault.files.make("f")
    try allocate(file, vault, [], 4095, 2)
    #expect(try allocated(file, vault) == 8192)
    try vault.files.put([1, 2], file, at: 4095)
    for _ in 0..<2 {
      #expect(try allocated(file, vault) == 8192)
      #expect(try vault.files.attributes(of: file).size == 4097)
      #expect(try vault.files.get(file) == [UInt8](repeating: 0, count: 4095) + [1, 2])
      try vault.files.synchronize()
    }
    #expect(vault.files.locked { $0.index.extents.unwrittenBytes } == 8190)
    // The rest of the blocks stays allocated, and is written as little as it was before.
    try vault.files.put([3], file, at: 4094)
    try vault.files.synchronize(intoIndex: true)
    #expect(vault.files.locked { $0.index.extents.unwrittenBytes } == 8189)
    #expect(try allocated(file, vault) == 8192)
    try vault.reopen()
    #expect(try vault.files.get(file) == [UInt8](repeating: 0, count: 4094) + [3, 1, 2])
    try vault.closeSound()
  }

  @Test func whatIsAllocatedIsAHoleToReaders() throws {
    let vault = try TestVault()
    let file = try vault.files.make("f")
    try vault.files.put(pattern(5000, 1), file, at: 8192)
    try vault.files.synchronize()
    try allocate(file, vault, 100_000)
    for _ in 0..<2 {
      #expect(try vault.files.seek(file, from: .zero, to: .data) == FileOffset(8192))
      #expect(try vault.files.seek(file, from: .zero, to: .hole) == .zero)
      #expect(try vault.files.seek(file, from: FileOffset(8192), to: .hole) == FileOffset(16384))
      expect(.noSuchAddressOrDevice) { _ = try vault.files.seek(file, from: FileOffset(16384), to: .data) }
      let expected =
        [UInt8](repeating: 0, count: 8192) + pattern(5000, 1) + [UInt8](repeating: 0, count: 100_000 - 13192)
      #expect(isSame(try vault.files.get(file), expected))
      try vault.reopen()
    }
    // Copies have the data, not the promise.
    let copy = try vault.files.make("copy")
    let count = try vault.files.copyRange(from: file, at: .zero, to: copy, at: .zero, length: 100_000)
    #expect(count == 100_000)
    #expect(try allocated(copy, vault) == 5120)
    #expect(isSame(try vault.files.get(copy), try vault.files.get(file)))
    try vault.closeSound()
  }

  /// Room beyond the end is kept while the file grows into it; data that a crash left there does not come back.
  @Test func roomBeyondTheEnd() throws {
    let vault = try TestVault()
    let file = try vault.files.make("f", with: pattern(100, 1))
    try allocate(file, vault, .keepSize, 0, Self.mebibyte)
    #expect(try vault.files.attributes(of: file).size == 100)
    try vault.reopen()
    #expect(try allocated(file, vault) == Self.mebibyte)
    try vault.files.put(pattern(100, 2), file, at: 500_000)
    try vault.files.synchronize()
    try vault.reopen()
    try vault.files.resize(file, 600_000)
    try vault.files.synchronize()
    #expect(try allocated(file, vault) == Self.mebibyte)
    let expected =
      pattern(100, 1) + [UInt8](repeating: 0, count: 499_900) + pattern(100, 2) + [UInt8](repeating: 0, count: 99_900)
    #expect(isSame(try vault.files.get(file), expected))
    // Cutting it, also to the size that it has, gives up what is beyond.
    try vault.files.resize(file, 600_000)
    #expect(try allocated(file, vault) == 600_064)
    try vault.files.resize(file, 0)
    #expect(try allocated(file, vault) == 0)
    #expect(vault.files.locked { $0.index.extents.unwrittenBytes } == 0)
    try vault.closeSound()
  }

  // MARK: Room

  @Test func allocatingIsRefusedWhenThereIsNoRoom() throws {
    let vault = try smallVault()
    let file = try vault.files.make("f", with: pattern(100, 1))
    try vault.files.synchronize()
    let before = try available(vault)
    for mode in [AllocationMode(), .keepSize, .zeroRange] {
      expect(.noSpace) { try allocate(file, vault, mode, 0, before) }
      expect(.noSpace) { try allocate(file, vault, mode, 0, 1 << 60) }
      #expect(try vault.files.attributes(of: file).size == 100)
      #expect(try vault.files.get(file) == pattern(100, 1))
      #expect(vault.files.locked { $0.index.extents.unwrittenBytes } == 0)
      #expect(try available(vault) == before)
    }
    expect(.fileTooLarge) { try allocate(file, vault, [], 0, .max) }
    // As much as there is can be promised once.
    try allocate(file, vault, before / 2)
    #expect(try available(vault) < before / 2)
    expect(.noSpace) { try allocate(file, vault, [], before / 2, before / 2) }
    try vault.closeSound()
  }

  /// The end of the last block lies behind the end of the largest file.
  @Test func theLargestOffsets() throws {
    let vault = try TestVault()
    let file = try vault.files.make("f")
    let last = Int(FileSystem.maximumFileSize) - 10
    for mode in [AllocationMode(), .keepSize, .zeroRange] {
      expect(.fileTooLarge) { try allocate(file, vault, mode, last, 10) }
    }
    try allocate(file, vault, [.punchHole, .keepSize], last, 10)
    try allocate(file, vault, .keepSize, last - 8192, 10)
    #expect(try allocated(file, vault) == 4096)
    #expect(!vault.files.isReadOnly)
    try vault.closeSound()
  }

  @Test func promisesAreGivenBack() throws {
    let vault = try smallVault()
    let files = vault.files
    let other = try files.make("other", with: pattern(8 * Self.mebibyte, 3))
    try files.synchronize()
    let before = try available(vault)
    let held = vault.storage.reservedBytes
    let length = 8 * Self.mebibyte
    let ways: [(String, (InodeNumber) throws -> Void)] = [
      ("punch", { try files.allocate($0, mode: [.punchHole, .keepSize], offset: .zero, length: Int64(length)) }),
      ("cut", { try files.resize($0, 0) }),
      ("share", { _ = try files.copyRange(from: other, at: .zero, to: $0, at: .zero, length: Int64(length)) }),
      (
        "create",
        { _ in
          let made = try files.create(.of("create"), in: .root, mode: 0o600, flags: .truncate, caller: caller)
          files.release(made.inode)
        }
      ),
      ("remove", { _ in }),
    ]
    for (name, giveBack) in ways {
      let file = try files.make(name)
      try allocate(file, vault, length)
      #expect(files.locked { $0.index.extents.unwrittenBytes } == length, "\(name)")
      #expect(try available(vault) <= before - length, "\(name)")
      #expect(vault.storage.reservedBytes >= held + length, "\(name)")
      try files.synchronize()
      try giveBack(file)
      try files.delete(name)
      try waitUntil("the room of \(name) came back") { files.locked { $0.index.extents.unwrittenBytes } == 0 }
      #expect(try available(vault) > before - Self.mebibyte, "\(name)")
      #expect(vault.storage.reservedBytes < held + 2 * Self.mebibyte, "\(name)")
    }
    try vault.closeSound()
  }

  /// Others fill the disk; what was allocated is written all the same, whatever the pieces, and synced in between.
  @Test(arguments: [1000, 4096, 70_000, 1 << 20])
  func whatWasAllocatedIsWrittenOnAFullDisk(step: Int) throws {
    let vault = try smallVault()
    let files = vault.files
    let length = step < 4096 ? Self.mebibyte : 14 * Self.mebibyte
    let file = try files.make("f")
    try allocate(file, vault, length)
    try files.synchronize()
    vault.storage.fillByOthers()
    let content = pattern(length, 5)
    for start in stride(from: 0, to: length, by: step) {
      try files.put(Array(content[start..<min(length, start + step)]), file, at: start)
      if start / step % 16 == 0 { try files.synchronize() }
    }
    try files.synchronize(intoIndex: true)
    #expect(files.locked { $0.index.extents.unwrittenBytes } == 0)
    #expect(isSame(try files.get(file), content))
    // There is no more than was promised.
    expect(.noSpace) {
      for number in 0..<64 { try files.put(pattern(Self.mebibyte, number), file, at: length + number * Self.mebibyte) }
    }
    let after = try vault.afterPowerCut(seed: 3)
    #expect(isSame(Array(try after.files.get(file)[..<length]), content))
    try after.closeSound()
  }

  /// The space itself fills the disk.
  @Test func nothingElseTakesWhatWasAllocated() throws {
    let vault = try smallVault()
    let files = vault.files
    let length = 10 * Self.mebibyte
    let file = try files.make("f")
    try allocate(file, vault, .keepSize, 0, length)
    let other = try files.make("other")
    var written = 0
    expect(.noSpace) {
      var rounds = Rounds(until: "there is no room")
      while true {
        try rounds.begin()
        try files.put(pattern(100_000, written), other, at: written * 100_000)
        written += 1
        if written % 30 == 0 { try files.synchronize() }
      }
    }
    #expect(written > 100)
    // A few bytes everywhere first, each durable; then all of the rest.
    let content = pattern(length, 6)
    for start in stride(from: 3000, to: length, by: 50_000) {
      try files.put(Array(content[start..<start + 7]), file, at: start)
      if start % 8 == 0 { try files.synchronize() }
    }
    try files.synchronize()
    for start in stride(from: 0, to: length, by: 50_000) {
      let end = min(length, start + 50_000)
      let taken = start + 3000..<start + 3007
      try files.put(Array(content[start..<min(end, taken.lowerBound)]), file, at: start)
      if taken.upperBound < end { try files.put(Array(content[taken.upperBound..<end]), file, at: taken.upperBound) }
    }
    try files.synchronize()
    #expect(isSame(try files.get(file), content))
    try vault.reopen()
    #expect(isSame(try vault.files.get(file), content))
    for number in 0..<written {
      #expect(isSame(try vault.files.get(other, at: number * 100_000, count: 100_000), pattern(100_000, number)))
    }
    try vault.closeSound()
  }

  /// After the power was cut, and after a mount, the promise is there again.
  @Test func promisesSurvive() throws {
    let vault = try smallVault()
    let length = 8 * Self.mebibyte
    let file = try vault.files.make("f")
    try allocate(file, vault, length)
    try vault.files.synchronize()
    let before = try available(vault)
    let after = try vault.afterPowerCut(seed: 9)
    after.storage.setLimit(64 << 20)
    try after.reopen()
    #expect(try allocated(file, after) == length)
    #expect(after.storage.reservedBytes > length)
    #expect(try available(after) < before + 3 * Self.mebibyte)
    after.storage.fillByOthers()
    let content = pattern(length, 7)
    try after.files.put(content, file)
    try after.files.synchronize()
    #expect(isSame(try after.files.get(file), content))
    try after.closeSound()
  }

  /// Somebody took the room while nothing was mounted: what was promised cannot be kept then. Writing says so, and the
  /// rest works.
  @Test func roomThatIsGoneBeforeAMount() throws {
    let vault = try smallVault()
    let length = 8 * Self.mebibyte
    let file = try vault.files.make("f")
    try allocate(file, vault, length)
    try vault.files.put(pattern(1000, 1), file)
    try vault.files.close()
    vault.storage.fillByOthers()
    try vault.mount()
    expect(.noSpace) { try vault.files.put(pattern(length, 1), file) }
    #expect(try vault.files.get(file, count: 1000) == pattern(1000, 1))
    #expect(!vault.files.isReadOnly)
    vault.storage.fillByOthers(false)
    try vault.files.put(pattern(length, 1), file)
    try vault.files.synchronize()
    try vault.reopen()
    #expect(isSame(try vault.files.get(file), pattern(length, 1)))
    try vault.closeSound()
  }

  @Test func whereRoomCannotBeHeldNothingIsPromised() throws {
    let storage = FaultyStorage()
    storage.refuseHolding()
    let vault = try TestVault(storage: storage)
    let file = try vault.files.make("f", with: pattern(8192, 1))
    try vault.files.synchronize()
    expect(.notSupported) { try allocate(file, vault, 8193) }
    expect(.notSupported) { try allocate(file, vault, .zeroRange, 4096, 4096) }
    #expect(try vault.files.attributes(of: file).size == 8192)
    #expect(try vault.files.get(file) == pattern(8192, 1))
    // What is there needs none, and a hole neither.
    try allocate(file, vault, 8192)
    try allocate(file, vault, [.punchHole, .keepSize], 0, 4096)
    #expect(try allocated(file, vault) == 4096)
    try vault.closeSound()
  }
}
