import ObjectStore
import Testing

/// The examples of "Authenticating Requests: Using the Authorization Header", Amazon S3 API Reference.
@Suite struct SignerTests {
  private static let secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
  private static let time = RequestTime(seconds: 1_369_353_600)
  private static let host = "examplebucket.s3.amazonaws.com"

  private func signed(
    _ request: StoreRequest, hash: String = RequestSigner.emptyHash, token: String? = nil
  ) throws -> RequestSigner.Headers {
    let credentials = try #require(
      StoreCredentials(accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: Self.secret, sessionToken: token))
    return RequestSigner(credentials, region: "us-east-1").signed(
      request, host: Self.host, bodyHash: hash, at: Self.time)
  }

  private func authorization(_ request: StoreRequest, hash: String = RequestSigner.emptyHash) throws -> String {
    try #require(try signed(request, hash: hash).first { $0.name == "authorization" }?.value)
  }

  @Test func aRangeOfAnObject() throws {
    let request = StoreRequest(.get, path: "/test.txt", headers: [(name: "range", value: "bytes=0-9")])
    #expect(
      try authorization(request)
        == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
        + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
        + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    // The same, as agonyfs makes it.
    let address = try StoreAddress("s3://examplebucket")
    #expect(StoreRequest.get(address, key("test.txt"), range: 0..<10) == request)
  }

  @Test func aNewObject() throws {
    let request = StoreRequest(
      .put, path: "/test$file.text",
      headers: [
        (name: "date", value: "Fri, 24 May 2013 00:00:00 GMT"),
        (name: "x-amz-storage-class", value: "REDUCED_REDUNDANCY"),
      ])
    #expect(request.path == "/test%24file.text")
    let hash = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"
    #expect(
      try authorization(request, hash: hash).hasSuffix(
        "SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class,"
          + "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"))
  }

  @Test func aQueryWithoutValue() throws {
    let request = StoreRequest(.get, path: "/", query: [(name: "lifecycle", value: "")])
    #expect(request.query == "lifecycle=")
    #expect(
      try authorization(request).hasSuffix("=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"))
  }

  @Test func aList() throws {
    let request = StoreRequest(
      .get, path: "/", query: [(name: "prefix", value: "J"), (name: "max-keys", value: "2")])
    #expect(request.query == "max-keys=2&prefix=J")
    #expect(
      try authorization(request).hasSuffix("=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"))
  }

  @Test func theSessionTokenIsSigned() throws {
    let headers = try signed(StoreRequest(.get, path: "/"), token: "the+token/=")
    #expect(headers.contains { $0.name == "x-amz-security-token" && $0.value == "the+token/=" })
    #expect(headers.last?.value.contains("x-amz-date;x-amz-security-token,") == true)
    #expect(headers.dropLast().map(\.name) == headers.dropLast().map(\.name).sorted())
  }

  @Test func theSixRequestsHaveOneShapeEach() throws {
    let address = try StoreAddress("s3://photos/of-me", endpoint: "https://store.example")
    let name = key("segments/ab/cd")
    let list = StoreRequest.list(address, prefix: "segments/", after: "segments/a +é", most: 1000)
    #expect(list.path == "/photos/")
    #expect(
      list.query
        == "list-type=2&max-keys=1000&prefix=of-me%2Fsegments%2F&start-after=of-me%2Fsegments%2Fa%20%2B%C3%A9")
    #expect(StoreRequest.head(address, name).method == .head)
    #expect(StoreRequest.get(address, name, range: nil).path == "/photos/of-me/segments/ab/cd")
    let put = StoreRequest.put(address, name, md5: "1B2M2Y8AsgTpgAmY7PhCfg==", ifAbsent: true)
    #expect(put.headers.map(\.name) == ["content-md5", "content-type", "if-none-match"])
    #expect(StoreRequest.put(address, name, md5: nil, ifAbsent: false).headers.map(\.name) == ["content-type"])
    #expect(StoreRequest.delete(address, name).method == .delete && StoreRequest.delete(address, name).query.isEmpty)
    #expect(StoreRequest.setting(address, .versioning).path == "/photos/")
    #expect(StoreRequest.setting(address, .versioning).query == "versioning=")
    #expect(StoreRequest.setting(address, .objectLock).query == "object-lock=")
  }

  @Test func credentialsAreNotShown() throws {
    let credentials = try #require(StoreCredentials(accessKey: "AKIA", secretKey: "hidden", sessionToken: "hidden"))
    var text = "\(credentials) \(String(reflecting: credentials)) \([credentials])"
    dump(credentials, to: &text)
    #expect(!text.contains("hidden") && !text.contains("AKIA"))
    for wrong in ["", "a b", "a\n", "ä", String(repeating: "k", count: 8193)] {
      #expect(StoreCredentials(accessKey: wrong, secretKey: "a") == nil)
      #expect(StoreCredentials(accessKey: "a", secretKey: wrong) == nil)
      #expect(StoreCredentials(accessKey: "a", secretKey: "a", sessionToken: wrong) == nil)
    }
  }
}

@Suite struct RequestTimeTests {
  @Test(
    arguments: [
      (0, "19700101T000000Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
      (951_782_399, "20000228T235959Z", "Mon, 28 Feb 2000 23:59:59 GMT"),
      (951_868_799, "20000229T235959Z", "Tue, 29 Feb 2000 23:59:59 GMT"),
      (1_369_353_600, "20130524T000000Z", "Fri, 24 May 2013 00:00:00 GMT"),
      (4_107_542_400, "21000301T000000Z", "Mon, 01 Mar 2100 00:00:00 GMT"),
    ] as [(Int64, String, String)])
  func timesAreWrittenAndRead(seconds: Int64, basic: String, header: String) {
    #expect(RequestTime(seconds: seconds).basic == basic)
    #expect(RequestTime(header: header)?.seconds == seconds)
    let parts = Array(basic)
    let iso = "\(String(parts[0..<4]))-\(String(parts[4..<6]))-\(String(parts[6..<11])):\(String(parts[11..<13])):"
    #expect(RequestTime(iso: iso + String(parts[13..<15]) + "Z")?.seconds == seconds)
    #expect(RequestTime(iso: iso + String(parts[13..<15]) + ".250Z")?.seconds == seconds)
  }

  @Test(arguments: [
    "", "Fri, 24 May 2013 00:00:00 CET", "Fri, 24 Mai 2013 00:00:00 GMT", "Fri, 0 May 2013 00:00:00 GMT",
    "Fri, 24 May 2013 24:00:00 GMT", "Fri, 24 May 2013 00:00 GMT", "Fri, 24 May -2013 00:00:00 GMT",
    "Fri, 24 May 99999999999999999999 00:00:00 GMT", "24 May 2013 00:00:00 GMT", "2013-05-24T00:00:00+01:00",
    "2013-05-24T00:00:00", "2013-13-24T00:00:00Z", "2013-05-24T00:00:00.xZ",
  ])
  func otherTextsAreNotTimes(text: String) {
    #expect(RequestTime(header: text) == nil)
    #expect(RequestTime(iso: text) == nil)
  }
}
