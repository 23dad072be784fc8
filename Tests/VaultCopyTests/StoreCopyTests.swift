import FaultyObjects
import FaultyStorage
import Glibc
import ObjectStore
import Storage
import Synchronization
import System
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import VaultCopy

/// Copies to object stores, from them and between them, with everything that can go wrong on the way.
@Suite struct StoreCopyTests {
  private let subject: CopySubject
  private let store = MemoryStore()

  init() throws { subject = try CopySubject() }

  private func oneJob() -> CopyOptions {
    var options = CopyOptions()
    options.jobs = 1
    return options
  }

  @Test func aCopyHasAllBytesAndComesBack() throws {
    store.setPageCount(3)
    let summary = try CopyRun(from: subject.end, to: end(store)).run()
    #expect(summary.copied == subject.names.count && summary.extra == 0)
    #expect(try store.content == subject.content)
    #expect(store.objects.count == subject.names.count + 1)
    let back = FilePath(subject.folder.path("back"))
    try CopyRun(from: end(store), to: DirectoryEnd(back)).run()
    #expect(try CopySubject.content(of: back) == subject.content)
    let other = MemoryStore()
    try CopyRun(from: end(store), to: end(other)).run()
    #expect(try other.content == subject.content)
  }

  @Test func onlyWhatDiffersIsCopied() throws {
    try CopyRun(from: subject.end, to: end(store)).run()
    let reads = store.requests(.get)
    #expect(try CopyRun(from: subject.end, to: end(store)).run().copied == 0)
    // Only the parameters are read.
    #expect(store.requests(.get) <= reads + 2)
    // A slot that was wiped, a file that was completed, and a new one.
    try subject.write(randomBytes(137, seed: 100), to: subject.names[1])
    try subject.write(randomBytes(CopySubject.segmentSize, seed: 101), to: subject.names[2])
    try subject.write(randomBytes(50, seed: 102), to: .numbered(1000))
    try subject.storage.delete(subject.names[3])
    let summary = try CopyRun(from: subject.end, to: end(store)).run()
    #expect(summary.copied == 3 && summary.extra == 1)
    var expected = try subject.content
    let left = "segments/" + subject.names[3].path
    expected[left] = store.content[left]
    #expect(store.content == expected)
  }

  /// From request n on the store is gone; the reply of request n - 1 may be the last. The next run completes the copy.
  @Test func everyInterruptionIsResumed() throws {
    var cases = CaseCount("interrupted copies to a store")
    let content = try subject.content
    for seed in TestLength.seeds(60, few: 8) {
      for stop in 1...60 {
        let store = MemoryStore(seed: seed)
        let count = Counter()
        let broken = HookedStore(store) { (action) throws(StoreError) in
          if count.next() >= stop { throw action.changes ? StoreError.unknownOutcome : StoreError.unreachable }
        }
        let outcome = Result { try CopyRun(from: subject.end, to: end(broken), oneJob()).run() }
        cases.add()
        let isVault = store.content[StorageNames.parameters] != nil
        if isVault { #expect(store.content == content, "seed \(seed), stop \(stop)") }
        try CopyRun(from: subject.end, to: end(store)).run()
        #expect(store.content == content, "seed \(seed), stop \(stop)")
        #expect(store.objects.count == content.count, "seed \(seed), stop \(stop)")
        if case .success = outcome { break }
        #expect(stop < 60)
      }
    }
  }

  /// Requests and replies are lost, come late, and are cut or flipped; runs are repeated until one succeeds.
  @Test func aStoreWithAllFaultsGetsAWholeCopy() throws {
    var cases = CaseCount("copies with faults of the store")
    let content = try subject.content
    for seed in TestLength.seeds(2000, few: 60) {
      let store = MemoryStore(seed: seed, faults: .all(Int(seed % 60)))
      var rounds = Rounds(until: "a copy succeeds")
      var isDone = false
      while !isDone {
        try rounds.begin()
        isDone = (try? CopyRun(from: subject.end, to: end(store)).run()) != nil
        if !isDone, store.content[StorageNames.parameters] != nil { #expect(store.content.count == content.count) }
      }
      store.setFaults(ObjectFaults())
      #expect(store.content == content, "seed \(seed)")
      cases.add()
    }
  }

  /// Bytes that a proxy flips or cuts on the way back are read again.
  @Test func aReadingWithFaultsIsNoCopy() throws {
    try CopyRun(from: subject.end, to: end(store)).run()
    let content = try subject.content
    for seed in TestLength.seeds(40, few: 4) {
      let source = MemoryStore(seed: seed)
      for (key, bytes) in store.objects { try source.put(key, bytes, ifAbsent: true) }
      var faults = ObjectFaults()
      (faults.flipped, faults.cut, faults.busy) = (100, 100, 20)
      source.setFaults(faults)
      let back = FilePath(subject.folder.path("back\(seed)"))
      var rounds = Rounds(until: "a copy succeeds", limit: 300)
      while true {
        try rounds.begin()
        if (try? CopyRun(from: end(source), to: DirectoryEnd(back)).run()) != nil { break }
        #expect(throws: DirectoryStorageError.self) { try DirectoryStorage(path: back) }
      }
      #expect(try CopySubject.content(of: back) == content)
      HostFile.remove(back.string)
    }
  }

  /// An interrupted copy opens with old and new passwords. If the store has a key derivation that the vault lacks, it has
  /// a newer state.
  @Test func newKeyDerivationsComeBeforeFiles() throws {
    try CopyRun(from: subject.end, to: end(store)).run()
    let json = try subject.addDerivation()
    try subject.write(randomBytes(50, seed: 102), to: .numbered(1000))
    let puts = Counter()
    let broken = HookedStore(store) { (action) throws(StoreError) in
      if action == .put, puts.next() > 0 { throw StoreError.unreachable }
    }
    #expect(throws: CopyError.self) { try CopyRun(from: subject.end, to: end(broken), oneJob()).run() }
    #expect(store.content[StorageNames.parameters] == json && store.content.count == subject.names.count + 1)
    try CopyRun(from: subject.end, to: end(store)).run()
    #expect(try store.content == subject.content)
    try subject.storage.replaceParameters(with: subject.parameters.json)
    let before = store.objects
    #expect(throws: CopyError.newerThere(bucket)) { try CopyRun(from: subject.end, to: end(store)).run() }
    #expect(store.objects == before)
  }

  /// A new copy that lacks a file is no vault yet.
  @Test func aNewCopyWithoutAFileIsNotComplete() throws {
    let (storage, name) = (subject.storage, subject.names[1])
    let source = HookedEnd(subject.end) { (found) throws(CopyError) in
      if found == name { try? storage.delete(name) }
    }
    #expect(try CopyRun(from: source, to: end(store)).run().gone == 1)
    #expect(store.content[StorageNames.parameters] == nil)
    try CopyRun(from: subject.end, to: end(store)).run()
    #expect(try store.content == subject.content)
  }

  /// An old request that is carried out late replaces newer bytes before the copy is complete.
  @Test func whatAStoreLosesIsWrittenAgain() throws {
    let key = try #require(ObjectKey("segments/" + subject.names[2].path))
    let lists = Counter()
    let hooked = HookedStore(store) { [store] (action) throws(StoreError) in
      // The fourth list is the one after the writing.
      if action == .list, lists.next() == 3 { try store.put(key, [1, 2, 3], ifAbsent: false) }
    }
    try CopyRun(from: subject.end, to: end(hooked), oneJob()).run()
    #expect(try store.content == subject.content)
  }

  @Test func aStoreThatKeepsNothingIsToldOf() throws {
    let key = try #require(ObjectKey("segments/" + subject.names[2].path))
    let hooked = HookedStore(store) { [store] (action) throws(StoreError) in
      if action == .list { try store.delete(key) }
    }
    #expect(throws: CopyError.notKept(bucket)) { try CopyRun(from: subject.end, to: end(hooked), oneJob()).run() }
    #expect(store.content[StorageNames.parameters] == nil)
  }

  /// Backblaze B2 does not know `If-None-Match`.
  @Test func aStoreWithoutConditionsGetsAWholeCopy() throws {
    store.forgetConditions()
    try CopyRun(from: subject.end, to: end(store)).run()
    #expect(try store.content == subject.content)
    #expect(try store.objects.count == subject.content.count)
    // Another vault is begun there between the list and the mark, and after the mark.
    let other = try CopySubject(files: 3, identifier: 2).parameters.json
    let marker = try #require(ObjectKey(StorageNames.copyMarker))
    for isBefore in [true, false] {
      let store = MemoryStore()
      store.forgetConditions()
      let puts = Counter()
      let hooked = HookedStore(store) { (action) throws(StoreError) in
        if isBefore, action == .put, puts.next() == 0 { try store.put(marker, other, ifAbsent: false) }
        if !isBefore, action == .head, store.objects[marker] != nil {
          try store.put(marker, other, ifAbsent: false)
        }
      }
      let outcome = Result { try CopyRun(from: subject.end, to: end(hooked), oneJob()).run() }
      if isBefore {
        #expect(try outcome.get().copied == subject.names.count)
      } else {
        #expect(throws: CopyError.otherVault(bucket)) { try outcome.get() }
        #expect(store.objects == [marker: other])
      }
    }
  }

  /// Whatever else a store refuses ends a copy.
  @Test func otherRefusalsEndACopy() throws {
    let hooked = HookedStore(store) { (action) throws(StoreError) in
      if action == .put { throw StoreError.refused("InvalidRequest") }
    }
    #expect(throws: CopyError.store(.refused("InvalidRequest"), try address())) {
      try CopyRun(from: subject.end, to: end(hooked)).run()
    }
    #expect(store.objects.isEmpty)
  }

  @Test func otherVaultsAndOtherObjectsStay() throws {
    try CopyRun(from: subject.end, to: end(store)).run()
    let before = store.objects
    let other = try CopySubject(files: 3, identifier: 2)
    #expect(throws: CopyError.otherVault(bucket)) { try CopyRun(from: other.end, to: end(store)).run() }
    #expect(store.objects == before)
    // Not complete yet.
    let begun = MemoryStore()
    try begun.put(try #require(ObjectKey(StorageNames.copyMarker)), subject.parameters.json, ifAbsent: true)
    #expect(throws: CopyError.otherVault(bucket)) { try CopyRun(from: other.end, to: end(begun)).run() }
    #expect(throws: CopyError.unfinished(bucket)) {
      try CopyRun(from: end(begun), to: DirectoryEnd(FilePath(other.folder.path("new")))).run()
    }
    let strange = MemoryStore()
    try strange.put(try #require(ObjectKey("photo.jpg")), [1], ifAbsent: true)
    #expect(throws: CopyError.notEmpty(bucket)) { try CopyRun(from: other.end, to: end(strange)).run() }
    #expect(strange.objects.count == 1)
    #expect(throws: CopyError.noVault(bucket)) {
      try CopyRun(from: end(MemoryStore()), to: DirectoryEnd(FilePath(other.folder.path("new")))).run()
    }
    #expect(HostFile.names(in: other.folder.path) == ["vault"])
  }

  @Test func comparingFindsWhatDiffersAndWritesNothing() throws {
    var options = CopyOptions()
    options.onlyCompares = true
    #expect(throws: CopyError.noVault(bucket)) { try CopyRun(from: subject.end, to: end(store), options).run() }
    try CopyRun(from: subject.end, to: end(store)).run()
    let reads = store.requests(.get)
    var same = CopySummary()
    same.files = subject.names.count
    #expect(try CopyRun(from: subject.end, to: end(store), options).run() == same)
    // Only the parameters are read.
    #expect(store.requests(.get) == reads + 1)
    let keys = try subject.names.map { try #require(ObjectKey("segments/" + $0.path)) }
    try store.put(keys[0], [1], ifAbsent: false)
    try store.delete(keys[1])
    let before = store.objects
    let summary = try CopyRun(from: subject.end, to: end(store), options).run()
    #expect(summary.different == 1 && summary.missing == 1 && summary.copied == 0)
    #expect(store.objects == before)
    options.onlyCompares = false
    options.readsBack = true
    #expect(try CopyRun(from: subject.end, to: end(store), options).run().copied == 2)
    #expect(try store.content == subject.content)
  }

  /// Also while the store is asked for the first time.
  @Test func aCopyThatWaitsForAStoreIsCanceled() throws {
    let stops = Counter()
    let waiting = HookedStore(store) { (_) throws(StoreError) in
      while stops.value == 0 { usleep(1000) }
      throw StoreError.unavailable("it was stopped")
    }
    let target = try end(waiting, stop: { _ = stops.next() })
    let copy = CopyRun(from: subject.end, to: target)
    let canceling = try TestThread { copy.cancel() }
    #expect(throws: CopyError.cancelled) { try copy.run() }
    try canceling.join(within: .seconds(60))
    #expect(store.objects.isEmpty)
  }

  @Test func aFullStoreIsSaidAndFilledLater() throws {
    store.setQuota(CopySubject.segmentSize)
    let full = CopyError.store(.quota, try address())
    #expect(throws: full) { try CopyRun(from: subject.end, to: end(store)).run() }
    #expect(store.content[StorageNames.parameters] == nil)
    store.setQuota(.max)
    try CopyRun(from: subject.end, to: end(store)).run()
    #expect(try store.content == subject.content)
  }
}
