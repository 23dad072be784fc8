import FaultyStorage
import Storage
import SystemPackage
import Testing

/// What survives a power cut, in the storages whose power a test can cut. That of a directory is the host's;
/// `PowerCutTests` of the whole program cut it on real file systems.
@Suite struct DurabilityConformanceTests {
  let name = SegmentIdentifier.numbered(1)
  let storage = FaultyStorage()

  /// Every storage that a power cut may leave.
  private func outcomes() -> [FaultyStorage] {
    [storage.after(.losesAll), storage.after(.keepsAll)] + (0..<40).map { storage.powerCut(seed: $0) }
  }

  @Test func flushedContentWithAFlushedNameSurvives() throws {
    let content = randomBytes(50_000)
    let writer = try storage.create(name)
    try writer.put(Array(content[..<30_000]), at: 0)
    try writer.flush()
    try writer.put(Array(content[30_000...]), at: 30_000)
    #expect(try !storage.after(.losesAll).exists(name))
    try storage.flushNames(of: [name])
    var lengths = Set<Int>()
    for after in outcomes() {
      let found = try after.content(of: name)
      // A prefix of what was written, perhaps with garbage after it.
      #expect(found.count >= 30_000 && found[..<30_000] == content[..<30_000])
      lengths.insert(found.count)
    }
    #expect(lengths.count > 3)
    try writer.flush()
    for after in outcomes() { #expect(try after.content(of: name) == content) }
  }

  @Test func aNameAloneSurvivesWithoutContent() throws {
    _ = try storage.create(name)
    try storage.flushNames(of: [name])
    for after in outcomes() { #expect(try after.content(of: name) == []) }
  }

  @Test func aDeletionIsDurableWhenItsNameIsFlushed() throws {
    try storage.put(name, [1, 2])
    try storage.delete(name)
    let found = try Set(outcomes().map { try $0.exists(name) })
    #expect(found == [true, false])
    try storage.flushNames(of: [name])
    for after in outcomes() { #expect(try !after.exists(name)) }
  }

  @Test func aWholeFileIsThereOrNot() throws {
    let content = randomBytes(9000)
    var states = Set<Bool>()
    for operation in 1...4 {
      for seed in 0..<20 as Range<UInt64> {
        let storage = FaultyStorage()
        storage.inject(.cut(at: operation))
        let isDone = (try? storage.put(name, content)) != nil
        let after = storage.powerCut(seed: seed)
        let isThere = try after.exists(name)
        if isThere { #expect(try after.content(of: name) == content) }
        #expect(isThere || !isDone)
        #expect(isDone == (operation == 4))
        states.insert(isThere)
      }
    }
    #expect(states == [true, false])
  }

  /// A host that can neither link a file nor rename it without replacing another may be left with an empty one.
  @Test func withoutLinksAWholeFileIsThereOrAnEmptyOneOrNone() throws {
    let content = randomBytes(9000)
    var lengths = Set<Int?>()
    let cuts = [PowerCut.losesAll, .keepsAll] + (0..<20 as Range<UInt64>).map { PowerCut.mixed(seed: $0) }
    for operation in 1...6 {
      for cut in cuts {
        let storage = FaultyStorage()
        storage.lack([.renameWithoutReplacing, .hardLinks])
        storage.inject(.cut(at: operation))
        let isDone = (try? storage.put(name, content)) != nil
        #expect(isDone == (operation == 6))
        let after = storage.after(cut)
        let found = try after.exists(name) ? after.content(of: name) : nil
        lengths.insert(found?.count)
        #expect(found == content || !isDone && (found ?? []).isEmpty)
      }
    }
    #expect(lengths == [nil, 0, content.count])
  }

  /// What fails leaves nothing, but for a name that was given and whose flush failed, or that was made empty.
  @Test(arguments: [[], [.renameWithoutReplacing, .hardLinks]] as [Set<HostAbility>])
  func anOperationWithoutReplyIsCarriedOut(_ lacking: Set<HostAbility>) throws {
    let content = randomBytes(9000)
    var lengths: [Int?] = []
    for operation in 1...(lacking.isEmpty ? 3 : 5) {
      let storage = FaultyStorage()
      storage.lack(lacking)
      storage.inject(.lostReply(.timedOut, at: operation))
      #expect(throws: Errno.timedOut) { try storage.put(name, content) }
      lengths.append(try storage.exists(name) ? storage.content(of: name).count : nil)
      if storage.content(name) == content {
        #expect(throws: Errno.fileExists) { try storage.put(name, content) }
      }
    }
    let expected: [Int?] = lacking.isEmpty ? [nil, 9000, 9000] : [nil, nil, 0, nil, 9000]
    #expect(lengths == expected)
  }
}
