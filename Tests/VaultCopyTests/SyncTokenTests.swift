import FaultyObjects
import FaultyStorage
import Glibc
import ObjectStore
import Storage
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import VaultCopy

/// How a sync knows that a vault is not older than a bucket.
@Suite struct SyncTokenTests {
  private let subject: CopySubject
  private let store = MemoryStore()

  init() throws { subject = try CopySubject() }

  /// Expects that a vault is refused and nothing changes.
  private func expectRefusal(_ backup: CopySubject.Backup, _ error: CopyError) throws {
    let (before, tokens) = (store.objects, try HostFile.read(backup.tokensPath))
    #expect(throws: error) { try SyncRun(from: DirectoryEnd(backup.path), to: end(store)).run() }
    #expect(store.objects == before)
    #expect(try HostFile.read(backup.tokensPath) == tokens)
  }

  @Test func aRestoredVaultIsRefused() throws {
    try subject.sync(to: store)
    let backup = try subject.backup("backup")
    try subject.write([1, 2, 3], to: .numbered(1000))
    try subject.storage.delete(subject.names[3])
    #expect(try subject.sync(to: store).deleted == 1)
    try expectRefusal(backup, .olderSource("\(backup.path)", 1))
    // Also after it was written to.
    let restored = try DirectoryStorage(path: backup.path)
    try restored.put(.numbered(2000), [4, 5, 6])
    try restored.delete(subject.names[4])
    try expectRefusal(backup, .olderSource("\(backup.path)", 2))
    // Under the same names.
    try restored.put(.numbered(1000), [7, 8, 9])
    try restored.put(subject.names[4], try subject.storage.content(of: subject.names[4]))
    try expectRefusal(backup, .divergent(bucket, 1))
    var options = SyncOptions()
    options.deletesNewer = true
    try SyncRun(from: DirectoryEnd(backup.path), to: end(store), options).run()
    #expect(try store.content == CopySubject.content(of: backup.path))
    // Now it is the other one that is older.
    #expect(throws: CopyError.self) { try subject.sync(to: store) }
  }

  /// A space that is removed leaves nothing new, slots that are wiped have other bytes, and a new key does both.
  @Test func whatTheVaultKnowsIsNotRefused() throws {
    try subject.sync(to: store)
    for name in subject.names[3...5] { try subject.storage.delete(name) }
    #expect(try subject.sync(to: store).deleted == 3)
    for (number, count) in [(0, CopySubject.segmentSize), (1, 137)] {
      try subject.write(randomBytes(count, seed: 77), to: subject.names[number])
    }
    try subject.storage.delete(subject.names[6])
    let summary = try subject.sync(to: store)
    #expect(summary.copied == 2 && summary.deleted == 1)
    #expect(try store.content == subject.content)
  }

  @Test func aRunThatChangesNothingLeavesTheToken() throws {
    try subject.sync(to: store)
    let (objects, tokens) = (store.objects, try HostFile.read(subject.tokensPath))
    try subject.sync(to: store)
    #expect(store.objects == objects)
    #expect(try HostFile.read(subject.tokensPath) == tokens)
    try subject.write([1, 2, 3], to: .numbered(1000))
    try subject.sync(to: store)
    let changed = try HostFile.read(subject.tokensPath)
    #expect(changed != tokens && store.token.map { $0 + [UInt8(ascii: "\n")] } == changed)
  }

  @Test func theFileIsLikeTheParameters() throws {
    try subject.sync(to: store)
    let text = try HostFile.read(subject.tokensPath)
    #expect(text.count == 33 && text.last == UInt8(ascii: "\n"))
    let parameters = HostFile.status(subject.folder.path("vault/" + StorageNames.parameters))
    let found = HostFile.status(subject.tokensPath)
    #expect(found.st_mode == parameters.st_mode && found.st_uid == parameters.st_uid)
    #expect(Int(found.st_mtim.tv_sec) == DirectoryStorage.completeTime)
    let vault = HostFile.status("\(subject.path)")
    #expect(Int(vault.st_mtim.tv_sec) == DirectoryStorage.completeTime)
  }

  @Test func twoBucketsTakeTurns() throws {
    let stores = [store, MemoryStore()]
    for round in 0..<6 {
      try subject.write(randomBytes(50, seed: UInt64(round)), to: .numbered(1000 + round))
      try subject.storage.delete(subject.names[round + 1])
      try subject.sync(to: stores[round % 2])
      #expect(try stores[round % 2].content == subject.content)
    }
    let tokens = SyncTokens(text: try HostFile.read(subject.tokensPath))
    #expect(tokens.count == 2)
    for store in stores {
      let token = try #require(SyncToken(text: store.token ?? []))
      #expect(tokens.contains(token))
    }
  }

  /// The process ends before or after a change of the vault's tokens; the next run needs no option.
  @Test func everyEndAtTheTokensGoesOn() throws {
    var cases = CaseCount("syncs that end at their tokens")
    let (memory, tokens) = (try subject.inMemory(), TokenFile())
    try SyncRun(from: MemorySource(memory, tokens), to: end(store)).run()
    memory.place([1, 2, 3], as: .numbered(1000))
    for name in subject.names[3...4] { try memory.delete(name) }
    let before = tokens.value
    // One at the beginning, one after the files, and one that drops the earlier tokens.
    for change in 0..<3 {
      for isAfter in [false, true] {
        let stopped = try store.copy()
        tokens.reset(to: before)
        tokens.stop(at: change, after: isAfter)
        let outcome = Result { try SyncRun(from: MemorySource(memory, tokens), to: end(stopped)).run() }
        // That nothing is dropped is no harm.
        if change < 2 { #expect(throws: CopyError.cancelled) { try outcome.get() } }
        let left = tokens.value
        let token = try #require(SyncToken(text: stopped.token ?? []))
        #expect(left.contains(token))
        tokens.reset(to: left)
        try SyncRun(from: MemorySource(memory, tokens), to: end(stopped)).run()
        #expect(stopped.content.count == memory.names.count + 1)
        cases.add()
      }
    }
  }

  /// A copy that brings something to the bucket does not know the vault's tokens.
  @Test func aCopyEndsWhatIsKnown() throws {
    try subject.sync(to: store)
    let token = store.token
    try CopyRun(from: subject.end, to: end(store)).run()
    #expect(store.token == token)
    let backup = try subject.backup("backup")
    try subject.write([1, 2, 3], to: .numbered(1000))
    try CopyRun(from: subject.end, to: end(store)).run()
    #expect(store.token?.count == 32 && store.token != token)
    try expectRefusal(backup, .olderSource("\(backup.path)", 1))
    #expect(try subject.sync(to: store).copied == 0)
    try subject.storage.delete(subject.names[3])
    #expect(try subject.sync(to: store).deleted == 1)
  }

  /// After a restore nothing is known. The next sync finds no difference.
  @Test func aVaultThatWasCopiedBackGoesOn() throws {
    try subject.sync(to: store)
    let back = FilePath(subject.folder.path("back"))
    try CopyRun(from: end(store), to: DirectoryEnd(back)).run()
    #expect(HostFile.names(in: "\(back)") == [StorageNames.parameters, StorageNames.segments])
    #expect(try SyncRun(from: DirectoryEnd(back), to: end(store)).run().copied == 0)
    let storage = try DirectoryStorage(path: back)
    try storage.put(.numbered(1000), [1, 2, 3])
    try storage.delete(subject.names[3])
    #expect(try SyncRun(from: DirectoryEnd(back), to: end(store)).run().deleted == 1)
  }

  @Test(.enabled(if: geteuid() != 0)) func aVaultThatCannotBeWrittenIsRefused() throws {
    let path = "\(subject.path)"
    unsafe chmod(path, 0o555)
    defer { unsafe chmod(path, 0o700) }
    #expect(throws: CopyError.readOnlySource(path)) { try subject.sync(to: store) }
    #expect(store.objects.isEmpty)
  }

  /// The oldest tokens go, but not the one that the bucket has.
  @Test func thereAreFewTokens() throws {
    let (kept, other) = (SyncToken(), SyncToken())
    var tokens = SyncTokens()
    tokens.add(kept, keeping: nil)
    tokens.add(other, keeping: nil)
    for _ in 0..<100 { tokens.add(SyncToken(), keeping: kept) }
    #expect(tokens.count == 64 && tokens.contains(kept) && !tokens.contains(other))
    #expect(SyncTokens(text: tokens.text) == tokens)
    let strange = SyncTokens(text: Array("\nx\n\(String(repeating: "A", count: 32))\n".utf8) + kept.text)
    #expect(strange.count == 1 && strange.contains(kept))
    // A token that the vault does not have is not added.
    var none = SyncTokens()
    none.add(other, keeping: kept)
    #expect(none.count == 1)
  }
}

extension CopySubject {
  /// A copy of the vault's directory.
  struct Backup {
    let path: FilePath
    var tokensPath: String { "\(path)/" + StorageNames.synced }
  }

  /// Copies the directory to a new one beside it as another program does, with the tokens.
  func backup(_ name: String) throws -> Backup {
    let backup = Backup(path: FilePath(folder.path(name)))
    try CopyRun(from: end, to: DirectoryEnd(backup.path)).run()
    try HostFile.write(try HostFile.read(tokensPath), to: backup.tokensPath)
    return backup
  }
}
