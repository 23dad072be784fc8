import FaultyStorage
import Storage
import SystemPackage
import TestSupport
import Testing

/// What every storage promises of the files in it.
@Suite struct WritingConformanceTests {
  let name = SegmentIdentifier.numbered(1)

  @Test(arguments: StorageKind.allCases)
  func whatIsWrittenIsReadAtOnce(_ kind: StorageKind) throws {
    let subject = try kind.make()
    let writer = try subject.storage.create(name)
    let reader = try subject.opened().open(name)
    #expect(try reader.size() == 0 && reader.bytes(at: 0, count: 10) == [])
    let content = randomBytes(100_000)
    try writer.put(Array(content[..<7]), at: 0)
    try writer.put(Array(content[7..<70_000]), at: 7)
    try writer.put([], at: 70_000)
    try writer.put(Array(content[70_000...]), at: 70_000)
    #expect(try writer.size() == content.count && reader.size() == content.count)
    #expect(try reader.bytes(at: 0, count: content.count) == content)
    #expect(try writer.bytes(at: 69_990, count: 20) == Array(content[69_990..<70_010]))
    #expect(try reader.bytes(at: 99_995, count: 50) == Array(content[99_995...]))
    #expect(try reader.bytes(at: 100_000, count: 1) == [])
    #expect(try reader.bytes(at: 200_000, count: 1) == [])
    writer.startFlush(from: 0, count: content.count)
    try writer.flush()
    try subject.storage.flushNames(of: [name])
    try writer.finish()
    try writer.flush()
    #expect(try subject.opened().content(of: name) == content)
  }

  @Test(arguments: StorageKind.lasting)
  func whatIsWipedIsOverwrittenInPlace(_ kind: StorageKind) throws {
    let subject = try kind.make()
    for (number, count) in [(1, 3_000_001), (2, 0)] {
      let name = SegmentIdentifier.numbered(number)
      let content = randomBytes(count)
      try subject.storage.put(name, content)
      let open = try subject.storage.open(name)
      let birth = try open.birth()
      try subject.storage.wipe(name)
      let after = try open.bytes(at: 0, count: count + 1)
      #expect(after.count == count)
      #expect(zip(content, after).count { $0 == $1 } < max(1, count / 100))
      #expect(try subject.opened().open(name).birth() == birth)
    }
    try subject.storage.wipe(.numbered(3))
    #expect(try !subject.storage.exists(.numbered(3)))
  }

  @Test(arguments: StorageKind.lasting)
  func aFileIsKnownByItsBirth(_ kind: StorageKind) throws {
    let subject = try kind.make()
    let writer = try subject.storage.create(name)
    let birth = try writer.birth()
    #expect(try subject.opened().open(name).birth() == birth)
    try writer.put([1, 2, 3], at: 0)
    try writer.finish()
    try writer.flush()
    #expect(try subject.opened().open(name).birth() == birth)
    // The next one may come within the same step of the host's clock.
    var number = 1
    try waitUntil("a copy has another birth") {
      number += 1
      let copy = SegmentIdentifier.numbered(number)
      try subject.storage.put(copy, [1, 2, 3])
      return try subject.storage.open(copy).birth() != birth
    }
  }

  @Test(arguments: StorageKind.lasting)
  func allocatedRoomChangesNothing(_ kind: StorageKind) throws {
    let subject = try kind.make()
    let writer = try subject.storage.create(name)
    try writer.put([1, 2, 3], at: 0)
    try writer.hold(upTo: 1 << 20)
    try writer.hold(upTo: 100)
    #expect(try writer.size() == 3)
    try writer.put([4], at: 3)
    #expect(try subject.opened().content(of: name) == [1, 2, 3, 4])
    try writer.releaseHold()
    try writer.releaseHold()
    try writer.put([5], at: 4)
    try writer.finish()
    try writer.flush()
    #expect(try subject.opened().content(of: name) == [1, 2, 3, 4, 5])
  }

  /// What other programs do to a file that is being written, and whether its writer must stop.
  enum Interference: CaseIterable {
    case none, read, replaced, replacedByTheSame, replacedBySameSize, deleted, cut, grown

    /// Does it to a file that holds `start`.
    func happen(to name: SegmentIdentifier, holding start: [UInt8], in subject: any StorageSubject) throws {
      switch self {
      case .none: break
      case .read: #expect(try subject.opened().content(of: name) == start)
      case .replaced: try subject.replace(name, by: randomBytes(20_000, seed: 2))
      case .replacedByTheSame: try subject.replace(name, by: start)
      case .replacedBySameSize: try subject.replace(name, by: randomBytes(10_000, seed: 2))
      case .deleted: try subject.opened().delete(name)
      case .cut: try subject.overwrite(name, with: Array(start[..<9000]))
      case .grown: try subject.overwrite(name, with: start + [1, 2, 3])
      }
    }
  }

  @Test(
    arguments: TestLength.sample(
      StorageKind.lasting.flatMap { kind in Interference.allCases.map { (kind, $0) } }, 8, kind: { $0.1 }))
  func aFileThatOthersChangeIsNotGoneOnWith(_ kind: StorageKind, _ interference: Interference) throws {
    let subject = try kind.make()
    let writer = try subject.storage.create(name)
    let start = randomBytes(10_000)
    try writer.put(start, at: 0)
    try writer.hold(upTo: 100_000)
    try writer.flush()
    try interference.happen(to: name, holding: start, in: subject)
    let found = try? subject.opened().content(of: name)
    let more = randomBytes(5000, seed: 3)
    if interference == .none || interference == .read {
      try writer.put(more, at: 10_000)
      try writer.flush()
      try writer.finish()
      try writer.flush()
      #expect(try subject.opened().content(of: name) == start + more)
      return
    }
    #expect(throws: Errno.changedByOthers) {
      try writer.put(more, at: 10_000)
      try writer.flush()
    }
    #expect((try? subject.opened().content(of: name)) == found)
  }

  /// A flush alone finds it as well.
  @Test(arguments: StorageKind.lasting, [Interference.replaced, .deleted, .cut, .grown])
  func aFlushIsOfTheFileThatHasTheName(_ kind: StorageKind, _ interference: Interference) throws {
    let subject = try kind.make()
    let writer = try subject.storage.create(name)
    let start = randomBytes(10_000)
    try writer.put(start, at: 0)
    try interference.happen(to: name, holding: start, in: subject)
    #expect(throws: Errno.changedByOthers) { try writer.flush() }
  }

  @Test(arguments: StorageKind.allCases)
  func writesAndFlushesAtTheSameTimeDisturbNobody(_ kind: StorageKind) throws {
    let subject = try kind.make()
    let writer = try subject.storage.create(name)
    let piece = randomBytes(100)
    try inThreads(3) { thread in
      if thread > 0 {
        for _ in 0..<100 { try writer.flush() }
      } else {
        for number in 0..<1000 { try writer.put(piece, at: number * 100) }
      }
    }
    try writer.flush()
    #expect(try subject.storage.content(of: name) == [[UInt8]](repeating: piece, count: 1000).flatMap { $0 })
  }
}
