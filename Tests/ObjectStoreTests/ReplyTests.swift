import Testing

@testable import ObjectStore

/// What replies mean, and what is not accepted as one.
@Suite struct ReplyTests {
  private func reply(_ status: Int, code: String? = nil, body: String = "", range: String = "") -> StoreReply {
    var reply = StoreReply(status: status)
    reply.errorCode = code
    reply.body = Array(body.utf8)
    reply.contentLength = Int64(reply.body.count)
    reply.contentRange = range
    reply.entityTag = "\"tag-1\""
    return reply
  }

  @Test(
    arguments: [
      (403, "InvalidAccessKeyId", .wrongCredentials), (403, "SignatureDoesNotMatch", .wrongCredentials),
      (400, "ExpiredToken", .wrongCredentials), (403, "AccessDenied", .denied(.put)), (403, nil, .denied(.put)),
      (404, "NoSuchBucket", .noBucket), (403, "QuotaExceeded", .quota), (507, "XMinioStorageFull", .quota),
      (412, "PreconditionFailed", .alreadyThere), (412, nil, .alreadyThere), (409, nil, .unknownOutcome),
      (409, "ConditionalRequestConflict", .unknownOutcome), (503, "SlowDown", .slowDown), (429, nil, .slowDown),
      (503, nil, .unknownOutcome), (500, "InternalError", .unknownOutcome), (400, "BadDigest", .damagedOnTheWay),
      (400, "XAmzContentSHA256Mismatch", .damagedOnTheWay), (403, "RequestTimeTooSkewed", .wrongClock),
      (307, "TemporaryRedirect", .redirected), (302, nil, .redirected),
      (501, "NotImplemented", .refused("NotImplemented")),
      (400, "A b\u{1b}", .refused("status 400")), (400, nil, .brokenReply("status 400")),
      (404, nil, .brokenReply("status 404")), (100, nil, .brokenReply("status 100")),
      (304, nil, .brokenReply("status 304")),
    ] as [(Int, String?, StoreError)])
  func aPutFails(status: Int, code: String?, error: StoreError) {
    #expect(throws: error) { try reply(status, code: code).isStoredWithOtherTag(than: nil) }
  }

  @Test func theRegionIsNamed() {
    var malformed = reply(400, code: "AuthorizationHeaderMalformed")
    #expect(malformed.failure(of: .list) == .wrongRegion(nil))
    malformed.errorRegion = "eu-west-1"
    #expect(malformed.failure(of: .list) == .wrongRegion("eu-west-1"))
    var moved = reply(301)
    #expect(moved.failure(of: .head) == .redirected)
    moved.region = "eu-west-2"
    #expect(moved.failure(of: .head) == .wrongRegion("eu-west-2"))
  }

  @Test func onlyAStoreSaysThatAnObjectIsMissing() {
    #expect(reply(404, code: "NoSuchKey").failure(of: .get) == .notFound)
    #expect(reply(404).failure(of: .get) == .brokenReply("status 404"))
    #expect(reply(404).failure(of: .head) == .notFound)
    #expect(reply(503).failure(of: .get) == .slowDown)
  }

  @Test func bytesAreThoseOfTheRange() throws {
    #expect(try reply(200, body: "hello").bytes(nil) == Array("hello".utf8))
    #expect(try reply(206, body: "el", range: "bytes 1-2/5").bytes(1..<3) == Array("el".utf8))
    #expect(try reply(206, body: "lo", range: "bytes 3-4/5").bytes(3..<9) == Array("lo".utf8))
    #expect(try reply(200, body: "hello").bytes(1..<3) == Array("el".utf8))
    #expect(try reply(200, body: "hello").bytes(7..<9) == [])
    #expect(try reply(416, code: "InvalidRange").bytes(5..<9) == [])
  }

  @Test(arguments: [
    "bytes 0-1/5", "bytes 1-1/5", "bytes 1-3/5", "bytes 1-2/*", "bytes 1-2/2", "bytes 1-2", "items 1-2/5", "",
    "bytes 1--2/5", "bytes 1-2/99999999999999999999",
  ])
  func otherRangesAreRefused(range: String) {
    #expect(throws: StoreError.brokenReply("wrong range")) { try reply(206, body: "el", range: range).bytes(1..<3) }
  }

  @Test func cutBodiesAreRefused() {
    var cut = reply(200, body: "hel")
    cut.contentLength = 5
    #expect(throws: StoreError.brokenReply("wrong length")) { try cut.bytes(nil) }
    cut.contentLength = nil
    #expect(throws: StoreError.brokenReply("wrong length")) { try cut.bytes(nil) }
    // The end of the object that was asked for is missing.
    #expect(throws: StoreError.brokenReply("wrong range")) {
      try reply(206, body: "e", range: "bytes 1-1/5").bytes(1..<3)
    }
    #expect(throws: StoreError.brokenReply("wrong range")) {
      try reply(206, body: "e", range: "bytes 0-0/5").bytes(nil)
    }
  }

  @Test func aSuccessWithAnErrorIsNone() {
    #expect(throws: StoreError.unknownOutcome) { try reply(200, code: "InternalError").isStoredWithOtherTag(than: nil) }
    #expect(throws: StoreError.unknownOutcome) { try reply(200, body: "<html>").isStoredWithOtherTag(than: nil) }
    #expect(throws: StoreError.unknownOutcome) { try reply(200, code: "InternalError").deleted() }
    var page = reply(200, body: "hotel")
    page.entityTag = ""
    #expect(throws: StoreError.brokenReply("no entity tag")) { try page.bytes(nil) }
    page.body = []
    #expect(throws: StoreError.unknownOutcome) { try page.isStoredWithOtherTag(than: nil) }
    #expect(throws: Never.self) { try reply(404, code: "NoSuchKey").deleted() }
    #expect(throws: StoreError.brokenReply("status 404")) { try reply(404).deleted() }
  }

  @Test func theTagIsComparedIfItIsAnMD5() throws {
    let own = HashedContent(Array("hello".utf8)).md5
    var stored = reply(200)
    for (tag, differs) in [
      ("\"5d41402abc4b2a76b9719d911017c592\"", false), ("\"5d41402abc4b2a76b9719d911017c593\"", true),
      ("\"5d41402abc4b2a76b9719d911017c593-1\"", false),
    ] {
      stored.entityTag = tag
      #expect(try stored.isStoredWithOtherTag(than: own) == differs)
      #expect(try !stored.isStoredWithOtherTag(than: nil))
    }
  }

  @Test func theFactsOfAnObject() throws {
    var head = StoreReply(status: 200)
    #expect(throws: StoreError.brokenReply("no length")) { try head.entry(key("a")) }
    head.contentLength = 5
    #expect(throws: StoreError.brokenReply("no entity tag")) { try head.entry(key("a")) }
    head.entityTag = "\"5D41402abc4b2a76b9719d911017c592\""
    head.checksum = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="
    let entry = try head.entry(key("a"))
    #expect(entry.size == 5 && entry.md5 == HashedContent(Array("hello".utf8)).md5 && entry.sha256?.first == 0x2c)
    for tag in ["\"", "\"\"", "\"5d41402abc4b2a76b9719d911017c592-2\"", "5d41402abc4b2a76b9719d911017c5"] {
      head.entityTag = tag
      #expect(try head.entry(key("a")).md5 == nil)
    }
  }

  @Test func settingsAreWhatTheStoreSays() throws {
    #expect(try reply(200).setting(true) && !reply(200).setting(false))
    #expect(throws: StoreError.brokenReply("no settings")) { try reply(200).setting(nil) }
    for (status, code, error) in [
      (403, "AccessDenied", .denied(.settings)), (405, "MethodNotAllowed", .denied(.settings)),
      (501, "NotImplemented", .refused("NotImplemented")), (501, nil, .brokenReply("status 501")),
      (404, "ObjectLockConfigurationNotFoundError", .refused("ObjectLockConfigurationNotFoundError")),
    ] as [(Int, String?, StoreError)] {
      #expect(throws: error) { try reply(status, code: code).setting(true) }
    }
  }

  @Test func oneHashIsStatedWrongly() {
    let content = HashedContent(Array("hello".utf8))
    let right = StoreHash(of: content)
    #expect(right.signed == "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
    #expect(right.md5Text == "XUFAKrxLKna5cZ2REBfFkg==" && right.size == 5)
    let wrongMD5 = StoreHash(of: content, stating: .wrongMD5)
    #expect(wrongMD5.signed == right.signed && wrongMD5.md5Text?.count == 24 && wrongMD5.md5Text != right.md5Text)
    let wrongSHA256 = StoreHash(of: content, stating: .wrongSHA256)
    #expect(wrongSHA256.signed != right.signed && wrongSHA256.signed.count == 64)
    #expect(wrongSHA256.md5Text == right.md5Text)
  }

  @Test func wrongTimesAreNoticed() {
    let time = RequestTime(seconds: 1_000_000)
    #expect(reply(403, code: "RequestTimeTooSkewed").refusesTime(time))
    var head = StoreReply(status: 403)
    #expect(!head.refusesTime(time))
    head.date = RequestTime(seconds: 1_000_100)
    #expect(!head.refusesTime(time))
    head.date = RequestTime(seconds: 1_001_000)
    #expect(head.refusesTime(time))
    head.errorCode = "InvalidAccessKeyId"
    #expect(!head.refusesTime(time))
  }
}

@Suite struct ObjectListTests {
  private static func address() throws -> StoreAddress { try StoreAddress("s3://photos/me") }

  private func list(_ names: [String], isTruncated: Bool? = false) -> ListedObjects {
    var list = ListedObjects()
    list.isTruncated = isTruncated
    list.objects = names.map { name in
      var object = ListedObjects.Object()
      (object.name, object.size) = (name, "5")
      return object
    }
    return list
  }

  @Test func namesLoseThePrefix() throws {
    let page = try list(["me/a", "me/b c", "me/b/d"], isTruncated: true).page(Self.address(), prefix: "", after: nil)
    #expect(page.entries.map(\.key.text) == ["a", "b/d"] && page.next == "b/d")
    #expect(try list([]).page(Self.address(), prefix: "x", after: nil) == ObjectPage(entries: [], next: nil))
    // A name of another program may be the last.
    #expect(try list(["me/ü"], isTruncated: true).page(Self.address(), prefix: "", after: "a").next == "ü")
  }

  @Test(
    arguments: [
      (["you/a"], false), (["me"], false), (["me/b", "me/a"], false), (["me/b", "me/b"], false), (["me/a"], false),
      ([], true), (["me/b"], nil),
    ] as [([String], Bool?)])
  func otherListsAreRefused(names: [String], isTruncated: Bool?) throws {
    #expect(throws: StoreError.self) {
      try list(names, isTruncated: isTruncated).page(Self.address(), prefix: "", after: "a")
    }
  }

  @Test(arguments: ["", "-1", "1e3", "99999999999999999999", "٣"]) func otherSizesAreRefused(size: String) {
    var list = list(["me/a"])
    list.objects[0].size = size
    #expect(throws: StoreError.brokenReply("a list without sizes")) {
      try list.page(Self.address(), prefix: "", after: nil)
    }
  }
}
