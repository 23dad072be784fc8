import AlbumsSupport
import Crypto
import FaultyStorage
import Library
import Storage
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// Spaces that own cover: an earlier version overwrote files in them, so copies may have old bytes in the middle of new
/// ones.
extension ReaderTests {
  private static let password = "one that owns"
  private static let ownFiles: Int64 = 56

  /// How the files come from what a tape says.
  private enum Way: CaseIterable {
    /// A power cut; the directory counts as the one that was written.
    case powerCut
    /// A power cut; all short files are completed, and a refresh gives every file another inode.
    case refreshed
    /// Copied while the space is written, with files that were begun in two parts.
    case copied
    /// Copied with bytes from before in the middle of one of the files that were written last.
    case mixed
    /// The same.
    case mixedAgain
  }

  /// Of each the other program finds the same state, and both or neither say that something is lost.
  @Test func readsCopiesOfSpacesThatOwnCover() throws {
    var cases = CaseCount("copies of spaces that own cover, read by another program")
    var warnings: [Way: Int] = [:]
    for seed in TestLength.seeds(2, few: 1) {
      let (storage, parameters, first) = try history(seed)
      var generator = SeededGenerator(seed: seed)
      let operations = (0..<20).map { _ in Int.random(in: first...storage.operationCount, using: &generator) }.sorted()
      let ways = Way.allCases.count
      let all = Array(operations.enumerated())
      for (number, operation) in TestLength.sample(all, 6, kind: { $0.offset % ways }, name: "\(seed)") {
        let way = Way.allCases[number % ways]
        let player = TapePlayer(storage.recording)
        player.wind(to: operation)
        let left: FaultyStorage
        switch way {
        case .powerCut: left = player.cut(.mixed(seed: UInt64(operation)), seed: seed)
        case .refreshed:
          left = player.cut(.mixed(seed: UInt64(operation)), seed: seed)
          try Vault(storage: left, parameters: parameters).completeShortFiles()
        case .copied: left = copy(player, from: operation, to: storage.operationCount, &generator)
        case .mixed, .mixedAgain:
          left = player.cut(.keepsAll, seed: seed)
          try mix(left, parameters, &generator)
        }
        let folder = try self.folder(of: left, parameters)
        let isOriginal = way == .powerCut
        let vault = try Vault(
          storage: isOriginal ? left : DirectoryStorage(path: FilePath(folder.path)), parameters: parameters)
        let contents = try? Contents(of: vault, Self.password)
        if contents?.warns == true { warnings[way, default: 0] += 1 }
        try compare(
          folder.path, Self.password, with: contents, original: isOriginal,
          "seed \(seed), operation \(operation), \(way)")
        cases.add()
      }
    }
    #expect(cases.count >= (TestLength.isWhole ? 32 : 6))
    guard TestLength.isWhole else { return }
    #expect(warnings[.copied, default: 0] > 0 && warnings[.mixed, default: 0] > 0, "\(warnings)")
  }

  /// A space that owns cover, and what it wrote on a tape, from an operation on: sessions with photos that come and go,
  /// flushed or not.
  private func history(_ seed: UInt64) throws -> (FaultyStorage, VaultParameters, from: Int) {
    let storage = FaultyStorage()
    storage.record()
    let vault = Vault(storage: storage, parameters: .cheap)
    let made = try SpaceManager.draftSpace(
      of: vault, password: .of(Self.password), cipher: .aes256gcm, ownFiles: Self.ownFiles)
    try vault.addFiles(made.files, last: made.slots)
    let first = storage.operationCount + 1
    var generator = SeededGenerator(seed: seed)
    for session in 0..<3 {
      let files = try vault.mount(.of(Self.password), library: Workload.library()) { $0 = Workload.options() }
      for number in 0..<10 {
        let content = pattern(Int.random(in: 100...300_000, using: &generator), 10 * session + number)
        try files.put(content, files.make("\(session) \(number)"))
        if number % 4 == 3 { try files.delete("\(session) \(number - 1)") }
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: try files.synchronize()
        case 1: try files.synchronize(intoIndex: true)
        case 2: try files.cleaner.clean()
        default: try files.locked { files throws(Errno) in try files.committer.commit() }
        }
      }
      if session < 2 { try files.close() } else { files.stopThreads() }
    }
    storage.killProcess()
    return (storage, vault.parameters, first)
  }

  /// Copies folder by folder as `cp -r` does, while the tape goes on to `last` at most. The beginning of the files that
  /// are short, since they are being written, is read first, and the rest of them at the end.
  private func copy(
    _ player: TapePlayer, from first: Int, to last: Int, _ generator: inout SeededGenerator
  ) -> FaultyStorage {
    let copy = FaultyStorage()
    let pause = [0, 1, 4][Int.random(in: 0..<3, using: &generator)]
    var begun: [(name: SegmentIdentifier, content: ArraySlice<UInt8>)] = []
    for name in player.names {
      guard let content = player.content(name), content.count < VaultParameters.cheap.segmentSize else { continue }
      begun.append((name, content[..<Int.random(in: 0...content.count, using: &generator)]))
    }
    var now = first + Int.random(in: 0...20, using: &generator)
    for folder in (0..<256).shuffled(using: &generator) {
      for name in player.names where name.folder == folder {
        player.content(name).map { copy.place($0, as: name) }
        now = min(last, now + Int.random(in: 0...pause, using: &generator))
      }
      player.wind(to: now)
    }
    for (name, content) in begun {
      // What was renamed meanwhile is read no further.
      guard let rest = player.content(name)?.dropFirst(content.count) else { continue }
      copy.place(Array(content + rest), as: name)
    }
    return copy
  }

  /// Gives one of the last segments other bytes in the middle: anywhere, or where a record of data begins.
  private func mix(
    _ storage: FaultyStorage, _ parameters: VaultParameters, _ generator: inout SeededGenerator
  ) throws {
    let vault = Vault(storage: storage, parameters: parameters)
    let space = try SpaceManager.openSpace(in: vault, password: .of(Self.password), readOnly: true)
    let name = try #require(space.segmentFiles().suffix(4).randomElement(using: &generator)).identifier
    var start = Int.random(in: 200..<400_000, using: &generator)
    var count = Int.random(in: 1000..<300_000, using: &generator)
    if Bool.random(using: &generator), let handle = try SegmentHandle.open(storage.open(name), keys: space.keys) {
      var reader = LogReader(space.log.context, handle)
      reader.staysInSegment = true
      var places: [Int] = []
      while let record = try reader.next() {
        if record.header.kind == .extent { places.append(record.position.offset) }
      }
      if let place = places.randomElement(using: &generator) { (start, count) = (place, 16) }
    }
    try space.close()
    storage.tamper(name) { content in
      Array(content.prefix(start)) + randomBytes(count, seed: 3) + content.dropFirst(start + count)
    }
  }
}
