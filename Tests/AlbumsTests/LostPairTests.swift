import AlbumsSupport
import FaultyStorage
import Storage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// Any two files of a space are gone, and nothing else: who notices, a mount or a check.
@Suite struct LostPairTests {
  /// What is left of a space with two files less.
  private enum Outcome: Hashable {
    /// Everything is there.
    case whole
    /// No mount: the password opens nothing, or no state is found.
    case refused
    /// The mount is read-only, and says why.
    case readOnly
    /// The newest state is mounted, and what was in the two files gives errors.
    case damaged
    /// An older state is mounted to be written, and only a check tells.
    case olderAndChecked
    /// The same, and the check has a note that files are missing, as a crash leaves it.
    case olderAndNoted
    /// An older state is mounted to be written, and nothing tells.
    case olderInSilence
  }

  /// A history of visits to a space: how many, how much each writes, how long heads are kept.
  struct History: Sendable, CustomStringConvertible {
    let name: String
    var visits = 3
    var bytes = 100_000
    var copyWindow = Space.defaultCopyWindow
    var isKilled = false
    /// Files of a space that owns cover; 0 if it owns none.
    var ownFiles: Int64 = 0
    /// The pairs without which an older state is mounted and a check has no more than a note.
    var noted: Set<String> = []
    /// The pairs without which an older state is mounted and nothing tells: segments by epoch and index.
    let silent: Set<String>
    var description: String { name }
  }

  private static let password = "a password"
  private static let parameters = VaultParameters.cheap

  private func vault(over storage: FaultyStorage) -> Vault { Vault(storage: storage, parameters: Self.parameters) }

  private func content(_ visit: Int, _ history: History) -> [UInt8] { pattern(history.bytes + visit, visit) }

  /// Files, what each is, in the order of their creation.
  private func made(_ history: History) throws -> (storage: FaultyStorage, kinds: [(SegmentIdentifier, String)]) {
    let storage = FaultyStorage()
    try vault(over: storage).addSpace(.of(Self.password), ownFiles: history.ownFiles)
    for visit in 1...history.visits {
      let files = try vault(over: storage).mount(.of(Self.password), copyWindow: history.copyWindow)
      try files.put(content(visit, history), files.make("\(visit)"))
      if history.isKilled, visit == history.visits {
        try files.synchronize(intoIndex: true)
        let after = storage.after(.keepsAll)
        try files.close()
        return (after, try kinds(after))
      }
      try files.close()
    }
    return (storage, try kinds(storage))
  }

  private func kinds(_ storage: FaultyStorage) throws -> [(SegmentIdentifier, String)] {
    let copy = storage.after(.keepsAll)
    let space = try SpaceManager.openSpace(in: vault(over: copy), password: .of(Self.password), readOnly: true)
    let (catalog, keys) = (space.log.locked { $0.catalog }, space.keys)
    var kinds: [SegmentIdentifier: String] = [:]
    for segment in catalog.segments {
      let name = keys.identifier(segment, branch: catalog.branch(of: segment.epoch) ?? [])
      kinds[name] = "\(segment.epoch.rawValue).\(segment.index)"
    }
    for name in space.owner?.slots ?? [] { kinds[name] = "slot" }
    // Of the cover one file is as good as another.
    let cover = storage.names.first { kinds[$0] == nil }
    if let cover { kinds[cover] = "cover" }
    return storage.names.compactMap { name in kinds[name].map { (name, $0) } }
  }

  private func check(_ storage: FaultyStorage) throws -> CheckReport {
    try SpaceManager.check(in: vault(over: storage), password: .of(Self.password), readData: true)
  }

  /// What becomes of the space; `report` is what a check said before that.
  private func outcome(_ storage: FaultyStorage, _ history: History, _ report: CheckReport?) throws -> Outcome {
    let older: Outcome =
      report?.isClean != true ? .olderAndChecked : report?.notes.isEmpty == true ? .olderInSilence : .olderAndNoted
    guard let files = try? vault(over: storage).mount(.of(Self.password)) else { return .refused }
    defer { try? files.close() }
    if files.space.gate.reason != nil { return .readOnly }
    guard let names = try? files.names(of: .root) else { return .damaged }
    guard names.count == history.visits else { return older }
    for visit in 1...history.visits {
      let found = try? files.get(names["\(visit)"] ?? .root)
      if found != content(visit, history) { return report?.isClean == true ? older : .damaged }
    }
    return .whole
  }

  /// What nothing tells but the number and the time of the state that is left: the whole of a visit that fits into one
  /// file, with the head that closed it; or the end of a larger visit with that head; or of one that was killed, where
  /// no such head is. A space that owns cover misses the files themselves.
  ///
  /// The pairs that a history names are in every sample, so that what is found there is the same.
  @Test(arguments: TestLength.sample(histories, 5)) func everyPairThatIsLost(_ history: History) throws {
    let (storage, kinds) = try made(history)
    let whole = try check(storage.after(.keepsAll))
    let pairs = kinds.indices.flatMap { first in
      (first..<kinds.count).map { Pair(first: first, second: $0, kinds) }
    }
    let named = history.silent.union(history.noted).union(["slot+slot", Self.damagedOfLarge])
    let sample = TestLength.sample(
      pairs, 12, kind: { $0.isOne ? "one" : named.contains($0.name) ? $0.name : "any" }, name: history.name)
    var found: [Outcome: Set<String>] = [:]
    for pair in sample {
      let lost = storage.after(.keepsAll)
      for index in [pair.first, pair.second] { lost.tamper(kinds[index].0) { _ in nil } }
      let report = try? check(lost)
      let outcome = try outcome(lost, history, report)
      if [.olderInSilence, .olderAndNoted].contains(outcome) {
        // The owner can see it, who knows when the space was used last.
        let report = try #require(report)
        #expect(report.stateNumber < whole.stateNumber)
        #expect(try #require(report.lastChange) <= #require(whole.lastChange))
      }
      if pair.isOne {
        // One file that is lost leads to no older state after a visit that was ended.
        let isOlder = [.olderInSilence, .olderAndNoted, .olderAndChecked].contains(outcome)
        #expect(history.isKilled || !isOlder, "\(kinds[pair.first].1)")
      } else {
        found[outcome, default: []].insert(pair.name)
      }
    }
    #expect(found[.olderInSilence, default: []] == history.silent)
    #expect(found[.olderAndNoted, default: []] == history.noted)
    #expect(found[.refused]?.contains("slot+slot") == true)
    if TestLength.isWhole { #expect(found[.damaged]?.isEmpty == false) }
    // The end of the visit is still there, and says that all before it was durable.
    if history.name == "large visits" { #expect(found[.damaged]?.contains(Self.damagedOfLarge) == true, "\(found)") }
  }

  /// Two files, by their places, or twice the same.
  private struct Pair {
    let first: Int
    let second: Int
    let name: String
    var isOne: Bool { first == second }

    init(first: Int, second: Int, _ kinds: [(SegmentIdentifier, String)]) {
      (self.first, self.second) = (first, second)
      name = [kinds[first].1, kinds[second].1].sorted().joined(separator: "+")
    }
  }

  /// The pair of "large visits" of which is known that it leaves damage.
  private static let damagedOfLarge = "5.1+6.0"

  private static let histories = [
    History(name: "three visits", silent: ["7.0+8.0"]),
    History(name: "three visits, no window", copyWindow: 0, silent: ["7.0+8.0"]),
    History(name: "many visits", visits: 9, silent: ["19.0+20.0"]),
    History(name: "many visits, no window", visits: 9, copyWindow: 0, silent: ["19.0+20.0"]),
    History(name: "large visits", visits: 2, bytes: 2_500_000, silent: ["5.2+6.0"]),
    History(name: "killed", isKilled: true, silent: ["6.0+7.0"]),
    History(name: "killed in a large visit", visits: 2, bytes: 2_500_000, isKilled: true, silent: ["5.1+5.2"]),
    History(name: "three visits, cover", ownFiles: 48, silent: []),
    History(name: "large visits, cover", visits: 2, bytes: 2_500_000, ownFiles: 60, noted: ["5.2+6.0"], silent: []),
    History(name: "killed, cover", isKilled: true, ownFiles: 48, noted: ["6.0+7.0"], silent: []),
    History(
      name: "killed in a large visit, cover", visits: 2, bytes: 2_500_000, isKilled: true, ownFiles: 60,
      noted: ["5.1+5.2", "5.1+cover", "5.2+cover"], silent: []),
  ]
}
