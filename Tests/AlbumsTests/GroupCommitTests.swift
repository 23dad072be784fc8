import FaultyStorage
import Glibc
import Synchronization
import System
import SystemPackage
import Testing
import Vault

@testable import Albums

/// Many who call fsync at once.
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
    var threads = [try Thread { synchronize() }]
    while storage.flushCount == flushes && ended.load(ordering: .relaxed) == 0 { usleep(1000) }
    for number in 0..<others {
      let thread = try Thread {
        if (try? files.make("other\(number)")) == nil { failures.add(1, ordering: .relaxed) }
        made.add(1, ordering: .sequentiallyConsistent)
        while made.load(ordering: .relaxed) < others { usleep(100) }
        synchronize()
      }
      threads.append(thread)
    }
    while made.load(ordering: .relaxed) < others { usleep(1000) }
    // Nobody was told yet that anything is durable, however long this takes.
    usleep(100_000)
    #expect(ended.load(ordering: .sequentiallyConsistent) == 0)
    storage.holdFlushes(false)
    for thread in threads { thread.join() }
    #expect(failures.load(ordering: .relaxed) == 0)
    #expect(storage.flushCount == flushes + 2)
    let after = try vault.afterPowerCut(seed: 1)
    #expect(try after.files.names(of: .root).count == 2 + others)
    try after.files.close()
    try files.close()
  }
}
