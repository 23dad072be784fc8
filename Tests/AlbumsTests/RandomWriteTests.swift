import AlbumsSupport
import FaultyStorage
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// Small writes all over one file of some MiB, so that many of them wait in one window, against an array of its bytes.
@Suite struct RandomWriteTests {
  @Test(arguments: TestLength.seedArguments(6)) func agreesWithAnArray(seed: UInt64) throws {
    let vault = try TestVault { options in
      options.dirtyLimit = [256 << 10, 1 << 20, 3 << 20][Int(seed % 3)]
      options.commitInterval = seed.isMultiple(of: 2) ? 0.05 : 3600
      options.writers = 2
    }
    var run = try RandomWriteRun(vault: vault, seed: seed)
    for step in 1...500 {
      try run.step()
      if step % 20 == 0 { run.expectRightCounts() }
      if step % 125 == 0 { try run.compareAfterPowerCut() }
    }
    // Otherwise chance did not do what this test is for.
    if vault.options.commitInterval > 1 { #expect(run.mostRanges >= 10) }
    try vault.reopen()
    try run.compare(0..<run.content.count)
    try vault.closeSound()
  }
}

struct RandomWriteRun {
  /// What the file grows to.
  private static let limit = 5 << 20
  let vault: TestVault
  let file: InodeNumber
  var content: [UInt8] = []
  /// Ranges that waited in one window at a time, at most.
  private(set) var mostRanges = 0
  private var generator: SeededGenerator
  private var counter = 0
  private var last = 0
  private var files: FileSystem { vault.files }

  init(vault: TestVault, seed: UInt64) throws {
    self.vault = vault
    generator = SeededGenerator(seed: seed)
    file = try vault.files.make("file")
    // Some files begin with long extents, others with holes.
    try write(0, seed.isMultiple(of: 3) ? 1 : 3 << 20)
    try resize(4 << 20)
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

  /// A place in the file: anywhere, at the start of a block or next to one, or near the last one.
  private mutating func place() -> Int {
    switch number(0...9) {
    case 0..<4: last = number(0...max(1, content.count - 1))
    case 4: last = number(0...content.count / 4096) * 4096
    case 5: last = max(0, number(0...content.count / 4096) * 4096 + number(-2...2))
    case 6: last = max(0, number(0...content.count >> 16) << 16 + number(-2...2) * 2048)
    case 7: last = content.count
    default: last = max(0, last + number(-9000...9000))
    }
    last = min(last, Self.limit - (1 << 20))
    return last
  }

  private mutating func range(_ longest: Int) -> Range<Int> {
    let start = place()
    return start..<start + number(1...longest)
  }

  mutating func step() throws {
    switch number(0...99) {
    case 0..<70:
      let longest = [1, 50, 700, 4096, 6000, 20_000][number(0...5)]
      if number(0...9) == 0 {
        // Many in one window.
        let window = number(0...3) << 20
        for _ in 0..<number(20...60) {
          try write(window + number(0...(1 << 20) - 4096), number(1...min(longest, 4096)))
        }
      } else {
        for _ in 0..<number(1...4) { try write(place(), number(1...longest)) }
      }
    case 70..<73:
      try resize(number(0...3) == 0 ? number(0...Self.limit - (1 << 20)) : max(0, content.count - number(0...9000)))
    case 73..<78: try cut(range([1, 5000, 5000, 200_000][number(0...3)]))
    case 78..<81: try copy(range([3000, 300_000][number(0...1)]), to: place())
    case 81: try write(number(0...3) << 20, 1 << 20)
    case 82..<91: try compare(range(number(0...4) == 0 ? 2 << 20 : 10_000))
    case 91..<96: try files.synchronize(intoIndex: number(0...1) == 0)
    case 96..<99: try writeOnFullDisk()
    default: try vault.reopen()
    }
    noteWaiting()
  }

  private mutating func noteWaiting() {
    let counts = files.locked { $0.inodes[file]?.buffer.waiting.values.map(\.ranges.ranges.count) }
    mostRanges = max(mostRanges, counts?.max() ?? 0)
  }

  private mutating func write(_ start: Int, _ count: Int) throws {
    counter += 1
    let bytes = pattern(count, counter)
    try files.put(bytes, file, at: start)
    noteWritten(bytes, at: start)
  }

  private mutating func noteWritten(_ bytes: [UInt8], at start: Int) {
    extend(to: start + bytes.count)
    content.replaceSubrange(start..<start + bytes.count, with: bytes)
  }

  private mutating func extend(to size: Int) {
    if size > content.count { content += [UInt8](repeating: 0, count: size - content.count) }
  }

  private mutating func resize(_ size: Int) throws {
    try files.resize(file, Int64(size))
    extend(to: size)
    content.removeLast(content.count - size)
  }

  private mutating func cut(_ range: Range<Int>) throws {
    let mode: AllocationMode = [[.punchHole, .keepSize], [.zeroRange, .keepSize], .keepSize][number(0...2)]
    try files.allocate(file, mode: mode, offset: FileOffset(range.lowerBound), length: Int64(range.count))
    if mode == .keepSize { return }
    let inside = range.clamped(to: 0..<content.count)
    content.replaceSubrange(inside, with: [UInt8](repeating: 0, count: inside.count))
  }

  private mutating func copy(_ range: Range<Int>, to target: Int) throws {
    if abs(range.lowerBound - target) < range.count { return }
    let count = try files.copyRange(
      from: file, at: FileOffset(range.lowerBound), to: file, at: FileOffset(target), length: Int64(range.count))
    if count > 0 { noteWritten(Array(content[range.lowerBound..<range.lowerBound + count]), at: target) }
  }

  /// What was taken before and while the disk is full goes back to what waits, below what came meanwhile, and to the
  /// log later.
  private mutating func writeOnFullDisk() throws {
    vault.storage.fill()
    for _ in 0..<30 {
      counter += 1
      let (start, bytes) = (place(), pattern(number(1...6000), counter))
      do {
        try files.put(bytes, file, at: start)
        noteWritten(bytes, at: start)
      } catch let error as Errno {
        #expect(error == .noSpace)
      }
    }
    do { try files.synchronize() } catch { #expect(error == .noSpace) }
    try compare(0..<content.count)
    expectRightCounts()
    vault.storage.setLimit(.max)
    try files.synchronize()
  }

  func compare(_ range: Range<Int>) throws {
    let expected = Array(content[range.clamped(to: 0..<content.count)])
    #expect(isSame(try files.get(file, at: range.lowerBound, count: range.count), expected))
    #expect(try files.attributes(of: file).size == Int64(content.count))
  }

  /// Memory and chunks are counted as they are: otherwise writers would wait for ever, or too much would be taken.
  func expectRightCounts() {
    files.locked { files in
      let waiting = files.inodes.all.flatMap(\.buffer.waiting.values)
      let inFlight = files.inodes.all.flatMap(\.buffer.inFlight.values)
      let bytes = (waiting + inFlight).reduce(0) { $0 + $1.capacity }
      let counts = [files.writeBack.waitingCount, files.writeBack.inFlightCount, files.writeBack.bytes]
      #expect(counts == [waiting.count, inFlight.count, bytes])
    }
  }

  /// What was synced is there after a power cut, and nothing contradicts itself.
  mutating func compareAfterPowerCut() throws {
    try files.synchronize()
    let again = try vault.afterPowerCut(seed: UInt64(counter))
    #expect(isSame(try again.files.get(file), content))
    try again.closeSound()
  }
}
