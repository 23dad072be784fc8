import Crypto
import FaultyStorage
import Glibc
import Storage
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Vault

@Suite struct VaultCreationTests {
  private let storage = FaultyStorage()

  static func options(cover: Int64? = 0) throws -> VaultCreationOptions {
    var options = VaultCreationOptions()
    options.segmentSize = 1 << 20
    options.cover = cover
    options.derivation = try #require(
      PasswordDerivation(operations: 1, memory: 8 << 20, salt: Array(repeating: 3, count: 16)))
    return options
  }

  @Test func aNewVaultHasCoverAndParameters() throws {
    let folder = try TemporaryFolder()
    let vault = try Vault.create(in: DirectoryStorage.make(at: folder.path), options: try Self.options())
    #expect(HostFile.names(in: folder.path) == ["agonyfs.json", "segments"])
    #expect(HostFile.segments(of: folder.path).count >= 4)
    #expect(try Vault.open(in: DirectoryStorage(path: FilePath(folder.path))).parameters == vault.parameters)
  }

  /// A vault has no other place than its storage, whatever kind that is.
  @Test func aVaultIsCreatedAndOpenedInAnyStorage() throws {
    #expect(throws: VaultError.notAVault("it has no agonyfs.json")) { try Vault.open(in: storage) }
    let vault = try Vault.create(in: storage, options: try Self.options())
    let names = storage.names
    #expect(names.count >= 4)
    #expect(throws: VaultError.vaultExists) { try Vault.create(in: storage, options: try Self.options()) }
    #expect(storage.names == names)
    #expect(try Vault.open(in: storage).parameters == vault.parameters)
    try storage.replaceParameters(with: [1, 2, 3])
    #expect(throws: VaultError.self) { try Vault.open(in: storage) }
    storage.inject(.cut(at: storage.operationCount + 1))
    _ = try? storage.replaceParameters(with: [])
    #expect(throws: VaultError.system(.ioError, "reading agonyfs.json")) { try Vault.open(in: storage) }
  }

  @Test func aVaultThatIsNotCompleteIsNone() throws {
    // Four files of cover, each created and written, and the parameters.
    for operation in 1...9 {
      let storage = FaultyStorage()
      storage.inject(.errors(.ioError, from: operation))
      #expect(throws: VaultError.system(.ioError, "writing the first files")) {
        try Vault.create(in: storage, options: try Self.options())
      }
      #expect(throws: VaultError.notAVault("it has no agonyfs.json")) { try Vault.open(in: storage) }
    }
    let small = FaultyStorage()
    small.setLimit(2 << 20)
    #expect(throws: VaultError.noSpace) { try Vault.create(in: small, options: try Self.options()) }
  }

  @Test func coverIsRoundedUpAndAdded() throws {
    _ = try Vault.create(in: storage, options: try Self.options(cover: 9 << 20 + 1))
    #expect(storage.names.count >= Int(RoomBudget.files(for: 9 << 20 + 1, segmentSize: 1 << 20)) + 4)
  }

  /// Nothing is written first, whatever the size; sums do not overflow.
  @Test(arguments: [3 << 20, 9999 << 40, Int64.max])
  func coverThatDoesNotFitIsRefused(cover: Int64) throws {
    storage.setLimit(9 << 20)
    #expect(throws: VaultError.noSpace) { try Vault.create(in: storage, options: try Self.options(cover: cover)) }
    #expect(storage.operationCount == 0)
  }

  @Test func whoCancelsGetsNoVault() throws {
    let storage = FaultyStorage()
    let control = OperationControl(isCancelled: { storage.names.count == 3 })
    #expect(throws: VaultError.cancelled) { try Vault.create(in: storage, options: try Self.options(), control) }
    #expect(storage.names.count == 3)
    let late = FaultyStorage()
    let afterSpaces = OperationControl(isCancelled: { late.names.contains(.numbered(1)) })
    #expect(throws: VaultError.cancelled) {
      _ = try Vault.create(in: late, options: try Self.options(), afterSpaces) { _, _ throws(VaultError) in
        [NewFile(.numbered(1), content: [UInt8](repeating: 1, count: 1 << 20))]
      }
    }
    #expect(throws: VaultError.notAVault("it has no agonyfs.json")) { try Vault.open(in: late) }
  }

  /// Two programs add a space for one password at once: the later one takes nothing from the other.
  @Test func filesOfOthersStayWhenAddingFails() throws {
    let storage = FaultyStorage()
    let vault = try Vault.create(in: storage, options: try Self.options())
    let before = storage.names
    let content = { (number: UInt8) in [UInt8](repeating: number, count: 1 << 20) }
    storage.whenWritten { storage.place([7], as: .numbered(2)) }
    #expect(throws: VaultError.passwordInUse) {
      try vault.addFiles(
        [NewFile(.numbered(1), content: content(1))],
        last: [NewFile(.numbered(2), content: content(2)), NewFile(.numbered(3), content: content(3))])
    }
    #expect(storage.names == before + [.numbered(2)])
    #expect(storage.content(.numbered(2)) == [7])
  }

  /// The names come in the order of the list, the bytes from its functions, and the progress grows to the end.
  @Test func filesAreMadeInTheirOrder() throws {
    let folder = try TemporaryFolder()
    let vault = try Vault.create(in: DirectoryStorage.make(at: folder.path), options: try Self.options())
    let before = Set(HostFile.segments(of: folder.path))
    let files = (1...20).map { number in
      unsafe NewFile(.numbered(number)) { buffer, offset in
        unsafe buffer.initializeMemory(as: UInt8.self, repeating: UInt8(number + offset >> 18))
      }
    }
    let progress = Mutex<[Int64]>([])
    try vault.writeFiles(
      files,
      OperationControl(progress: { done, all in
        #expect(all == 20 << 20)
        progress.withLock { $0.append(done) }
      }))
    #expect(progress.withLock { $0 } == (1...20).map { Int64($0) << 20 })
    #expect(Set(HostFile.segments(of: folder.path)).subtracting(before).count == 20)
    for number in [1, 20] {
      let content = try vault.storage.content(of: .numbered(number))
      #expect(content == (0..<4).flatMap { [UInt8](repeating: UInt8(number + $0), count: 256 << 10) })
    }
    let births = try files.map { try vault.storage.open($0.identifier).birth() }
      .map { ($0.seconds, $0.nanoseconds) }
    #expect(zip(births, births.dropFirst()).allSatisfy { $0 <= $1 })
  }

  /// No constant: it would tell a single file more.
  @Test func coverIsDrawnWithoutAWish() throws {
    let gibibyte = Int64(1 << 30)
    for (free, range) in [
      (500 * gibibyte, gibibyte / 4...4 * gibibyte), (40 * gibibyte, gibibyte / 4...2 * gibibyte),
      (2 * gibibyte, gibibyte / 20...gibibyte / 10),
    ] {
      let drawn = (0..<1000).map { _ in Cover.drawnBytes(atLeast: 1 << 20, atMost: free / 20) }
      #expect(drawn.allSatisfy { range.contains($0) })
      #expect(Set(drawn).count > 990)
      #expect(drawn.count { $0 > range.upperBound / 2 } > 100)
    }
    #expect(Cover.drawnBytes(atLeast: 0, atMost: 0) == 0)
    // What is drawn for a vault without a hidden space would do for one: else it would tell.
    let needed = RoomBudget.files(for: 1, segmentSize: 4 << 20)
    #expect(RoomBudget.usableBytes(files: needed, segmentSize: 4 << 20) > 0)
    for free in stride(from: gibibyte, to: 12 * gibibyte, by: Int(gibibyte / 8)) {
      let count = try Cover.count(for: nil, segmentSize: 4 << 20, in: StorageCapacity(total: 90 * gibibyte, free: free))
      #expect(count.ownable == 0 || count.ownable >= needed)
      #expect((count.ownable + count.random) << 22 <= free / 20 + 16 << 20)
    }
    for _ in 0..<1000 {
      let count = try Cover.count(
        for: nil, segmentSize: 1 << 20, in: StorageCapacity(total: 90 * gibibyte, free: 10 * gibibyte))
      #expect((255...512 + 4).contains(count.ownable + count.random))
    }
    let few = try (0..<1000).map { _ in
      try Cover.count(for: 0, segmentSize: 1 << 20, in: StorageCapacity(total: 0, free: 0)).random
    }
    #expect(few.min() == 4)
  }

  @Test func coverIsDrawnFromAWideDistribution() {
    let counts = (0..<20_000).map { _ in Cover.randomCount() }.sorted()
    #expect(counts[0] == 4)
    #expect((7...9).contains(counts[10_000]))
    let large = counts.count { $0 > 400 }
    #expect((120..<280).contains(large))
  }

  /// Slots, heads, data and cover cannot be told apart by size, time or bytes, whatever the number of spaces.
  @Test(arguments: TestLength.sample([1, 2, 3], 2))
  func anUnmountedVaultIsEqualAndRandom(spaces: Int) throws {
    let folder = try TemporaryFolder()
    let vault = try Vault.create(in: DirectoryStorage.make(at: folder.path), options: try Self.options())
    for number in 0..<spaces {
      let suite: CipherSuite = number == 1 ? .xchacha20poly1305 : .aes256gcm
      let (space, body) = try vault.createSpace(suite: suite)
      // The most regular data that there is.
      for round in 0..<4 {
        _ = try space.append([UInt8](repeating: 0, count: 400_000))
        let pages = Dictionary(
          uniqueKeysWithValues: (1...8).map { (UInt32($0), [UInt8](repeating: UInt8(round), count: 4096)) })
        try space.commit(pages, pageCount: 8)
        try space.sync()
      }
      try space.close()
      try vault.putSlot(try #require(try vault.slotKeys(for: .of("space \(number)")).first), body)
    }
    let files = HostFile.segments(of: folder.path)
    #expect(files.count >= 4 + 3 * spaces)
    var blocks = Set<[UInt8]>()
    var blockCount = 0
    for file in files {
      let status = HostFile.status(file)
      #expect(status.st_size == 1 << 20)
      #expect(Int(status.st_mtim.tv_sec) == DirectoryStorage.completeTime)
      #expect(status.st_mtim.tv_nsec == 0)
      #expect(status.st_mode & 0o777 == 0o600)
    }
    for file in files.prefix(40) {
      let content = try HostFile.read(file)
      let random = Randomness(content)
      // 255 degrees of freedom: outside once in some ten billion files.
      #expect((130..<430).contains(random.chiSquare))
      #expect(random.entropy > 7.9997)
      // Six standard deviations of the correlation of 2²⁰ random bytes.
      #expect(abs(random.serialCorrelation) < 0.006)
      for start in stride(from: 0, to: content.count, by: 64) {
        blocks.insert(Array(content[start..<start + 16]))
        blockCount += 1
      }
    }
    #expect(blocks.count == blockCount, "a block of 16 bytes is there twice")
  }
}

/// Simple figures that random bytes have.
struct Randomness {
  /// Distance of the byte frequencies from equal ones.
  let chiSquare: Double
  /// Bits for each byte, judged by the byte frequencies alone.
  let entropy: Double
  /// Correlation of each byte with the next, −1 to 1.
  let serialCorrelation: Double

  init(_ bytes: [UInt8]) {
    var frequencies = [Double](repeating: 0, count: 256)
    var products = 0
    var previous = bytes.last ?? 0
    for byte in bytes {
      frequencies[Int(byte)] += 1
      products += Int(previous) * Int(byte)
      previous = byte
    }
    let count = Double(bytes.count)
    let expected = count / 256
    chiSquare = frequencies.reduce(0) { $0 + ($1 - expected) * ($1 - expected) / expected }
    entropy = frequencies.reduce(0) { $0 - ($1 == 0 ? 0 : $1 / count * log2($1 / count)) }
    let sum = frequencies.enumerated().reduce(0) { $0 + Double($1.offset) * $1.element }
    let squares = frequencies.enumerated().reduce(0) { $0 + Double($1.offset * $1.offset) * $1.element }
    serialCorrelation = (count * Double(products) - sum * sum) / (count * squares - sum * sum)
  }
}
