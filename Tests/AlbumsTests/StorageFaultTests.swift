import AlbumsSupport
import FaultyStorage
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import Albums

/// Damage, full disks and failing disks.
@Suite struct StorageFaultTests {
  @Test func damageGivesErrorsForItsFilesOnly() throws {
    let vault = try TestVault()
    let a = try vault.files.make("a")
    let b = try vault.files.make("b")
    let content = pattern(40_000, 2)
    try vault.files.put(pattern(300_000, 1), a)
    try vault.files.synchronize()
    try vault.files.put(content, b)
    try vault.files.synchronize()
    try vault.files.close()
    try vault.damage("/a", at: 200_000)
    try vault.mount()
    expect(.ioError) { _ = try vault.files.get(a) }
    #expect(try vault.files.get(a, count: 100_000) == Array(pattern(300_000, 1)[..<100_000]))
    #expect(try vault.files.get(b) == content)
    #expect(try vault.files.attributes(of: a).size == 300_000)
    #expect(!vault.files.isReadOnly)
    _ = try vault.files.make("c")
    // What is damaged can be written over.
    try vault.files.put(pattern(300_000, 3), a)
    try vault.files.synchronize()
    #expect(try vault.files.get(a) == pattern(300_000, 3))
    try vault.files.close()
  }

  /// Whoever waits in the file system is told at once, not when somebody changes something.
  @Test func aCheckpointThatCannotBeWrittenEndsWriting() throws {
    let vault = try TestVault { $0.commitInterval = 3600 }
    let file = try vault.files.make("a")
    try vault.files.synchronize()
    try vault.files.put(pattern(3 << 20, 1), file)
    try waitUntil("the data is in the log") { vault.space.unflushedBytes > 0 }
    vault.storage.inject(.errors(.ioError, from: 0))
    var records = 0
    vault.files.recordCheckpoint { _ in records += 1 }
    #expect(records == 0)
    #expect(vault.files.locked { $0.life.announcedFailure })
    expect(.readOnlyFileSystem) { _ = try vault.files.make("b") }
    vault.storage.inject(nil)
    #expect(throws: Errno.self) { try vault.files.close() }
  }

  @Test func aFullDiskRefusesDataAndStillDeletes() throws {
    let vault = try TestVault(storage: FaultyStorage(limit: 24 << 20)) { $0.commitInterval = 0.05 }
    let files = vault.files
    var written: [InodeNumber] = []
    var failure: Errno?
    while failure == nil, written.count < 100 {
      do {
        let file = try files.make("f\(written.count)")
        written.append(file)
        try files.put(pattern(1 << 20, written.count), file)
        if written.count % 4 == 0 { try files.synchronize() }
      } catch let error as Errno {
        failure = error
      }
    }
    #expect(failure == .noSpace)
    #expect(written.count > 4)
    #expect(!files.isReadOnly)
    // All that a synchronize promised is there, and all else that is there is right.
    for (place, file) in written.enumerated() {
      let size = try files.attributes(of: file).size
      if size > 0 { #expect(try files.get(file) == pattern(1 << 20, place + 1)) }
    }
    for place in written.indices.dropFirst(2) { try files.delete("f\(place)") }
    try files.synchronize()
    vault.storage.setLimit(.max)
    let more = try files.make("more", with: pattern(100_000, 7))
    try vault.reopen()
    #expect(try vault.files.names(of: .root).keys.sorted() == ["f0", "f1", "more"])
    #expect(try vault.files.get(written[0]) == pattern(1 << 20, 1))
    #expect(try vault.files.get(more) == pattern(100_000, 7))
    try vault.files.close()
  }

  /// A sync that comes before the timed commit commits too: the room of what was deleted comes back without another
  /// change.
  @Test func roomComesBackAfterASync() throws {
    let vault = try TestVault(storage: FaultyStorage(limit: 24 << 20)) { $0.commitInterval = 3600 }
    let files = vault.files
    for round in 0..<2 {
      let count = try files.fill("f\(round).", size: 1 << 20)
      for number in 0..<count { try files.delete("f\(round).\(number)") }
      try files.synchronize()
      try waitUntil("room came back") { vault.space.capacity().availableBytes >= 8 << 20 }
    }
    try files.close()
  }

  @Test func dataThatFindsNoRoomWaitsForIt() throws {
    let storage = FaultyStorage(limit: 64 << 20)
    let vault = try TestVault(storage: storage) {
      $0.commitInterval = 3600
      $0.cleans = false
    }
    let files = vault.files
    let a = try files.make("a", with: pattern(100_000, 1))
    let b = try files.make("b", with: pattern(50_000, 2))
    try files.synchronize()
    let content = pattern(5_500_000, 3)
    try files.put(content, b, at: 60_000)
    storage.setLimit(1)
    for _ in 0..<2 {
      expect(.noSpace) { try files.synchronize() }
      #expect(!files.isReadOnly)
      #expect(isSame(try files.get(b, at: 60_000), content))
    }
    expect(.noSpace) { try files.put([1], a) }
    try files.delete("a")
    expect(.noSpace) { try files.synchronize() }

    // Were it to end here, nothing would be there that was never written.
    let after = try vault.afterPowerCut(seed: 5)
    let found = try after.files.get(b)
    let whole = pattern(50_000, 2) + [UInt8](repeating: 0, count: 10_000) + content
    #expect(found.count >= 50_000)
    #expect(isSame(found, Array(whole[..<found.count])))
    try after.files.close()

    storage.setLimit(64 << 20)
    try files.synchronize()
    #expect(isSame(try files.get(b), whole))
    try vault.reopen()
    #expect(isSame(try vault.files.get(b), whole))
    expect(.noSuchFileOrDirectory) { _ = try vault.files.find("a") }
    try vault.closeSound()
  }

  /// A file that is cut and written again while others take the last room is after a crash what it was, or the beginning
  /// of what it became.
  @Test func whatIsRewrittenOnAFullDiskNeverReadsAsZeros() throws {
    let storage = FaultyStorage(limit: 64 << 20)
    let vault = try TestVault(storage: storage) {
      $0.commitInterval = 3600
      $0.cleans = false
      $0.writers = 0
    }
    let files = vault.files
    let a = try files.make("a")
    let b = try files.make("b")
    try files.put(pattern(8192, 1), a)
    try files.synchronize(intoIndex: true)
    try files.resize(a, 0)
    try files.put(pattern(4096, 2), a)
    try files.put(pattern(5_500_000, 3), b)
    storage.fill()
    expect(.noSpace) { try files.synchronize() }
    // The commit is in the log, and made durable a little later.
    try files.syncLog()
    let after = try vault.afterPowerCut(seed: 7)
    let found = try after.files.get(a)
    let isPossible = found == pattern(8192, 1) || found == Array(pattern(4096, 2)[..<min(4096, found.count)])
    #expect(isPossible, "\(found.count) bytes, \(found.count { $0 == 0 }) of them zero")
    try after.files.close()
    storage.setLimit(64 << 20)
    try files.synchronize()
    #expect(try files.get(a) == pattern(4096, 2))
    try files.close()
  }

  @Test func aFailingDiskMakesItReadOnly() throws {
    let vault = try TestVault { $0.commitInterval = 3600 }
    let files = vault.files
    let a = try files.make("a", with: pattern(10_000, 1))
    try files.synchronize()
    try files.make("b", with: pattern(10_000, 2))
    vault.storage.inject(.error(.ioError, at: vault.storage.operationCount + 1))
    expect(.ioError) { try files.synchronize() }
    #expect(files.isReadOnly)
    #expect(try files.get(a) == pattern(10_000, 1))
    expect(.readOnlyFileSystem) { _ = try files.make("c") }
    expect(.readOnlyFileSystem) { try files.synchronize() }
    #expect(throws: Errno.self) { try files.close() }
    let after = try vault.afterPowerCut(seed: 1)
    #expect(try after.files.get(a) == pattern(10_000, 1))
    try after.files.close()
  }
}
