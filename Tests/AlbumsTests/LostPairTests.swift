import Crypto
import FaultyStorage
import Storage
import SystemPackage
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
    /// The pairs without which an older state is mounted and nothing tells: segments by epoch and index.
    let silent: Set<String>
    var description: String { name }
  }

  private static let password = "a password"
  private static let parameters = VaultParameters.cheap
  private static let options = FileSystemOptions(logger: quietLogger)

  private func vault(over storage: FaultyStorage) -> Vault { Vault(storage: storage, parameters: Self.parameters) }

  private func open(_ storage: FaultyStorage, copyWindow: Int64 = Space.defaultCopyWindow) throws -> Space {
    try SpaceManager.openSpace(in: vault(over: storage), password: .of(Self.password), copyWindow: copyWindow)
  }

  private func content(_ visit: Int, _ history: History) -> [UInt8] { pattern(history.bytes + visit, visit) }

  /// Files, what each is, in the order of their creation.
  private func made(_ history: History) throws -> (storage: FaultyStorage, kinds: [(SegmentIdentifier, String)]) {
    let storage = FaultyStorage()
    try SpaceManager.addSpace(to: vault(over: storage), password: .of(Self.password))
    for visit in 1...history.visits {
      let files = try FileSystem(space: open(storage, copyWindow: history.copyWindow), options: Self.options)
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
    return storage.names.map { ($0, kinds[$0] ?? "slot") }
  }

  private func outcome(_ storage: FaultyStorage, _ history: History) throws -> Outcome {
    let report = try? SpaceManager.check(in: vault(over: storage), password: .of(Self.password), readData: true)
    guard let space = try? open(storage), let files = try? FileSystem(space: space, options: Self.options) else {
      return .refused
    }
    defer { try? files.close() }
    if space.gate.reason != nil { return .readOnly }
    guard let names = try? files.names(of: .root) else { return .damaged }
    guard names.count == history.visits else { return report?.isClean == true ? .olderInSilence : .olderAndChecked }
    for visit in 1...history.visits {
      let found = try? files.get(names["\(visit)"] ?? .root)
      if found != content(visit, history) { return report?.isClean == true ? .olderInSilence : .damaged }
    }
    return .whole
  }

  /// What nothing tells is the whole of a visit that fits into one file, with the head that closed it; or the end of a
  /// larger visit with that head; or of one that was killed, where no such head is.
  @Test(arguments: [
    History(name: "three visits", silent: ["7.0+8.0"]),
    History(name: "three visits, no window", copyWindow: 0, silent: ["7.0+8.0"]),
    History(name: "many visits", visits: 9, silent: ["19.0+20.0"]),
    History(name: "many visits, no window", visits: 9, copyWindow: 0, silent: ["19.0+20.0"]),
    History(name: "large visits", visits: 2, bytes: 2_500_000, silent: ["5.2+6.0"]),
    History(name: "killed", isKilled: true, silent: ["6.0+7.0"]),
    History(name: "killed in a large visit", visits: 2, bytes: 2_500_000, isKilled: true, silent: ["5.1+5.2"]),
  ])
  func everyPairThatIsLost(_ history: History) throws {
    let (storage, kinds) = try made(history)
    var found: [Outcome: Set<String>] = [:]
    for first in kinds.indices {
      for second in kinds.indices where second >= first {
        let lost = storage.after(.keepsAll)
        for index in [first, second] { lost.tamper(kinds[index].0) { _ in nil } }
        let outcome = try outcome(lost, history)
        if first == second {
          // One file that is lost leads to no older state after a visit that was ended.
          #expect(history.isKilled || ![.olderInSilence, .olderAndChecked].contains(outcome), "\(kinds[first].1)")
        } else {
          found[outcome, default: []].insert("\(kinds[first].1)+\(kinds[second].1)")
        }
      }
    }
    #expect(found[.olderInSilence] == history.silent)
    #expect(found[.damaged]?.isEmpty == false)
    #expect(found[.refused]?.contains("slot+slot") == true)
    // The end of the visit is still there, and says that all before it was durable.
    if history.name == "large visits" { #expect(found[.damaged]?.contains("5.1+6.0") == true, "\(found)") }
  }
}
