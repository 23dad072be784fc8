import AlbumsSupport
import FaultyStorage
import Glibc
import Synchronization
import TestSupport
import Testing
import Vault

@testable import Albums

/// Many callers of fsync at once.
@Suite struct GroupCommitTests {
  @Test func thoseWhoComeDuringAFlushShareTheNextAndWaitForIt() throws {
    let vault = try TestVault { $0.commitInterval = 3600 }
    let (files, storage) = (vault.files, vault.storage)
    _ = try files.make("before")
    try files.synchronize()
    _ = try files.make("first")
    let flushes = storage.flushCount
    storage.holdFlushes(true)
    defer { storage.holdFlushes(false) }
    let ended = Atomic(0)
    let made = Atomic(0)
    let failures = Atomic(0)
    let others = 8
    @Sendable func synchronize() {
      do { try files.synchronize() } catch { failures.add(1, ordering: .relaxed) }
      ended.add(1, ordering: .sequentiallyConsistent)
    }
    var threads = [try TestThread { synchronize() }]
    try waitUntil("somebody flushed") { storage.flushCount != flushes || ended.load(ordering: .relaxed) != 0 }
    for number in 0..<others {
      let thread = try TestThread {
        if (try? files.make("other\(number)")) == nil { failures.add(1, ordering: .relaxed) }
        made.add(1, ordering: .sequentiallyConsistent)
        try waitUntil("all files were made") { made.load(ordering: .relaxed) == others }
        synchronize()
      }
      threads.append(thread)
    }
    try waitUntil("all files were made") { made.load(ordering: .relaxed) == others }
    // Nobody was told yet that anything is durable, however long this takes.
    usleep(100_000)
    #expect(ended.load(ordering: .sequentiallyConsistent) == 0)
    storage.holdFlushes(false)
    for thread in threads { try thread.join() }
    #expect(failures.load(ordering: .relaxed) == 0)
    #expect(storage.flushCount == flushes + 2)
    let after = try vault.afterPowerCut(seed: 1)
    #expect(try after.files.names(of: .root).count == 2 + others)
    try after.files.close()
    try files.close()
  }
}
