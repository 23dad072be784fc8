import AlbumsSupport
import FaultyStorage
import Index
import System
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import Albums

@Suite struct WriteBufferTests {
  /// Two layers of cells, where nil stands for "not here". A cell stands for 512 equal bytes, so that a debug build is
  /// quick enough.
  struct Model {
    var waiting: [UInt8?]
    var inFlight: [UInt8?]
    subscript(cell: Int) -> UInt8? { waiting[cell] ?? inFlight[cell] }
  }

  static let cell = 512
  static let cells = 3 << 11
  static let windowCells = 1 << 11
  let pool = BufferPool(Chunk.blockSizes)

  /// What is in flight of an inode that is deleted meanwhile waits for no room.
  @Test func whatIsDeletedIsNotWrittenAgain() throws {
    let inode = Inode(
      InodeRecord(
        number: InodeNumber(rawValue: 5), mode: FileKind.regular | 0o644, links: 1, owner: 0, group: 0, time: .now()))
    var writeBack = WriteBack()
    let chunk = Chunk(window: 0, owner: inode)
    unsafe [UInt8](repeating: 1, count: 512).withUnsafeBytes { unsafe chunk.write(0..<512, from: $0, pool: pool) }
    _ = writeBack.put(chunk, in: inode)
    #expect(writeBack.takeNext(oldToo: true)?.chunk === chunk)
    inode.record.removeLink()
    #expect(inode.noteOrphaned() && inode.noteDeletionPending())
    _ = writeBack.requeue([(inode, chunk)], pool: pool)
    #expect(inode.buffer.isEmpty)
    #expect(writeBack.bytes == 0 && writeBack.waitingCount == 0 && writeBack.inFlightCount == 0)
  }

  private func bytes(_ cells: Range<Int>) -> Range<Int64> {
    Int64(cells.lowerBound * Self.cell)..<Int64(cells.upperBound * Self.cell)
  }

  private func write(_ buffer: inout WriteBuffer, _ cells: Range<Int>, _ value: UInt8) {
    let range = bytes(cells)
    let content = [UInt8](repeating: value, count: range.count)
    for window in WriteWindow.indices(of: range) ?? 0...0 {
      let part = WriteWindow.part(of: range, in: window)
      let chunk = buffer.waiting[window] ?? Chunk(window: window, owner: nil)
      unsafe content[..<part.count].withUnsafeBytes { unsafe chunk.write(part, from: $0, pool: pool) }
      if buffer.waiting[window] == nil { buffer.put(chunk) }
    }
  }

  private func randomCells(_ generator: inout SeededGenerator) -> Range<Int> {
    let longest = [1, 10, 400, 3000][Int.random(in: 0..<4, using: &generator)]
    let start = Int.random(in: 0..<Self.cells - 1, using: &generator)
    return start..<min(Self.cells, start + Int.random(in: 1...longest, using: &generator))
  }

  private func compare(_ buffer: WriteBuffer, _ model: Model, _ cells: Range<Int>) {
    let range = bytes(cells)
    var content = [UInt8](repeating: 0, count: range.count)
    let missing = unsafe content.withUnsafeMutableBytes { unsafe buffer.copy(range, into: $0) }
    var isMissing = [Bool](repeating: false, count: cells.count)
    for part in missing {
      #expect(!part.isEmpty)
      let start = Int(part.lowerBound - range.lowerBound) / Self.cell
      for index in start..<start + part.count / Self.cell { isMissing[index] = true }
    }
    for (index, cell) in cells.enumerated() {
      #expect(isMissing[index] == (model[cell] == nil))
      if let value = model[cell] {
        #expect(content[index * Self.cell] == value && content[(index + 1) * Self.cell - 1] == value)
      }
    }
  }

  private func windowCells(_ chunk: Chunk) -> Range<Int> {
    Int(chunk.window) * Self.windowCells..<Int(chunk.window + 1) * Self.windowCells
  }

  @Test(arguments: TestLength.seedArguments(6)) func agreesWithAModel(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var buffer = WriteBuffer()
    let nothing = [UInt8?](repeating: nil, count: Self.cells)
    var model = Model(waiting: nothing, inFlight: nothing)
    for step in 1...100 {
      let cells = randomCells(&generator)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<6:
        write(&buffer, cells, UInt8(step))
        model.waiting.replaceSubrange(cells, with: repeatElement(Optional(UInt8(step)), count: cells.count))
      case 6, 7:
        let gone = buffer.discard(bytes(cells))
        #expect(gone.allSatisfy { $0.ranges.isEmpty })
        model.waiting.replaceSubrange(cells, with: nothing[cells])
      case 8:
        for chunk in Array(buffer.waiting.values) {
          let window = windowCells(chunk)
          let isFree = buffer.inFlight[chunk.window] == nil
          #expect(buffer.beginFlight(chunk) == isFree)
          guard isFree else { continue }
          model.inFlight.replaceSubrange(window, with: model.waiting[window])
          model.waiting.replaceSubrange(window, with: nothing[window])
        }
      default:
        for chunk in Array(buffer.inFlight.values) {
          let window = windowCells(chunk)
          buffer.endFlight(chunk.window)
          if Bool.random(using: &generator) {
            // It could not be written and goes back.
            if let newer = buffer.waiting[chunk.window] {
              newer.addOlder(chunk, pool: pool)
            } else {
              buffer.put(chunk)
            }
            for place in window { model.waiting[place] = model[place] }
          }
          model.inFlight.replaceSubrange(window, with: nothing[window])
        }
      }
      compare(buffer, model, randomCells(&generator))
      let all = model.waiting.count { $0 != nil } + model.inFlight.count { $0 != nil }
      #expect(buffer.byteCount == Int64(all * Self.cell))
      let lowest = (0..<Self.cells).first { model[$0] != nil }
      #expect(buffer.lowestOffset?.rawValue == lowest.map { Int64($0 * Self.cell) })
      let from = Int.random(in: 0..<Self.cells, using: &generator)
      let next = (from..<Self.cells).first { model[$0] != nil }.map { Int64($0 * Self.cell) }
      let start = Int64(from * Self.cell)
      #expect(buffer.nextRange(endingAfter: start).map { max($0.lowerBound, start) } == next)
    }
  }

  @Test func smallDataTakesLittleMemory() {
    let chunk = Chunk(window: 7, owner: nil)
    func write(_ range: Range<Int>, _ value: UInt8) {
      unsafe [UInt8](repeating: value, count: range.count).withUnsafeBytes {
        unsafe chunk.write(range, from: $0, pool: pool)
      }
    }
    write(5000..<5001, 1)
    #expect(chunk.capacity == 4096)
    write(60000..<60001, 2)
    write(70000..<70001, 3)
    #expect(chunk.capacity == 3 * 4096)
    // The block beside that of the first byte: both are in one piece of memory then, so that what is between them can
    // be read there.
    write(8192..<8193, 4)
    #expect(chunk.capacity == 16384 + 2 * 4096)
    #expect(unsafe chunk.bytes(4096..<12288)[904] == 1 && chunk.bytes(4096..<12288)[4096] == 4)
    write(12288..<61440, 5)
    #expect(chunk.capacity == 65536 + 4096)
    write(65535..<65537, 6)
    #expect(chunk.capacity == 1 << 20)
    for (place, value) in [(5000, 1), (8192, 4), (12288, 5), (60000, 5), (65535, 6), (65536, 6), (70000, 3)] {
      #expect(unsafe chunk.bytes(place..<place + 1)[0] == value)
    }
    #expect(chunk.ranges.ranges == [5000..<5001, 8192..<8193, 12288..<61440, 65535..<65537, 70000..<70001])
    #expect(!chunk.isFull)
  }

  @Test func dataOfClosedFilesGoesToTheLogBeforeACommit() throws {
    let vault = try TestVault { $0.commitInterval = 3600 }
    let files = vault.files
    let content = [UInt8](repeating: 7, count: 4096)
    let before = vault.space.unflushedBytes
    for number in 0..<63 { try makeAndClose("first\(number)", content, in: files) }
    #expect(vault.space.unflushedBytes == before)
    for number in 0..<64 { try makeAndClose("second\(number)", content, in: files) }
    try waitUntil("the data of 64 files was written") {
      vault.space.unflushedBytes >= before + 64 * content.count
    }
    let again = try vault.afterPowerCut(seed: 1)
    // Nothing was committed, so nothing is there.
    expect(.noSuchFileOrDirectory) { _ = try again.files.find("first0") }
    for number in 0..<63 { #expect(try files.get(try files.find("first\(number)").inode) == content) }
    try files.close()
    try again.files.close()
  }

  private func makeAndClose(_ name: String, _ content: [UInt8], in files: FileSystem) throws {
    let made = try files.create(.of(name), in: .root, mode: 0o644, flags: [.write], caller: caller)
    try files.put(content, made.inode)
    files.release(made.inode)
  }
}
