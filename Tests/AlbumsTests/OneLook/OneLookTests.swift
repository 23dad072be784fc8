import Crypto
import FaultyStorage
import Glibc
import Storage
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// One look at a vault, with the password of its first space, does not tell whether there is a hidden one. Vaults with
/// and without are made and used in the same ways; no feature of them tells the two groups apart better than chance,
/// neither in a copy nor in the vault itself after a refresh. What the threat model says that tells is seen to tell.
@Suite(.serialized) struct OneLookTests {
  /// How somebody gets a copy; `$from` and `$to` are the folders.
  private static let copies = [
    "cp -r": "cp -r $from $to", "rsync -a": "rsync -a $from/ $to/", "cp -a": "cp -a $from $to",
    "tar": "mkdir $to && tar -C $from -c . | tar -C $to -x",
  ]

  /// What is looked at and must not tell.
  private static let quiet = ["refreshed"] + copies.keys.sorted()

  private static let ext4 = Host.canBe("ext4")
  private static let xfs = Host.canBe("xfs")
  private static let btrfs = Host.canBe("btrfs")

  /// All four where there is time.
  private func copies(_ one: String) -> [String] { TestLength.isLong ? Self.copies.keys.sorted() : [one] }

  @Test func inMemory() throws { try look(at: nil, copies: copies("cp -r")) }

  @Test(.enabled(if: ext4, "needs root, loop devices and ext4"))
  func onExt4() throws { try look(at: "ext4", copies: copies("rsync -a"), declared: true) }

  @Test(.enabled(if: xfs, "needs root, loop devices, XFS and xfsprogs"))
  func onXFS() throws { try look(at: "xfs", copies: copies("cp -a")) }

  @Test(.enabled(if: btrfs, "needs root, loop devices, btrfs and btrfs-progs"))
  func onBtrfs() throws { try look(at: "btrfs", copies: copies("tar")) }

  /// Vaults in each group.
  private let groupSize = TestLength.isLong ? 200 : 12

  /// Looks at two groups of vaults, after a refresh and in copies; if asked to, also at what the threat model declares to
  /// tell.
  private func look(at kind: String?, copies: [String], declared: Bool = false) throws {
    let host = try Host(kind)
    var found: [String: [Bool: [Look]]] = [:]
    for number in 0..<2 * groupSize {
      // The groups take turns, so that the load of the machine is no feature. Chance says which is first in a pair, so
      // that it is none what the host does in turn: XFS makes folders in one allocation group after the other.
      var coin = SeededGenerator(seed: UInt64(number / 2 + 2_000_001))
      let subject = try OneLookSubject(
        host, pair: number / 2, hasHidden: (number % 2 == 1) != Bool.random(using: &coin))
      for (source, look) in try subject.looks(copies.map { ($0, Self.copies[$0] ?? "") }, declared: declared) {
        found[source, default: [:]][subject.hasHidden, default: []].append(look)
      }
    }
    let quiet = found.keys.filter { Self.quiet.contains($0) }
    #expect(quiet.count == copies.count + 1)
    let features = try #require(found["refreshed"]?[false]?.first).features.keys.sorted()
    // One run in a thousand may fail by chance, with all features of all looks at all hosts together.
    let bound = MannWhitney.bound(size: groupSize, chance: 0.001 / Double(features.count * 8))
    // What tells has to do so in one feature.
    let certain = MannWhitney.bound(size: groupSize, chance: 0.05 / Double(features.count))
    for (source, groups) in found.sorted(by: { $0.key < $1.key }) {
      let (without, with) = (try #require(groups[false]), try #require(groups[true]))
      #expect(without.count == groupSize && with.count == groupSize)
      var areas: [String: Double] = [:]
      for feature in features {
        areas[feature] = MannWhitney.areaUnderCurve(
          without.map { $0.features[feature] ?? 0 }, with.map { $0.features[feature] ?? 0 })
      }
      let worst = areas.max { abs($0.value - 0.5) < abs($1.value - 0.5) }
      print(
        "looked: \(kind ?? "memory"), \(source), 2 x \(groupSize) vaults, \(features.count) features: AUC "
          + "furthest from 0.5 is \(worst?.value ?? 0) (\(worst?.key ?? "")), bound 0.5 ± \(bound)")
      fflush(nil)
      if Self.quiet.contains(source) {
        for (feature, area) in areas.sorted(by: { $0.key < $1.key }) {
          #expect(abs(area - 0.5) < bound, "\(feature) of \(source) tells: \(area)")
        }
      } else {
        // What the promise leaves out is seen, so the test can fail.
        #expect(abs((worst?.value ?? 0.5) - 0.5) > certain, "\(source) tells nothing: \(areas)")
      }
    }
  }

  /// A vault with one file of another time, or one more file, is told.
  @Test func aLeakOnPurposeIsTold() throws {
    let host = try Host(nil)
    var found: [Bool: [Look]] = [:]
    for number in 0..<2 * groupSize {
      let subject = try OneLookSubject(host, pair: number / 2, hasHidden: false)
      try subject.touchAFile(number % 2 == 1)
      found[number % 2 == 1, default: []].append(try subject.look(at: subject.path))
    }
    let area = MannWhitney.areaUnderCurve(
      (found[false] ?? []).map { $0.features["times"] ?? 0 }, (found[true] ?? []).map { $0.features["times"] ?? 0 })
    #expect(area - 0.5 > MannWhitney.bound(size: groupSize, chance: 1e-6))
  }

  @Test func boundsAreThoseOfTheDistribution() {
    // Of two groups of 12 only two of 2,704,156 orders are complete.
    #expect(MannWhitney.bound(size: 12, chance: 2.1 / 2_704_156) < 0.5)
    #expect(MannWhitney.bound(size: 12, chance: 2.1 / 2_704_156) > 0.49)
    #expect(MannWhitney.bound(size: 12, chance: 1.9 / 2_704_156) > 0.5)
    #expect(abs(MannWhitney.bound(size: 40, chance: 0.001) - MannWhitney.bound(size: 41, chance: 0.001)) < 0.01)
    #expect(MannWhitney.areaUnderCurve([1, 2], [2, 3]) == 0.875)
  }
}

/// A vault that is made and used, and is gone with the object.
final class OneLookSubject {
  private static let first = "the first space"
  private static let hidden = "the hidden space"

  let path: String
  let hasHidden: Bool
  private let host: Host
  private let vault: Vault
  /// The first space is used in the same ways in both groups, so the hidden one has chance of its own.
  private var generator: SeededGenerator
  private var other: SeededGenerator

  init(_ host: Host, pair: Int, hasHidden: Bool) throws {
    self.host = host
    self.hasHidden = hasHidden
    path = host.path + "/vault"
    generator = SeededGenerator(seed: UInt64(pair + 1))
    other = SeededGenerator(seed: UInt64(pair + 1_000_001))
    var options = VaultCreationOptions()
    options.segmentSize = 1 << 20
    options.cover = 4 << 20
    options.derivation = try #require(
      PasswordDerivation(operations: 1, memory: 8 << 20, salt: Array(repeating: 3, count: 16)))
    var made: Vault
    repeat {
      HostFile.remove(path)
      made = try SpaceManager.createVault(
        in: DirectoryStorage.make(at: path), options: options, password: .of(Self.first),
        hiddenPassword: hasHidden ? .of(Self.hidden) : nil)
      // One vault in a hundred gets 400 files more, of which the host does not hold three copies.
    } while HostFile.segments(of: path).count > 350
    vault = made
  }

  deinit { HostFile.remove(path) }

  /// A session that writes photos, rewrites one and deletes some.
  private func use(_ password: String, _ generator: inout SeededGenerator) throws {
    let space = try SpaceManager.openSpace(in: vault, password: .of(password))
    let files = try FileSystem(space: space, options: FileSystemOptions(logger: quietLogger))
    let folder = try files.folder("session \(UInt64.random(in: 0 ... .max, using: &generator))")
    do {
      for number in 0..<Int.random(in: 1...4, using: &generator) {
        let file = try files.make("p\(number)", in: folder)
        try files.put(generator.bytes(Int.random(in: 100_000...700_000, using: &generator)), file)
        if number == 1 { try files.put(generator.bytes(300_000), file) }
      }
    } catch Errno.noSpace {
      // Some hidden spaces are full.
    }
    if Bool.random(using: &generator) { _ = try files.unlink(.of("p0"), in: folder) }
    try files.close()
    vault.shuffleNames()
  }

  /// Fills the hidden space, deletes most of it and has what died cleaned away.
  private func fillAndClean() throws {
    let space = try SpaceManager.openSpace(in: vault, password: .of(Self.hidden))
    let files = try FileSystem(space: space, options: FileSystemOptions(logger: quietLogger))
    var made: [String] = []
    for number in 0..<Int.random(in: 2...5, using: &other) {
      let file = try files.make("full \(number)")
      made.append("full \(number)")
      do { try files.put(other.bytes(400_000), file) } catch { break }
    }
    for name in made.dropLast() { _ = try files.unlink(.of(name), in: .root) }
    try files.close()
    vault.shuffleNames()
  }

  /// Uses the vault, and looks at it and at copies.
  ///
  /// - Parameters:
  ///   - copies: their names, and how they are made.
  ///   - declared: whether to look at what tells, too.
  func looks(_ copies: [(name: String, command: String)], declared: Bool) throws -> [String: Look] {
    var looks: [String: Look] = [:]
    let backup = host.path + "/backup"
    defer { HostFile.remove(backup) }
    if declared { try copy("rsync -a $from/ $to/", to: backup) }
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      try use(Self.first, &generator)
      guard hasHidden else { continue }
      for _ in 0..<Int.random(in: 0...1, using: &other) { try use(Self.hidden, &other) }
    }
    if hasHidden {
      try use(Self.hidden, &other)
      if Bool.random(using: &other) { try fillAndClean() }
    }
    if declared { looks["pulled plug"] = hasHidden ? try pulledPlug() : try lookAtCopy() }
    if Bool.random(using: &generator) { try use(Self.first, &generator) }
    if declared {
      try copy("rsync -a $from/ $to/", to: backup)
      looks["backup filled twice"] = try look(at: backup)
      HostFile.remove(backup)
      looks["live disk"] = try look(at: path)
    }
    for (name, command) in copies { looks[name] = try lookAtCopy(command) }
    let refresh = DirectoryRefresh(
      try DirectoryStorage(path: path), segmentSize: vault.parameters.segmentSize, progress: { _ in true })
    try refresh.run()
    looks["refreshed"] = try look(at: path)
    return looks
  }

  private func copy(_ command: String, to path: String) throws {
    let outcome = try Host.shell("from=\(self.path); to=\(path); \(command)", in: "/")
    #expect(outcome.status == 0, "\(outcome)")
  }

  private func lookAtCopy(_ command: String = "cp -r $from $to") throws -> Look {
    let path = host.path + "/copy"
    defer { HostFile.remove(path) }
    try copy(command, to: path)
    return try look(at: path)
  }

  /// A look at what a power cut leaves while the hidden space is written.
  private func pulledPlug() throws -> Look {
    let space = try SpaceManager.openSpace(in: vault, password: .of(Self.hidden))
    let files = try FileSystem(space: space, options: FileSystemOptions(logger: quietLogger))
    try files.put(other.bytes(100_000), files.make("the last"))
    try files.synchronize()
    let look = try lookAtCopy()
    try files.close()
    vault.shuffleNames()
    return look
  }

  /// Looks with the password of the first space.
  func look(at path: String) throws -> Look {
    try host.settle()
    let vault = try Vault.open(in: DirectoryStorage(path: path), weakDerivations: .opening)
    let explained: Set<SegmentIdentifier>
    do {
      let space = try SpaceManager.openSpace(in: vault, password: .of(Self.first), readOnly: true)
      explained = try space.explainedFiles().union(SlotRecords.names(of: space))
    }
    var look = try Look(at: path, explained: explained)
    let information = try SpaceManager.information(in: vault, password: .of(Self.first))
    look.add("info: files", information.files)
    look.add("info: bytes of data", information.dataBytes)
    look.add("info: bytes that are stored", information.storedBytes)
    look.add("info: bytes of the index", information.indexBytes)
    return look
  }

  /// Gives one file another time if told to.
  func touchAFile(_ doesIt: Bool) throws {
    guard doesIt, let file = HostFile.segments(of: path).first else { return }
    #expect(try Outcome("/usr/bin/touch", arguments: [file]).status == 0)
  }
}
