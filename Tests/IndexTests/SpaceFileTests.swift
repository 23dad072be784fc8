import Crypto
import FaultyStorage
import Index
import TestSupport
import Testing

@testable import Vault

/// The index over the real log.
@Suite struct SpaceFileTests {
  private func names(_ index: Index) throws -> [FileName] {
    try index.dentries(after: nil, limit: .max).map(\.entry.name)
  }

  /// Adds names, with targets of all lengths so that pages fill up, and removes some.
  private func change(_ index: Index, _ random: inout SeededGenerator) throws {
    for _ in 0..<20 {
      let inode = index.nextInodeNumber()
      var record = InodeRecord.file(inode)
      record.target = [UInt8](repeating: 0x74, count: Int.random(in: 0..<4000, using: &random))
      try index.insert(record)
      let name = try name("file \(inode.rawValue)")
      try index.insertDentry(
        parent: .root, DentryRecord(name: name, inode: inode, kind: 10, cookie: index.nextCookie()))
    }
    for entry in try index.dentries(after: nil, limit: 200) where random.oneIn(12) {
      try index.deleteDentry(parent: .root, name: entry.entry.name)
      try index.deleteInode(entry.entry.inode)
    }
  }

  /// Commits without a flush.
  private func commit(_ index: Index, _ space: Space) throws {
    try index.commit()
    guard let changes = index.unlogged else { return }
    try space.commit(LogTransaction(changes))
    index.noteLogged(changes)
  }

  /// Whatever a power cut leaves, the index opens as it was at a commit, and not before the last one that was
  /// flushed.
  @Test(arguments: TestLength.seedArguments(12))
  func powerCuts(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let storage = FaultyStorage()
    let vault = Vault(storage: storage, parameters: .cheap)
    let made = try vault.createSpace(suite: .aes256gcm, copyWindow: 0)
    let index = try Index(space: made.space, creating: RootOwner(owner: 0, group: 0))
    try index.commit(to: made.space)
    var states = [try names(index)]
    var flushed = 0
    for _ in 0..<Int.random(in: 5..<25, using: &random) {
      try change(index, &random)
      if random.oneIn(4) { try index.incrementalVacuum(pages: 5) }
      try commit(index, made.space)
      states.append(try names(index))
      if random.oneIn(3) {
        try made.space.sync()
        flushed = states.count - 1
      }
    }
    try change(index, &random)

    let after = storage.powerCut(seed: seed)
    let opened = try Index(
      space: try Vault(storage: after, parameters: vault.parameters).openSpace(made.body, copyWindow: 0))
    let found = try names(opened)
    #expect(states[flushed...].contains(found))
    try expectClean(opened)
    try change(opened, &random)
    try opened.commit()
    try expectClean(opened)
  }

  /// Closing and opening changes nothing, and an index that was only read leaves the storage alone.
  @Test func opensAgain() throws {
    var random = SeededGenerator(seed: 1)
    let storage = FaultyStorage()
    let vault = Vault(storage: storage, parameters: .cheap)
    let made = try vault.createSpace(suite: .aes256gcm, copyWindow: 0)
    let index = try Index(space: made.space, creating: RootOwner(owner: 0, group: 0))
    for _ in 0..<30 { try change(index, &random) }
    try commit(index, made.space)
    let before = try names(index)
    try made.space.close()
    storage.killProcess()
    let operations = storage.operationCount
    let space = try vault.openSpace(made.body, copyWindow: 0)
    let opened = try Index(space: space)
    #expect(try names(opened) == before)
    #expect(opened.inodeCount == index.inodeCount)
    try expectClean(opened)
    try opened.commit()
    #expect(opened.unlogged == nil)
    #expect(storage.operationCount == operations)
  }
}
