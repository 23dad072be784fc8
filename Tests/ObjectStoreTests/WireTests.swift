import System
import TestSupport
import Testing

@testable import ObjectStore

/// What the helper and agonyfs say to each other arrives, and nothing else is accepted.
@Suite struct WireTests {
  private static let jobs: [StoreJob] = [
    .list(prefix: "", after: nil), .list(prefix: "a/", after: "a/ü"), .head(key("a")), .get(key("a"), range: nil),
    .get(key("a/b"), range: (1 << 40)..<((1 << 40) + 100)), .put(key("a"), StoreHash(of: content), ifAbsent: true),
    .put(key("a"), .empty, ifAbsent: false), .delete(key("a")),
    .put(key("a"), StoreHash(of: content, stating: .wrongMD5), ifAbsent: false),
    .put(key("a"), StoreHash(of: content, stating: .wrongSHA256), ifAbsent: false), .setting(.versioning),
    .setting(.objectLock),
  ]
  private static let content = HashedContent([1, 2, 3])
  private static let answers: [StoreAnswer] = [
    .page(ObjectPage(entries: [], next: nil)),
    .page(
      ObjectPage(
        entries: [
          ObjectEntry(key: key("a"), size: 0),
          ObjectEntry(key: key("b"), size: .max, md5: [UInt8](0..<16), sha256: [UInt8](0..<32)),
        ], next: "b")),
    .entry(ObjectEntry(key: key("a"), size: 5)), .bytes([]), .bytes([9]), .stored(hasOtherTag: false),
    .stored(hasOtherTag: true), .deleted, .bytes([9], isFromWhole: true), .setting(isOn: true),
    .setting(isOn: false),
  ]

  @Test func jobsAndAnswersArrive() throws {
    for job in Self.jobs { #expect(try StoreJob(decoding: job.encoded) == job) }
    for answer in Self.answers { #expect(try StoreAnswer(decoding: answer.encoded) == answer) }
    for error in StoreErrorTests.all { #expect(try StoreError(decoding: error.encoded) == error) }
  }

  @Test func theConfigurationArrives() throws {
    for token in [nil, "token"] {
      let credentials = try #require(StoreCredentials(accessKey: "A", secretKey: "B", sessionToken: token))
      let address = try StoreAddress("s3://photos/me", endpoint: "http://[::1]:9", region: "eu", usesPathStyle: true)
      let configuration = StoreConfiguration(
        address: address, credentials: credentials, certificates: token, stallSeconds: 2, connectSeconds: 3,
        rateSeconds: 4)
      #expect(try StoreConfiguration(decoding: configuration.encoded) == configuration)
      for count in 0..<configuration.encoded.count {
        #expect(throws: ByteReader.Malformed.self) {
          try StoreConfiguration(decoding: Array(configuration.encoded.prefix(count)))
        }
      }
    }
  }

  @Test func theTimeOfTheReplyArrives() throws {
    let parts = try StoreMessage.parts(ofOutcome: StoreMessage.outcome([1, 2], date: RequestTime(seconds: 7)))
    #expect(parts.date?.seconds == 7 && parts.encoded == [1, 2])
    #expect(try StoreMessage.parts(ofOutcome: StoreMessage.outcome([], date: nil)).date == nil)
    #expect(throws: ByteReader.Malformed.self) { try StoreMessage.parts(ofOutcome: [1, 2, 3]) }
  }

  @Test func otherBytesAreRefused() {
    let known = Self.jobs.map(\.encoded) + Self.answers.map(\.encoded) + StoreErrorTests.all.map(\.encoded)
    var generator = SplitMix64(seed: 7)
    for bytes in known {
      for _ in 0..<200 {
        var changed = bytes
        changed[Int.random(in: 0..<changed.count, using: &generator)] = .random(in: 0...255, using: &generator)
        if Bool.random(using: &generator) { changed.removeLast(Int.random(in: 0...changed.count, using: &generator)) }
        // Whatever is accepted is a value that has one encoding.
        if let job = try? StoreJob(decoding: changed) { #expect(job.encoded == changed) }
        if let answer = try? StoreAnswer(decoding: changed) { #expect(answer.encoded == changed) }
        _ = try? StoreError(decoding: changed)
      }
    }
  }

  @Test func onlyRangesOfTheObjectAreWanted() {
    for range in [0..<1, 4..<7, 0..<10, 9..<10] {
      #expect(StoreMessage.range(ofWanted: StoreMessage.bytes(ofWanted: range), within: 10) == range)
    }
    for range in [0..<0, 10..<10, 9..<11, 11..<12, 0..<11, 0..<Int(UInt32.max)] {
      #expect(StoreMessage.range(ofWanted: StoreMessage.bytes(ofWanted: range), within: 10) == nil, "\(range)")
    }
    let first = StoreMessage.bytes(ofWanted: 0..<1)
    let others: [[UInt8]] = [[], Array(first.dropLast()), first + [0], [UInt8](repeating: 255, count: 8)]
    for bytes in others {
      #expect(StoreMessage.range(ofWanted: bytes, within: 10) == nil, "\(bytes)")
    }
  }

  @Test func headersAreBounded() {
    #expect(StoreMessage.decode(header: StoreMessage.job.header(5)).map { $0.message == .job && $0.count == 5 } == true)
    #expect(StoreMessage.decode(header: StoreMessage.job.header(StoreMessage.mostBytes + 1)) == nil)
    #expect(StoreMessage.decode(header: [4, 0, 0, 0, 0, 0, 0, 0]) == nil)
    #expect(StoreMessage.decode(header: [1, 0, 0]) == nil)
  }
}

@Suite struct Base64Tests {
  /// RFC 4648, section 10.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ])
  func theKnownTexts(plain: String, text: String) {
    let bytes = Array(plain.utf8)
    #expect(Base64.text(of: bytes) == text)
    #expect(Base64.bytes(of: text, count: bytes.count) == bytes)
    #expect(Base64.bytes(of: text, count: bytes.count + 1) == nil)
  }

  @Test(arguments: ["Zg", "Zg=", "Zh==", "Z===", "Zg== ", "Z!==", "====", "Zg==Zg=="])
  func otherTextsAreRefused(text: String) { #expect(Base64.bytes(of: text, count: 1) == nil) }
}
