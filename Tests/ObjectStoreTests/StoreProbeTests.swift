import FaultyObjects
import Glibc
import ObjectStore
import Synchronization
import TestSupport
import Testing

/// What a probe finds at stores that do not do as S3 does, and what it leaves.
@Suite struct StoreProbeTests {
  private func findings(_ change: (inout ObjectLies) -> Void) throws -> StoreFindings {
    var lies = ObjectLies()
    change(&lies)
    let store = LyingStore(lies)
    let findings = try StoreProbe(store).run()
    #expect(store.memory.objects.isEmpty)
    return findings
  }

  private func expectLag(_ lies: ObjectLies) {
    let store = LyingStore(lies)
    #expect(throws: StoreError.lags) { try StoreProbe(store).run() }
    #expect(store.memory.objects.isEmpty)
  }

  @Test func aGoodStoreIsNotTalkedAbout() throws {
    let store = LyingStore()
    let own = key("segments/a")
    try store.put(own, [1, 2], ifAbsent: true)
    let findings = try StoreProbe(store).run()
    #expect(findings == StoreFindings() && findings.sentences(for: "s3://photos").isEmpty)
    #expect(findings.permitsDeleting && store.memory.objects == [own: [1, 2]])
  }

  /// As Ceph 16, SeaweedFS 4, and Moto 5, which checks nothing.
  @Test(arguments: [(false, false, true), (false, true, true), (true, false, true), (true, true, false)])
  func oneCheckedHashIsEnough(acceptsMD5: Bool, acceptsSHA256: Bool, checks: Bool) throws {
    let findings = try findings {
      $0.acceptsWrongMD5 = acceptsMD5
      $0.acceptsWrongSHA256 = acceptsSHA256
    }
    #expect(findings.checksContent == checks)
    #expect(findings.sentences(for: "s3://photos").count == (checks ? 0 : 1))
  }

  /// A bucket that permits new objects only: a wrong hash must not be refused for that reason.
  @Test func aBucketThatReplacesNothingIsProbed() throws {
    #expect(try findings { $0.deniesReplacing = true } == StoreFindings())
    let unchecked = try findings {
      $0.deniesReplacing = true
      $0.acceptsWrongMD5 = true
      $0.acceptsWrongSHA256 = true
    }
    #expect(!unchecked.checksContent)
    // What earlier probes left is passed over.
    var lies = ObjectLies()
    (lies.deniesReplacing, lies.deniesDeleting) = (true, true)
    let store = LyingStore(lies)
    for count in 1...3 {
      #expect(try !StoreProbe(store).run().permitsDeleting)
      #expect(store.memory.objects.count == count)
    }
  }

  @Test func missingRangesAreSaid() throws {
    let findings = try findings { $0.ignoresRanges = true }
    #expect(!findings.sendsRanges && findings.checksContent)
    #expect(findings.sentences(for: "s3://photos").first?.contains("cannot be mounted") == true)
  }

  @Test func whatABucketKeepsIsSaid() throws {
    let versions = try findings { $0.settings = [.versioning] }
    #expect(versions.keepsVersions && !versions.locksObjects)
    #expect(versions.sentences(for: "s3://photos").first?.contains("old versions") == true)
    // Locks need versions; one sentence says both.
    let locks = try findings { $0.settings = [.versioning, .objectLock] }
    let sentences = locks.sentences(for: "s3://photos")
    #expect(sentences.count == 1 && sentences.first?.contains("retention") == true)
  }

  @Test func aStoreThatLagsIsRefused() {
    var lies = ObjectLies()
    lies.listsLate = true
    expectLag(lies)
    lies = ObjectLies()
    lies.readsLate = true
    expectLag(lies)
    lies.listsLate = true
    expectLag(lies)
  }

  /// Its objects do not pile up: later probes use the same names.
  @Test func withoutPermissionToDeleteFewObjectsStay() throws {
    var lies = ObjectLies()
    lies.deniesDeleting = true
    let store = LyingStore(lies)
    var sentences: Set<[String]> = []
    for _ in 0..<40 {
      let findings = try StoreProbe(store).run()
      let left = try #require(findings.left)
      #expect(!findings.permitsDeleting && StoreProbe.isOwn(left))
      sentences.insert(findings.sentences(for: "s3://photos"))
    }
    // They do not name the object, so that a sync that goes on says them once.
    #expect(sentences.count == 1 && sentences.first?.first?.contains("begins with agonyfs-probe-.") == true)
    #expect((1...16).contains(store.memory.objects.count))
    #expect(store.memory.objects.keys.allSatisfy { StoreProbe.isOwn($0) })
    #expect(!StoreProbe.isOwn(key("agonyfs-probe-10")) && !StoreProbe.isOwn(key("copying")))
  }

  /// Two runs with one bucket at the same time.
  @Test func anotherProbeIsNotTakenForALag() throws {
    for puts in 1...2 {
      #expect(try findings { $0.replaced = puts } == StoreFindings())
      #expect(try findings { $0.deleted = puts } == StoreFindings())
    }
    #expect(try findings { $0.revived = 1 } == StoreFindings())
    var lies = ObjectLies()
    lies.replaced = 1000
    let store = LyingStore(lies)
    #expect(throws: StoreError.brokenReply("an object that changes")) { try StoreProbe(store).run() }
    #expect(store.memory.objects.isEmpty)
    lies = ObjectLies()
    lies.deleted = 1000
    expectLag(lies)
  }

  @Test func aStoreThatFailsKeepsNothing() throws {
    let store = LyingStore()
    store.memory.setQuota(10)
    #expect(throws: StoreError.quota) { try StoreProbe(store).run() }
    #expect(store.memory.objects.isEmpty)
  }

  /// The object and a part of it are read while the damaged one is sent. Both settings are asked for while the first one
  /// is stored.
  @Test func whatIsIndependentIsAskedAtOnce() throws {
    let (reading, asking, failures) = (Meeting(of: 3), Meeting(of: 3), Counter())
    let store = WatchedStore(LyingStore()) { (request) throws(StoreError) in
      do {
        switch request {
        case .get, .range, .damaged: try reading.attend()
        case .setting, .put: try asking.attend()
        case .list, .head, .delete: break
        }
      } catch {
        _ = failures.next()
        throw StoreError.unavailable("\(error)")
      }
    }
    #expect(try StoreProbe(store).run() == StoreFindings())
    #expect(failures.value == 0)
  }

  @Test func otherwiseOneThreadMakesTheSameRequests() throws {
    let threads = Mutex<Set<pthread_t>>([])
    let store = WatchedStore(LyingStore()) { (_) throws(StoreError) in
      _ = threads.withLock { $0.insert(pthread_self()) }
    }
    #expect(try StoreProbe(store, atOnce: false).run() == StoreFindings())
    #expect(threads.withLock { $0 } == [pthread_self()])
    let requests: [WatchedStore.Request: Int] = [
      .setting: 2, .put: 2, .list: 2, .get: 1, .range: 1, .damaged: 1, .delete: 1,
    ]
    #expect(store.counts == requests)
    let other = WatchedStore(LyingStore())
    #expect(try StoreProbe(other).run() == StoreFindings())
    #expect(other.counts == requests)
  }

  /// A store that checks nothing has the damaged object before the right one is read.
  @Test func whatAStoreTookMayBeRead() throws {
    var lies = ObjectLies()
    (lies.acceptsWrongMD5, lies.acceptsWrongSHA256) = (true, true)
    let lying = LyingStore(lies)
    let store = WatchedStore(lying) { (request) throws(StoreError) in
      guard request == .get || request == .range else { return }
      do {
        try waitUntil("the damaged object is there") { lying.memory.requests(.put) > 2 }
      } catch {
        throw StoreError.unavailable("\(error)")
      }
    }
    var expected = StoreFindings()
    expected.checksContent = false
    #expect(try StoreProbe(store).run() == expected)
    #expect(lying.memory.objects.isEmpty)
  }

  /// The first requests of both kinds come while the damaged object is sent.
  @Test func anObjectThatIsHiddenWhileAnotherOneArrivesIsReadAgain() throws {
    let (reads, ranges) = (Counter(), Counter())
    let store = WatchedStore(LyingStore()) { (request) throws(StoreError) in
      if request == .get, reads.next() == 0 { throw StoreError.notFound }
      if request == .range, ranges.next() == 0 { throw StoreError.notFound }
    }
    #expect(try StoreProbe(store).run() == StoreFindings())
    // It did not begin again.
    #expect(store.counts[.damaged] == 1 && reads.value == 2 && ranges.value == 2)
  }
}
