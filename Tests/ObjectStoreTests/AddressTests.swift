import ObjectStore
import Testing

@Suite struct AddressTests {
  @Test(arguments: ["a", "segments/00/ab-c_d.e", "A.B", String(repeating: "k", count: 511)])
  func keysAreKept(text: String) { #expect(ObjectKey(text)?.text == text) }

  @Test(arguments: [
    "", "/a", "a/", "a//b", ".", "..", "a/../b", "./a", "a b", "ä", "a%2F", "a+b", "a\0", "a\\b", "a?b",
    String(repeating: "k", count: 512),
  ])
  func otherTextsAreNotKeys(text: String) { #expect(ObjectKey(text) == nil) }

  @Test func keysAreOrderedByBytes() throws {
    let keys = try ["B", "a", "a-", "a.", "a/b", "a0"].map { try #require(ObjectKey($0)) }
    #expect(keys.shuffled().sorted() == keys)
  }

  @Test func amazonIsTheDefault() throws {
    let address = try StoreAddress("s3://photos/of/me/", region: "eu-central-1")
    #expect(address.bucket == "photos" && address.prefix == "of/me" && address.isSecure && address.port == 443)
    #expect(address.host == "photos.s3.eu-central-1.amazonaws.com" && address.hostHeader == address.host)
    #expect("\(address)" == "s3://photos/of/me")
    #expect(address.name(of: try #require(ObjectKey("head"))) == "of/me/head")
    // No certificate is valid for a name with more parts.
    #expect(try StoreAddress("s3://my.photos").usesPathStyle)
  }

  @Test(arguments: [
    ("http://127.0.0.1:8333", "127.0.0.1", "127.0.0.1:8333"),
    ("https://Store.example/", "store.example", "store.example"),
    ("https://[::1]:9000", "::1", "[::1]:9000"), ("http://[::1]:443", "::1", "[::1]:443"),
    ("http://LocalHost", "localhost", "localhost"), ("http://127.255.0.1", "127.255.0.1", "127.255.0.1"),
    ("https://store:443", "store", "store"),
  ])
  func endpointsAreRead(text: String, host: String, header: String) throws {
    let address = try StoreAddress("s3://photos", endpoint: text)
    #expect(address.host == host && address.hostHeader == header && address.usesPathStyle)
    #expect(try StoreAddress("s3://photos", endpoint: address.endpoint) == address)
    #expect(try StoreAddress("s3://photos", endpoint: text, usesPathStyle: false).host == "photos.\(host)")
  }

  @Test(arguments: [
    "", "ftp://a", "https://", "https://a:0", "https://a:65536", "https://a:+80", "https://a:", "https://a/b",
    "https://u@a", "https://a b", "https://[::1", "https://[a]", "https://.a", "https://a..b", "https://a?b",
    "https://a\r\nX: y", "HTTPS://a",
  ])
  func otherEndpointsAreRefused(text: String) {
    #expect(throws: StoreAddress.Invalid.self) { try StoreAddress("s3://photos", endpoint: text) }
  }

  @Test(arguments: [
    "http://store", "http://192.168.1.2:9000", "http://[::2]", "http://[::ffff:10.0.0.1]", "http://127.example",
    "http://127.0.0.1.example", "http://127.0.0", "http://127.0.0.256", "http://127.0.0.1.", "http://0127.0.0.1",
    "http://127.0.0.-0", "http://localhost.example", "http://0.0.0.0", "http://[127.0.0.1::]",
  ])
  func onlyThisComputerIsReachedWithoutEncryption(text: String) {
    do throws(StoreAddress.Invalid) {
      _ = try StoreAddress("s3://photos", endpoint: text)
      Issue.record("\(text) was accepted")
    } catch {
      #expect(error.sentence == "\(text) is not encrypted; use https:// for a server that is not this computer.")
    }
  }

  @Test(arguments: [
    "photos", "s3://", "s3://ab", "s3://Photos", "s3://-photos", "s3://photos.", "s3://pho..tos", "s3://photos//a",
    "s3://photos/a b", "s3://photos/../a", "s3://pho_tos", "s3://photos/a\n",
  ])
  func otherLocationsAreRefused(text: String) {
    #expect(throws: StoreAddress.Invalid.self) { try StoreAddress(text) }
  }

  @Test(arguments: ["", "EU", "eu/central", "a b", "eu\n"]) func otherRegionsAreRefused(text: String) {
    #expect(throws: StoreAddress.Invalid.self) { try StoreAddress("s3://photos", region: text) }
  }
}

@Suite struct StoreErrorTests {
  static let all: [StoreError] =
    [
      .notFound, .alreadyThere, .unknownOutcome, .wrongCredentials, .noCredentials("No credentials were found."),
      .wrongRegion(nil), .wrongRegion("eu-west-1"), .noBucket, .quota, .slowDown, .wrongClock, .damagedOnTheWay,
      .keptOtherBytes, .lags, .redirected, .untrustedCertificate, .noSuchHost, .unreachable, .interrupted,
      .brokenReply("no length"),
      .refused("InvalidRequest"), .unavailable("it is missing"),
    ] + StoreAction.allCases.map { .denied($0) }

  @Test func eachHasASentenceAndAStatus() throws {
    let address = try StoreAddress("s3://photos/of/me", endpoint: "https://store.example", region: "eu-north-1")
    let sentences = Self.all.map { $0.sentence(for: address) }
    for sentence in sentences {
      #expect(sentence.hasSuffix(".") && !sentence.dropLast().contains("\n"))
      #expect(sentence.first?.isUppercase == true || sentence.hasPrefix("store.example") || sentence.hasPrefix("s3://"))
    }
    // Only reading has two operations of one permission.
    #expect(Set(sentences).count == sentences.count - 1)
    for error in Self.all { #expect([1, 17, 20, 21].contains(error.exitStatus)) }
    // Waiting helps against everything that is said to pass.
    for error in Self.all where error.isTemporary { #expect(error.exitStatus == 20) }
  }

  @Test func textsOfStoresAreMadePrintable() {
    #expect(StoreError.printable("a\u{1b}[31m\nb".utf8) == "a [31m b")
    #expect(StoreError.printable(repeatElement(UInt8(ascii: "x"), count: 1000)).utf8.count == 200)
  }
}
