import AlbumsSupport
import Crypto
import FaultyStorage
import Storage
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// Hosts that lack something that a vault can do without.
enum PlainHosts {
  /// What each of them lacks: one ability or two that go together, and all of them.
  static let all: [Set<HostAbility>] = [
    [.births], [.unnamedFiles, .allocation], [.renameWithoutReplacing, .hardLinks], [.seconds],
    [.births, .unnamedFiles, .allocation, .renameWithoutReplacing, .hardLinks, .seconds],
  ]

  /// What a host lacks, for people.
  static func name(_ lacking: Set<HostAbility>) -> String {
    lacking.map(\.rawValue).sorted().joined(separator: ", ")
  }
}

/// Spaces and passwords where the host lacks something, as hosts of networks and of cards do.
@Suite struct LackingHostTests {
  private static let (first, second) = (SeveralPasswordsTests.first, SeveralPasswordsTests.second)
  private static let neighbour = Password.of("the password of the other space")
  private let tests = SeveralPasswordsTests()

  /// A vault on such a host: another space, whose files are given, and one with a file that the first password opens.
  private func filled(
    _ lacking: Set<HostAbility>
  ) throws -> (storage: FaultyStorage, neighbour: [SegmentIdentifier: [UInt8]]) {
    let storage = FaultyStorage(clock: { 1 })
    storage.lack(lacking)
    let vault = tests.vault(over: storage)
    try SpaceManager.addSpace(to: vault, password: Self.neighbour)
    try vault.use(Self.neighbour) { _ = try $0.make("other", with: pattern(50_000, 1)) }
    let files = Dictionary(uniqueKeysWithValues: storage.names.map { ($0, storage.content($0)) })
    return (try tests.filled([Self.first], in: storage), files)
  }

  private func expectNeighbour(
    _ files: [SegmentIdentifier: [UInt8]], in storage: FaultyStorage, _ comment: Comment
  ) throws {
    let areSame = files.allSatisfy { isSame(storage.content($0.key), $0.value) }
    #expect(areSame, comment)
    let vault = tests.vault(over: storage)
    let report = try SpaceManager.check(in: vault, password: Self.neighbour, readData: true)
    #expect(report.problems == [], comment)
    try vault.use(Self.neighbour, readOnly: true) {
      let content = try $0.get($0.find("other").inode)
      #expect(isSame(content, pattern(50_000, 1)), comment)
    }
  }

  @Test(arguments: PlainHosts.all)
  func passwordsComeAndGo(_ lacking: Set<HostAbility>) throws {
    let (storage, neighbour) = try filled(lacking)
    let vault = tests.vault(over: storage)
    try SpaceManager.addPassword(in: vault, existing: .of(Self.first), new: .of("a third password"))
    try SpaceManager.changePassword(in: vault, old: .of("a third password"), new: .of(Self.second))
    #expect(try tests.opening(vault, readOnly: false) == [Self.first, Self.second])
    try SpaceManager.removePassword(in: vault, .of(Self.first))
    #expect(try tests.opening(vault, readOnly: false) == [Self.second])
    let report = try SpaceManager.check(in: vault, password: .of(Self.second), readData: true)
    #expect(report.problems == [])
    try SpaceManager.removeSpace(from: vault, password: .of(Self.second))
    #expect(Set(storage.names) == Set(neighbour.keys))
    try expectNeighbour(neighbour, in: storage, "all of the other space is there")
  }

  /// Where a file takes its name from an empty one, a cut between the two leaves the empty one.
  @Test(arguments: [PlainHosts.all[0], PlainHosts.all[2], PlainHosts.all[4]])
  func everyStopOfAddingKeepsTheFirst(_ lacking: Set<HostAbility>) throws {
    var empty = 0
    let (whole, _) = try filled(lacking)
    let start = whole.operationCount
    try SpaceManager.addPassword(in: tests.vault(over: whole), existing: .of(Self.first), new: .of(Self.second))
    let stops = Array(1...whole.operationCount - start)
    for stop in TestLength.sample(stops, 4, name: PlainHosts.name(lacking)) {
      let (storage, neighbour) = try filled(lacking)
      storage.inject(.cut(at: storage.operationCount + stop))
      _ = try? SpaceManager.addPassword(
        in: tests.vault(over: storage), existing: .of(Self.first), new: .of(Self.second))
      let slots = try tests.vault(over: storage).slotKeys(for: .of(Self.second)).flatMap(\.identifiers)
      for way in [PowerCut.losesAll, .keepsAll, .mixed(seed: UInt64(stop))] {
        let left = storage.after(way)
        let comment = Comment(rawValue: "\(PlainHosts.name(lacking)), stopped at \(stop), \(way)")
        empty += slots.count { left.names.contains($0) && left.content($0).isEmpty }
        #expect(try tests.opening(tests.vault(over: left)).first == Self.first, comment)
        if case .mixed = way { try tests.checkRemoving(left, comment) }
        try expectNeighbour(neighbour, in: left, comment)
      }
    }
    let mayBeEmpty = lacking.isSuperset(of: [.renameWithoutReplacing, .hardLinks])
    #expect(mayBeEmpty ? empty > 0 || !TestLength.isWhole : empty == 0)
  }

  /// Nothing would keep two writers apart.
  @Test func whereThereAreNoLocksNothingOpens() throws {
    let (storage, neighbour) = try filled([])
    let vault = tests.vault(over: storage)
    let operations = storage.operationCount
    storage.lack([.locks])
    let refusal = VaultError.system(.noLocks, "locking the space")
    for isReadOnly in [false, true] {
      #expect(throws: refusal) {
        try SpaceManager.openSpace(in: vault, password: .of(Self.first), readOnly: isReadOnly)
      }
    }
    #expect(throws: refusal) { try SpaceManager.addSpace(to: vault, password: .of(Self.second)) }
    #expect(throws: refusal) {
      try SpaceManager.changePassword(in: vault, old: .of(Self.first), new: .of(Self.second))
    }
    #expect(storage.operationCount == operations)
    try expectNeighbour(neighbour, in: storage.after(.losesAll).copy(), "all of the other space is there")
  }
}
