import FaultyStorage
import Index
import TestSupport
import Testing
import Vault

/// Extents against a model that knows each byte.
@Suite struct ExtentTests {
  private let files = (2..<5).map { InodeNumber(rawValue: $0) }

  private func segment(_ number: Int) -> SegmentNumber { SegmentNumber(rawValue: UInt64(number)) }

  private func range(_ random: inout SeededGenerator) -> Range<FileOffset> {
    let start = Int.random(in: 0..<ExtentModel.length, using: &random)
    let length = random.oneIn(4) ? ExtentModel.length : Int.random(in: 1...200, using: &random)
    return FileOffset(start)..<FileOffset(min(start + length, ExtentModel.length))
  }

  private func record(_ range: Range<FileOffset>, _ random: inout SeededGenerator) -> ExtentRecord {
    let length = range.upperBound - range.lowerBound
    let skip = random.oneIn(2) ? 0 : Int.random(in: 0..<100, using: &random)
    let more = random.oneIn(2) ? 0 : Int.random(in: 0..<100, using: &random)
    let place = LogPosition(
      segment: segment(Int.random(in: 64..<72, using: &random)), offset: Int.random(in: 0..<1 << 22, using: &random))
    return ExtentRecord(
      offset: range.lowerBound, length: length, position: place, recordLength: skip + length + more, skip: skip)
  }

  /// Thousands of random changes, savepoints rolled back among them, with commits and new openings in between.
  @Test(arguments: TestLength.seedArguments(6))
  func algebra(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = MemoryPageStore()
    var index = try Index(space: store, creating: RootOwner(owner: 0, group: 0))
    var model = ExtentModel()
    for step in 0..<1500 {
      var changed = model
      let isKept = !random.oneIn(5)
      do throws(Cancelled) {
        try index.withSavepoint { () throws(Cancelled) in
          for _ in 0...Int.random(in: 0..<3, using: &random) {
            do { try change(index, &changed, &random) } catch {
              Issue.record(error)
              throw .onPurpose
            }
          }
          if !isKept { throw .onPurpose }
        }
        model = changed
      } catch {
        #expect(error == .onPurpose && !isKept)
      }
      if step % 25 == 0 { try model.expectSame(index) }
      // After many questions the answers come from a list in memory.
      if random.oneIn(20) {
        let inode = files[Int.random(in: 0..<files.count, using: &random)]
        for _ in 0..<30 { try model.expectSame(index, of: inode, in: range(&random)) }
      }
      if random.oneIn(40) { try index.commit(to: store) }
      if random.oneIn(200) {
        try index.commit(to: store)
        try model.expectSame(index)
        try expectClean(index)
        index = try Index(space: store)
        try model.expectSame(index)
      }
    }
    try index.commit(to: store)
    try model.expectSame(index)
    try expectClean(index)
    for inode in files {
      try index.extents.removeExtents(of: inode, in: .zero..<FileOffset(rawValue: .max), limit: .max)
    }
    #expect(index.totalLiveBytes == 0)
    #expect(try storedLiveBytes(index) == [:])
  }

  private func change(_ index: Index, _ model: inout ExtentModel, _ random: inout SeededGenerator) throws {
    let inode = files[Int.random(in: 0..<files.count, using: &random)]
    let range = range(&random)
    switch Int.random(in: 0..<9, using: &random) {
    case 0..<3:
      let new = random.oneIn(2) ? [record(range, &random)] : records(&random)
      let before = model
      let removed = try index.extents.replaceExtents(of: inode, with: new)
      expectPieces(removed, of: inode, new.map { $0.offset..<$0.end }, before)
      for extent in new { model.write(extent, of: inode) }
    case 3..<5:
      let limit = random.oneIn(2) ? .max : Int.random(in: 1..<4, using: &random)
      let before = model
      var removed: [ExtentRecord] = []
      var rounds = Rounds(until: "all extents were removed")
      while true {
        try rounds.begin()
        let some = try index.extents.removeExtents(of: inode, in: range, limit: limit)
        removed += some
        if some.count < limit { break }
      }
      expectPieces(removed, of: inode, [range], before)
      model.remove(range, of: inode)
    case 5:
      let extent = record(range, &random)
      if model.bytes(of: inode)[range.indices].allSatisfy({ $0 == nil }) {
        try index.extents.insertExtent(extent, of: inode)
        model.write(extent, of: inode)
      } else {
        #expect(throws: IndexError.damaged) { try index.extents.insertExtent(extent, of: inode) }
      }
    case 6: try move(index, &model, &random)
    case 7: #expect(try index.extents.allocate(range, of: inode) == model.allocate(range, of: inode))
    default: try query(index, inode, range, model)
    }
  }

  /// Some extents, in order and apart from each other, close together or with many others between them.
  private func records(_ random: inout SeededGenerator) -> [ExtentRecord] {
    let distance = [0, 60, 1500].randomElement(using: &random) ?? 0
    var records: [ExtentRecord] = []
    var start = Int.random(in: 0..<ExtentModel.length, using: &random)
    repeat {
      let end = min(ExtentModel.length, start + Int.random(in: 1...30, using: &random))
      records.append(record(FileOffset(start)..<FileOffset(end), &random))
      start = end + Int.random(in: 0...distance, using: &random)
    } while start < ExtentModel.length && !random.oneIn(30)
    return records
  }

  /// What was removed is exactly what the ranges had, in order.
  private func expectPieces(
    _ removed: [ExtentRecord], of inode: InodeNumber, _ ranges: [Range<FileOffset>], _ before: ExtentModel
  ) {
    var model = ExtentModel()
    var end = FileOffset.zero
    for piece in removed {
      #expect(piece.offset >= end && ranges.contains { piece.offset >= $0.lowerBound && piece.end <= $0.upperBound })
      end = piece.end
      model.write(piece, of: inode)
    }
    let (found, wanted) = (model.bytes(of: inode), before.bytes(of: inode))
    let isSame = ranges.allSatisfy { found[$0.indices] == wanted[$0.indices] }
    #expect(isSame)
  }

  /// What the cleaner does.
  private func move(_ index: Index, _ model: inout ExtentModel, _ random: inout SeededGenerator) throws {
    let all = try index.extents.rows(in: segment(Int.random(in: 64..<72, using: &random)), limit: .max)
    guard let chosen = all.randomElement(using: &random) else { return }
    let old = chosen.extent
    var copy = record(old.offset..<old.end, &random)
    copy.recordLength = copy.skip + old.length
    // Into one piece, or cut somewhere.
    let middle = random.oneIn(2) ? old.length : Int.random(in: 0...old.length, using: &random)
    let pieces = [
      copy.clamped(to: old.offset..<old.offset + middle), copy.clamped(to: old.offset + middle..<old.end),
    ].compactMap { $0 }
    var (skipped, elsewhere) = (old, old)
    skipped.skip += 1
    elsewhere.position = LogPosition(rawValue: old.position.rawValue ^ 1)
    #expect(try !index.extents.replaceExtent(skipped, of: chosen.inode, with: pieces))
    #expect(try !index.extents.replaceExtent(elsewhere, of: chosen.inode, with: pieces))
    #expect(try index.extents.replaceExtent(old, of: chosen.inode, with: pieces))
    for piece in pieces { model.write(piece, of: chosen.inode) }
  }

  private func query(
    _ index: Index, _ inode: InodeNumber, _ range: Range<FileOffset>, _ model: ExtentModel
  ) throws {
    let bytes = model.bytes(of: inode)
    var found = [Bool](repeating: false, count: ExtentModel.length)
    for extent in try index.extents.rows(of: inode, overlapping: range, limit: .max) {
      let piece = try #require(extent.clamped(to: range), "an extent outside the range")
      for byte in (piece.offset..<piece.end).indices { found[byte] = true }
    }
    #expect(range.indices.allSatisfy { found[$0] == (bytes[$0] != nil) })
    #expect(try index.extents.rows(of: inode, overlapping: range, limit: 1).count <= 1)
    let start = range.indices.lowerBound
    let isData = bytes.map { $0 != nil && $0 != .unwritten }
    let data = (start..<ExtentModel.length).first { isData[$0] }
    let hole = (start..<ExtentModel.length).first { !isData[$0] } ?? ExtentModel.length
    let unwritten = try index.extents.unwritten(in: range, of: inode).flatMap { Array($0.indices) }
    #expect(unwritten == range.indices.filter { bytes[$0] == .unwritten })
    #expect(try index.extents.nextDataOffset(of: inode, from: range.lowerBound) == data.map { FileOffset($0) })
    #expect(try index.extents.nextHoleOffset(of: inode, from: range.lowerBound) == FileOffset(hole))
  }

  /// Extents of a segment come in steps, each once, also when rows share one record.
  @Test func stepsThroughSegments() throws {
    let (index, _) = try makeIndex()
    for number in 0..<30 {
      let place = LogPosition(segment: segment(70 + number % 3), offset: number / 6 * 1000)
      try index.extents.insertExtent(
        ExtentRecord(offset: FileOffset(number * 10), length: 10, position: place, recordLength: 10), of: .root)
    }
    for number in 69...73 {
      var found: [LocatedExtent] = []
      var rounds = Rounds(until: "all extents were found")
      while true {
        try rounds.begin()
        let some = try index.extents.rows(in: segment(number), after: found.last, limit: 3)
        found += some
        if some.count < 3 { break }
      }
      #expect(found.count == ((70...72).contains(number) ? 10 : 0))
      #expect(Set(found).count == found.count)
      #expect(found.map(\.extent.position) == found.map(\.extent.position).sorted())
    }
    #expect(throws: IndexError.damaged) {
      try index.extents.insertExtent(
        ExtentRecord(offset: FileOffset(9000), length: 11, position: LogPosition(rawValue: 0), recordLength: 10),
        of: .root)
    }
  }

  /// A segment is dead when neither the last commit nor the present has an extent in it.
  @Test func segmentsAreForgottenOnceTheyAreDead() throws {
    let (index, store) = try makeIndex()
    func write(_ offset: Int, _ length: Int, _ number: Int) throws {
      let place = LogPosition(segment: segment(number), offset: 0)
      try index.extents.replaceExtents(
        of: .root,
        with: [ExtentRecord(offset: FileOffset(offset), length: length, position: place, recordLength: length)])
    }
    try write(0, 100, 64)
    try write(100, 50, 65)
    try write(200, 70, 66)
    #expect(try index.liveBytes(in: segment(64)) == 100)
    try index.commit(to: store)
    try index.extents.removeExtents(of: .root, in: FileOffset(100)..<FileOffset(150), limit: 9)
    #expect(try index.liveBytes(in: segment(65)) == 0)
    #expect(throws: IndexError.damaged) { try index.forgetSegment(segment(65)) }
    try index.commit(to: store)
    try write(300, 5, 65)
    try index.extents.removeExtents(of: .root, in: FileOffset(300)..<FileOffset(305), limit: 9)
    try index.forgetSegment(segment(65))
    try index.commit(to: store)
    #expect(try index.segmentLives(after: nil, limit: 9).map(\.segment) == [segment(64), segment(66)])
    let again = try Index(space: store)
    #expect(again.totalLiveBytes == 170)
    try expectClean(again)
  }
}
