import AlbumsSupport
import FaultyObjects
import FaultyStorage
import Library
import ObjectStore
import Storage
import TestSupport
import Testing
import Vault

@testable import Albums
@testable import VaultCopy

/// Syncs that end at any request. What the bucket has then opens, with all that the last whole sync brought.
@Suite struct SyncStopTests {
  private static let password = "the password"
  private static let other = "another password"

  /// Expects that two states have the same files.
  private func expectSame(_ one: [String: [UInt8]], _ other: [String: [UInt8]], _ comment: Comment) {
    #expect(one.keys.sorted() == other.keys.sorted(), comment)
    for (name, bytes) in one { #expect(isSame(bytes, other[name] ?? []), comment) }
  }

  /// Expects a state between two: all that is in both, and nothing that is in neither.
  private func expect(
    _ found: [String: [UInt8]], between old: [String: [UInt8]], and new: [String: [UInt8]], _ comment: Comment
  ) {
    for (name, bytes) in found { #expect(isSame(bytes, old[name] ?? new[name] ?? []), comment) }
    for name in old.keys where new[name] != nil { #expect(found[name] != nil, comment) }
  }

  /// Stops a sync at requests, and completes it. `check` sees what each stop left in a bucket that is a vault.
  private func everyStop(
    of subject: SyncSubject, from store: MemoryStore, _ cases: inout CaseCount, passes: Int,
    _ stops: [Int], _ check: (MemoryStore, Comment) throws -> Void
  ) throws {
    let content = try subject.content
    let tokens = subject.tokens.value
    defer { subject.tokens.reset(to: tokens) }
    for pass in 0..<passes {
      for stop in stops {
        let comment: Comment = "pass \(pass), stop \(stop)"
        let stopped = try store.copy()
        subject.tokens.reset(to: tokens)
        let isWhole = (try? subject.sync(to: stopped, stop: stop)) != nil
        if stopped.content[StorageNames.parameters] != nil { try check(stopped, comment) }
        try subject.sync(to: stopped)
        #expect(stopped.content == content, comment)
        // The token comes on top.
        #expect(stopped.objects.count == content.count + 1, comment)
        cases.add()
        if isWhole { break }
      }
    }
  }

  /// Numbers of requests, more than a run has.
  private func stops() -> [Int] { Array(TestLength.stops().prefix { $0 < 300 }) }

  @Test func everyStopLeavesAVaultThatOpens() throws {
    var cases = CaseCount("stopped syncs")
    let subject = try SyncSubject(Self.password)
    let store = MemoryStore()
    var old: [String: [UInt8]] = [:]
    var deleted = 0
    for round in 1...5 {
      try subject.write(Self.password, round: round)
      let passes = TestLength.count(10, few: 2, name: "\(round)")
      try everyStop(of: subject, from: store, &cases, passes: passes, stops()) { stopped, comment in
        let found = try #require(try SyncSubject.files(Self.password, in: stopped), comment)
        expect(found, between: old, and: subject.files, comment)
      }
      deleted += try subject.sync(to: store).deleted
      #expect(try store.content == subject.content)
      let found = try #require(try SyncSubject.files(Self.password, in: store))
      expectSame(found, subject.files, "round \(round)")
      old = subject.files
    }
    #expect(deleted > 0)
  }

  /// What a vault does about its passwords between two syncs.
  enum Change: CaseIterable {
    case password
    case derivation
    case key
  }

  /// The old password opens the bucket until the first file is deleted, the new one from then on.
  @Test(arguments: Change.allCases)
  func everyStopOfAPasswordLeavesOneThatOpens(_ change: Change) throws {
    var cases = CaseCount("stopped syncs of a \(change)")
    let subject = try SyncSubject(Self.password)
    try subject.write(Self.password, round: 1)
    let store = MemoryStore()
    try subject.sync(to: store)
    switch change {
    case .password: break
    case .derivation: try subject.addDerivation()
    case .key:
      try KeyReplacement(in: subject.vault, old: .of(Self.password), new: .of(Self.other))
        .run(changeSink: Library.idle, logger: quietLogger)
    }
    if change != .key {
      try SpaceManager.changePassword(in: subject.vault, old: .of(Self.password), new: .of(Self.other))
    }
    var seen: Set<Bool> = []
    let passes = TestLength.count(10, few: 2, name: "\(change)")
    try everyStop(of: subject, from: store, &cases, passes: passes, stops()) { stopped, comment in
      let isUntouched = store.objects.keys.allSatisfy { stopped.objects[$0] != nil }
      let password = isUntouched ? Self.password : Self.other
      let found = try #require(try SyncSubject.files(password, in: stopped), comment)
      expectSame(found, subject.files, comment)
      seen.insert(isUntouched)
    }
    #expect(seen.count == 2)
    try subject.sync(to: store)
    #expect(try SyncSubject.files(Self.password, in: store) == nil)
    expectSame(try #require(try SyncSubject.files(Self.other, in: store)), subject.files, "complete")
  }

  /// A password that was removed does not open the bucket any more, the other one does.
  @Test func aRemovedPasswordOpensNothing() throws {
    let subject = try SyncSubject(Self.password)
    try subject.write(Self.password, round: 1)
    try SpaceManager.addPassword(in: subject.vault, existing: .of(Self.password), new: .of(Self.other))
    let store = MemoryStore()
    try subject.sync(to: store)
    for password in [Self.password, Self.other] { #expect(try SyncSubject.files(password, in: store) != nil) }
    try SpaceManager.removePassword(in: subject.vault, .of(Self.other))
    #expect(try subject.sync(to: store).deleted > 0)
    #expect(try SyncSubject.files(Self.other, in: store) == nil)
    expectSame(try #require(try SyncSubject.files(Self.password, in: store)), subject.files, "the other one")
    #expect(try store.content == subject.content)
  }

  /// An older copy that was restored and then written is another continuation of the same state.
  @Test func anotherContinuationIsRefused() throws {
    let subject = try SyncSubject(Self.password)
    try subject.write(Self.password, round: 1)
    let store = MemoryStore()
    try subject.sync(to: store)
    let (older, tokens) = (subject.storage.copy(), TokenFile())
    tokens.reset(to: subject.tokens.value)
    try subject.write(Self.password, round: 2)
    try subject.sync(to: store)
    let before = store.objects
    let vault = try Vault.open(in: older, weakDerivations: .all)
    try SpaceManager.addPassword(in: vault, existing: .of(Self.password), new: .of(Self.other))
    #expect(throws: CopyError.self) { try SyncRun(from: MemorySource(older, tokens), to: end(store)).run() }
    #expect(store.objects == before)
    var options = SyncOptions()
    options.deletesNewer = true
    try SyncRun(from: MemorySource(older, tokens), to: end(store), options).run()
    #expect(store.content.count == older.names.count + 1)
    let found = try #require(try SyncSubject.files(Self.password, in: store))
    for (name, bytes) in found { #expect(isSame(bytes, subject.everything[name] ?? [])) }
    #expect(found.keys.allSatisfy { $0.hasPrefix("f1-") } && !found.isEmpty)
  }
}
