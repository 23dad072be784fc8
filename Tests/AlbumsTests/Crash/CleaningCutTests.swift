import AlbumsSupport
import FaultyStorage
import Synchronization
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// Nine tenths of a filled space are deleted and cleaned away under load, and power fails at any point of it.
@Suite struct CleaningCutTests {
  private static let size = 100_000
  private static let ownFiles = 124

  /// With and without cover that the space owns: so much that dead segments go as well.
  @Test(arguments: [0, ownFiles])
  func cleaningUnderLoadShrinksTheStoreAndLosesNothingAtACut(_ ownFiles: Int) throws {
    var cases = CaseCount("power cuts while cleaning")
    for seed in TestLength.seeds(1, few: 1) {
      var generator = SeededGenerator(seed: seed)
      let storage = FaultyStorage()
      storage.record()
      let vault = try TestVault(storage: storage, ownFiles: Int64(ownFiles)) {
        $0.commitInterval = 1e6
        $0.cleans = false
        $0.writers = 0
        $0.dirtyLimit = 64 << 20
      }
      let files = vault.files
      var kept: [String: (inode: InodeNumber, content: [UInt8])] = [:]
      for number in 0..<500 {
        let content = pattern(Self.size, number)
        let inode = try files.make("f\(number)", with: content)
        kept["f\(number)"] = (inode, content)
        if number % 20 == 0 { try files.synchronize() }
      }
      for name in kept.keys.sorted().shuffled(using: &generator).prefix(450) {
        kept[name] = nil
        try files.delete(name)
      }
      try files.synchronize()
      let start = storage.operationCount

      let reader = Reader(files, kept.values.map { ($0.inode, $0.content) })
      let thread = try TestThread { reader.run() }
      // On a busy machine all rounds may end before it begins.
      try waitUntil("a file was read") { reader.right.load(ordering: .relaxed) > 0 }
      var written: [(name: String, after: Int)] = []
      for round in 0..<8 {
        try files.cleaner.clean()
        try files.cleaner.beginEpochs(1)
        try files.put(pattern(Self.size, 1000 + round), try files.make("new\(round)"))
        try files.synchronize()
        written.append(("new\(round)", storage.operationCount))
      }
      // What the last round gave up goes when two heads came after it.
      try files.cleaner.beginEpochs(2)
      reader.isEnding.store(true, ordering: .relaxed)
      try thread.join()
      #expect(reader.wrong.load(ordering: .relaxed) == 0)
      let end = storage.operationCount
      let live = (kept.count + written.count) * Self.size
      // 1.25 times what lives, and what is pinned: the slack of four segments, the two newest heads and what is being
      // written.
      let segments = Double(live) * 1.25 / Double(TestVault.segmentSize) + 4 + 4
      if ownFiles == 0 {
        #expect(storage.names.count <= Int(segments.rounded(.up)))
      } else {
        let dead = vault.space.log.locked { $0.catalog.deletable.count }
        #expect(vault.space.segmentIdentifiers().count - dead <= Int(segments.rounded(.up)))
        #expect(storage.names.count == ownFiles && storage.deletionCount > 40)
      }
      files.stopThreads()

      let player = TapePlayer(storage.recording)
      let operations = stride(from: start + 1, through: end, by: TestLength.isLong ? 1 : 5)
      for operation in TestLength.sample(Array(operations), 6, name: "\(ownFiles) \(seed)") {
        player.wind(to: operation)
        let found = player.cut(.mixed(seed: UInt64(operation) ^ seed << 32), seed: UInt64(operation))
        let comment = Comment(rawValue: "seed \(seed), operation \(operation)")
        let after = try TestVault(vault, over: found)
        if ownFiles > 0 { #expect(found.names.count == ownFiles, comment) }
        for (name, file) in kept {
          let content = try after.files.get(try after.files.find(name).inode)
          #expect(isSame(content, file.content), comment)
        }
        for promise in written where promise.after < operation {
          #expect(throws: Never.self, comment) { _ = try after.files.find(promise.name) }
        }
        try after.files.close()
        try after.expectSound(comment)
        cases.add()
      }
    }
    #expect(TestLength.isWhole ? cases.count > 25 : cases.count == 6)
  }

  /// Reads files again and again, and compares.
  private final class Reader: Sendable {
    let files: FileSystem
    let expected: [(InodeNumber, [UInt8])]
    let isEnding = Atomic(false)
    let right = Atomic(0)
    let wrong = Atomic(0)

    init(_ files: FileSystem, _ expected: [(InodeNumber, [UInt8])]) {
      self.files = files
      self.expected = expected
    }

    func run() {
      while !isEnding.load(ordering: .relaxed) {
        for (inode, content) in expected {
          let found = try? files.get(inode)
          let isRight = found.map { isSame($0, content) } ?? false
          if isRight { right.add(1, ordering: .relaxed) } else { wrong.add(1, ordering: .relaxed) }
        }
      }
    }
  }
}
