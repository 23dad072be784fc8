import AlbumsSupport
import FaultyStorage
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// A full disk gives back what is deleted.
@Suite struct FullDiskTests {
  /// What happens between the moment when the disk is full and the deletions.
  enum Pause: String, CaseIterable { case none, mountedAgain, powerCut, attempts }

  /// Of X bytes deleted, 80 % less four segments can be written before a writer is refused.
  @Test(
    arguments: TestLength.sample(
      Pause.allCases.flatMap { [($0, 24 << 20), ($0, 96 << 20)] }, Pause.allCases.count, kind: { $0.0 }))
  func whatIsDeletedCanBeWritten(_ pause: Pause, limit: Int) throws {
    var vault = try TestVault(storage: FaultyStorage(limit: limit))
    var kept: [(name: String, size: Int)] = []
    // As people fill a disk: notes, pictures for the screen, photos.
    for name in FileNames(prefix: "f") {
      let size = [700, 40_000, 1_300_000][kept.count % 3]
      guard try write(name, size, vault.files) else { break }
      kept.append((name, size))
    }
    switch pause {
    case .none: break
    case .attempts:
      // Changes of all kinds, which find room or not.
      for number in 0..<300 {
        let inode = try vault.files.find(kept[number % kept.count].name).inode
        _ = try? vault.files.change(inode) { $0.mode = UInt32(0o600 + number % 8) }
        _ = try? vault.files.put(pattern(100_000, 1), vault.files.make("attempt"))
        _ = try? vault.files.synchronize()
        if try vault.files.names(of: .root)["attempt"] != nil { try vault.files.delete("attempt") }
      }
    case .mountedAgain: try vault.reopen()
    case .powerCut:
      vault = try vault.afterPowerCut(seed: 1)
      vault.storage.setLimit(limit)
    }

    var deleted = 0
    for (place, file) in kept.enumerated().reversed() where place / 3 % 2 == 0 {
      try vault.files.delete(file.name)
      deleted += file.size
      kept.remove(at: place)
    }
    var written = 0
    let size = 500_000
    for name in FileNames(prefix: "g") {
      guard try write(name, size, vault.files) else { break }
      kept.append((name, size))
      written += size
    }
    let goal = deleted * 8 / 10 - 4 * TestVault.segmentSize
    #expect(written >= goal, "of \(deleted) bytes deleted \(written) could be written")
    #expect(written <= limit)

    try vault.reopen()
    #expect(try vault.files.names(of: .root).count == kept.count)
    for file in kept {
      let content = try vault.files.get(try vault.files.find(file.name).inode)
      #expect(isSame(content, pattern(file.size, file.name.hashed)), "\(file.name)")
    }
    try vault.closeSound()
  }

  /// What finds no room is not reported as durable, even if a round of cleaning ends while the commit without it is
  /// written.
  @Test func syncFailsThoughARoundEndsMeanwhile() throws {
    let storage = FaultyStorage(limit: 64 << 20)
    let vault = try TestVault(storage: storage) {
      $0.commitInterval = 3600
      $0.cleans = false
    }
    let files = vault.files
    // Chunks that are not full wait for the commit.
    for name in "abcdefghij" { try files.put(pattern(400_000, 1), files.make(String(name))) }
    storage.fillByOthers()
    let wasFull = Atomic(false)
    storage.whenWritten {
      files.locked { files in
        if files.writeBack.logIsFull { wasFull.store(true, ordering: .relaxed) }
        files.writeBack.logIsFull = false
      }
    }
    expect(.noSpace) { try files.synchronize() }
    let wasFullMeanwhile = wasFull.load(ordering: .relaxed)
    #expect(wasFullMeanwhile)
    storage.whenWritten(nil)
    storage.fillByOthers(false)
    try files.synchronize()
    try vault.reopen()
    for name in "abcdefghij" {
      #expect(isSame(try vault.files.get(vault.files.find(String(name)).inode), pattern(400_000, 1)))
    }
    try vault.files.close()
  }

  /// Whoever waits for a commit learns what became of that one, or of a later one that has its changes as well.
  @Test func eachCommitHasItsOwnOutcome() {
    var commits = CommitState()
    commits.beginCommit()
    commits.endCommit(.noSpace)
    commits.beginCommit()
    #expect(commits.failure(of: 1) == .noSpace)
    commits.endCommit(nil)
    commits.beginCommit()
    commits.endCommit(.ioError)
    #expect(commits.failure(of: 1) == nil)
    #expect(commits.failure(of: 2) == nil)
    #expect(commits.failure(of: 3) == .ioError)
  }

  /// A round that made room made it, though others took as much at the same time.
  @Test func aRoundGainsWhatItFreesWhateverOthersWrite() throws {
    let vault = try TestVault { $0.cleans = false }
    let files = vault.files
    func put(_ name: String) throws {
      try files.put(pattern(8 << 20, 1), files.make(name))
      try files.synchronize()
    }
    try put("a")
    try files.delete("a")
    try files.synchronize()
    let before = vault.space.bytesWithoutNewData
    try files.cleaner.clean(isAsked: true)
    try put("b")
    try files.cleaner.beginEpochs(2)
    #expect(before - vault.space.bytesWithoutNewData > 4 << 20)
    try files.close()
  }

  /// A full disk that nobody cleans has room for the end of a mount.
  @Test func deletingAndClosingTakeNoRoom() throws {
    let vault = try TestVault(storage: FaultyStorage(limit: 24 << 20)) { $0.cleans = false }
    let count = try vault.files.fill("f", size: 700_000)
    try vault.reopen()
    for number in 0..<count { try vault.files.delete("f\(number)") }
    try vault.reopen()
    #expect(try vault.files.names(of: .root).isEmpty)
    try vault.files.close()
  }

  /// Writes a file and syncs it; false when the disk is full: then nothing is left of it.
  private func write(_ name: String, _ size: Int, _ files: FileSystem) throws -> Bool {
    do {
      try files.put(pattern(size, name.hashed), files.make(name))
      try files.synchronize()
      return true
    } catch Errno.noSpace {
      if try files.names(of: .root)[name] != nil { try files.delete(name) }
      return false
    }
  }
}

/// Names without end.
private struct FileNames: Sequence, IteratorProtocol {
  let prefix: String
  private var number = 0

  init(prefix: String) { self.prefix = prefix }

  mutating func next() -> String? {
    number += 1
    return "\(prefix)\(number)"
  }
}

extension String {
  /// The same number in every process.
  fileprivate var hashed: Int { utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } }
}
