import FaultyStorage
import Glibc
import Index
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
    let extent = try #require(
      try vault.files.locked { files throws(IndexError) in
        try files.index.extents.rows(of: a, overlapping: .zero..<FileOffset(1), limit: 1).first
      })
    try vault.reopen()
    for identifier in vault.storage.names {
      vault.storage.tamper(identifier) { content in
        var content = content
        // In another segment than the extent's this is padding or a later record; only the first segment has this much
        // data.
        if content.count > extent.position.offset + 200_000, extent.position.segment.index == 0 {
          content[extent.position.offset + 200_000] ^= 4
        }
        return content
      }
    }
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
    let small = FaultyStorage()
    small.setLimit(24 << 20)
    let vault = try TestVault(storage: small) { $0.commitInterval = 0.05 }
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
    for place in written.indices.dropFirst(2) {
      #expect(try files.unlink(.of("f\(place)"), in: .root) == written[place])
      files.forget(written[place])
    }
    try files.synchronize()
    vault.storage.setLimit(.max)
    let more = try files.make("more")
    try files.put(pattern(100_000, 7), more)
    try vault.reopen()
    #expect(try vault.files.names(of: .root).keys.sorted() == ["f0", "f1", "more"])
    #expect(try vault.files.get(written[0]) == pattern(1 << 20, 1))
    #expect(try vault.files.get(more) == pattern(100_000, 7))
    try vault.files.close()
  }

  /// A sync that comes before the timed commit commits too: the room of what was deleted comes back without another
  /// change.
  @Test func roomComesBackAfterASync() throws {
    let small = FaultyStorage()
    small.setLimit(24 << 20)
    let vault = try TestVault(storage: small) { $0.commitInterval = 3600 }
    let files = vault.files
    for round in 0..<2 {
      var written: [(name: String, inode: InodeNumber)] = []
      do {
        var rounds = Rounds(until: "the disk is full")
        while true {
          try rounds.begin()
          let name = "f\(round).\(written.count)"
          written.append((name, try files.make(name)))
          try files.put(pattern(1 << 20, written.count), written[written.count - 1].inode)
          try files.synchronize()
        }
      } catch let error as Errno {
        #expect(error == .noSpace)
      }
      for file in written {
        try files.unlink(.of(file.name), in: .root)
        files.forget(file.inode)
      }
      try files.synchronize()
      try waitUntil("room came back") { vault.space.capacity().availableBytes >= 8 << 20 }
    }
    try files.close()
  }

  @Test func dataThatFindsNoRoomWaitsForIt() throws {
    let storage = FaultyStorage()
    storage.setLimit(64 << 20)
    let vault = try TestVault(storage: storage) {
      $0.commitInterval = 3600
      $0.cleans = false
    }
    let files = vault.files
    let a = try files.make("a")
    try files.put(pattern(100_000, 1), a)
    let b = try files.make("b")
    try files.put(pattern(50_000, 2), b)
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
    try files.unlink(.of("a"), in: .root)
    files.forget(a)
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
    try vault.files.close()
    let space = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
    #expect(Checker.check(space, readData: true).problems == [])
    try space.close()
  }

  /// A file that is cut and written again while others take the last room is after a crash what it was, or the beginning
  /// of what it became.
  @Test func whatIsRewrittenOnAFullDiskNeverReadsAsZeros() throws {
    let storage = FaultyStorage()
    storage.setLimit(64 << 20)
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
    var change = AttributeChanges(caller: caller)
    change.size = 0
    _ = try files.setAttributes(of: a, change)
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
    let a = try files.make("a")
    try files.put(pattern(10_000, 1), a)
    try files.synchronize()
    let b = try files.make("b")
    try files.put(pattern(10_000, 2), b)
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
