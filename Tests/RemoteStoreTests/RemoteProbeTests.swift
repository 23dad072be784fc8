import ObjectStore
import Testing

@testable import RemoteStore

/// A probe through the helper: wrong hashes, ranges and settings as they are on the wire.
@Suite struct RemoteProbeTests {
  private let server: ObjectServer
  private let store: RemoteStore

  init() throws {
    server = try ObjectServer()
    store = try server.store(patience: .seconds(20))
  }

  private func findings(_ settings: String...) throws -> StoreFindings {
    for setting in settings { try server.tell("set \(setting)") }
    defer { for setting in settings { _ = try? server.tell("set \(setting.split(separator: " ")[0])") } }
    let findings = try StoreProbe(store).run()
    #expect(try store.list(prefix: "agonyfs-probe-", after: nil).entries.isEmpty)
    return findings
  }

  @Test func aGoodStoreIsNotTalkedAbout() throws {
    #expect(try findings() == StoreFindings())
    // Two of the objects and the one with a wrong hash.
    #expect(try server.count("PUT") == 3 && server.count("DELETE") == 1)
  }

  /// As Ceph 16, SeaweedFS 4, and Moto 5, which checks nothing.
  @Test func oneCheckedHashIsEnough() throws {
    #expect(try findings("unchecked sha256").checksContent)
    #expect(try findings("unchecked md5").checksContent)
    #expect(try !findings("unchecked both").checksContent)
  }

  /// As SeaweedFS 3, which answers a wrong Content-MD5 as if it had failed itself.
  @Test func aFailureAtAWrongHashIsNotWaitedOut() throws {
    let hasty = try server.store(patience: .seconds(1))
    try server.tell("set mismatch 500")
    #expect(try StoreProbe(hasty).run() == StoreFindings())
    // The answer is the same, but the object is there.
    try server.tell("set mismatch stored")
    #expect(try !StoreProbe(hasty).run().checksContent)
    try server.tell("set mismatch")
    #expect(try hasty.list(prefix: "", after: nil).entries.isEmpty)
  }

  @Test func otherRangesAreSaid() throws {
    for ranges in ["whole", "other"] { #expect(try !findings("ranges \(ranges)").sendsRanges, "\(ranges)") }
    #expect(try findings().sendsRanges)
  }

  @Test func whatABucketKeepsIsSaid() throws {
    let kept = try findings("versioning Enabled", "lock GOVERNANCE")
    #expect(kept.keepsVersions && kept.locksObjects)
    #expect(try !findings("versioning Suspended").keepsVersions)
  }

  /// A store that does not know the question is asked once.
  @Test func whatABucketDoesNotSayIsNotSaid() throws {
    for status in [403, 405, 501] {
      let before = try server.count("GET")
      #expect(try findings("versioning \(status)", "lock \(status)") == StoreFindings())
      // Two settings, two lists, the whole object, a range of it, and the list of the test.
      #expect(try server.count("GET") == before + 7, "\(status)")
    }
    let before = try server.count("GET")
    try server.tell("fault proxy404 1")
    #expect(!store.hasSetting(.versioning))
    #expect(try server.count("GET") == before + 1)
  }

  /// A page in place of the store says that there is no setting, but it is no store.
  @Test func aPageIsNoAnswerOfAStore() throws {
    try server.tell("fault html 2")
    for setting in BucketSetting.allCases { #expect(!store.hasSetting(setting)) }
    #expect(!store.hasAnswered)
    #expect(try store.list(prefix: "", after: nil).entries.isEmpty)
    #expect(store.hasAnswered)
  }

  @Test func aStoreThatLagsIsRefused() throws {
    for late in ["list", "get"] {
      try server.tell("set late \(late)")
      #expect(throws: StoreError.lags, "\(late)") { try StoreProbe(store).run() }
    }
    try server.tell("set late")
    #expect(try store.list(prefix: "", after: nil).entries.isEmpty)
  }

  @Test func withoutPermissionToDeleteTheObjectStays() throws {
    try server.tell("set deny DELETE")
    let left = try #require(try StoreProbe(store).run().left)
    #expect(try server.object(left.text) != nil)
  }

  @Test(arguments: ["busy", "error500", "drop", "lose", "double", "cut", "flip", "short-range", "garbage", "html"])
  func aProbeOutlastsFaults(fault: String) throws {
    try server.tell("fault \(fault) 2")
    #expect(try StoreProbe(store).run() == StoreFindings())
  }
}
