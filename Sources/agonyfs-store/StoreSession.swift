internal import CStore
internal import Glibc
internal import ObjectStore
internal import System

/// Carries out jobs at one store.
///
/// 1. A job is one request. There is a second one only if the store refused the time of the first: it is signed with
///    the time of the store, and so are all later ones.
/// 2. A connection is used again only after a whole reply with an identifier that the reply before did not have.
///    Otherwise a reply that came twice would be taken for the one to the next request.
/// 3. The content of an object that is stored is not held here: each request asks agonyfs for it from the first byte
///    on, as far as it is sent. agonyfs has hashed it.
final class StoreSession {
  /// Most bytes of a body that describes an error, and of a list.
  private static let mostErrorBytes = 64 << 10
  private static let mostListBytes = 8 << 20
  /// Where systems have the certificates of the authorities that they trust.
  private static let systemCertificates = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]
  private static let mostCertificateBytes = 16 << 20

  private let configuration: StoreConfiguration
  private let signer: RequestSigner
  private let certificates: [UInt8]
  private let resolved: String
  private var connection: Connection?
  private var lastIdentifier = ""
  /// Seconds that the store's clock is ahead of this machine's.
  private var clockDifference: Int64 = 0

  /// Reads the certificates, looks up the server, and loads all code and data that jobs need.
  init(_ configuration: StoreConfiguration) throws(StoreError) {
    self.configuration = configuration
    signer = RequestSigner(configuration.credentials, region: configuration.address.region)
    certificates = try Self.certificates(configuration)
    resolved = try Self.addresses(of: configuration.address)
    connection = makeConnection()
    _ = signed(.list(configuration.address, prefix: "", after: nil, most: 1), .empty, at: now)
    _ = ReplyBody(of: Array("<Error><Code>None</Code></Error>".utf8))
  }

  private static func certificates(_ configuration: StoreConfiguration) throws(StoreError) -> [UInt8] {
    guard configuration.address.isSecure else { return [] }
    for path in configuration.certificates.map({ [$0] }) ?? systemCertificates {
      if let bytes = try? WholeFile.read(path, limit: mostCertificateBytes), !bytes.isEmpty { return bytes }
    }
    throw .unavailable(
      configuration.certificates.map { "the certificates in \($0) cannot be read" }
        ?? "this system has no certificates of authorities; install ca-certificates")
  }

  private static func addresses(of address: StoreAddress) throws(StoreError) -> String {
    var entry = [CChar](repeating: 0, count: Int(AGONYFS_RESOLVED_BYTES))
    guard unsafe agonyfs_store_resolve(address.host, address.port, &entry) == 0 else { throw .noSuchHost }
    return String(decoding: entry.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private func makeConnection() -> Connection {
    Connection(configuration, certificates: certificates, resolved: resolved)
  }

  private var now: RequestTime { RequestTime(seconds: timeOfDay().seconds + clockDifference) }

  /// Carries out a job.
  ///
  /// - Returns: its result, and the time that the store's reply states.
  func run(_ job: StoreJob) -> (outcome: Result<StoreAnswer, StoreError>, date: RequestTime?) {
    var date: RequestTime?
    let outcome = Result { () throws(StoreError) in
      let (request, most) = shape(of: job)
      var signedAt = now
      var (reply, body) = Self.read(try exchange(request, job.body, at: signedAt, most: most), job.action)
      if reply.refusesTime(signedAt), let storeTime = reply.date {
        clockDifference = storeTime.seconds - timeOfDay().seconds
        signedAt = now
        (reply, body) = Self.read(try exchange(request, job.body, at: signedAt, most: most), job.action)
      }
      date = reply.date
      return try answer(reply, body, to: job)
    }
    return (outcome, date)
  }

  /// The request of a job, and the most bytes of the body of its reply.
  private func shape(of job: StoreJob) -> (request: StoreRequest, most: Int) {
    let address = configuration.address
    switch job {
    case .list(let prefix, let after):
      let request = StoreRequest.list(address, prefix: prefix, after: after, most: ObjectLimits.mostEntries)
      return (request, Self.mostListBytes)
    case .head(let key): return (.head(address, key), Self.mostErrorBytes)
    case .get(let key, let range):
      let most = range.map { max($0.count, Self.mostErrorBytes) } ?? ObjectLimits.mostBytes
      return (.get(address, key, range: range), most)
    case .put(let key, let hash, let ifAbsent):
      return (.put(address, key, md5: hash.md5Text, ifAbsent: ifAbsent), Self.mostErrorBytes)
    case .delete(let key): return (.delete(address, key), Self.mostErrorBytes)
    case .setting(let setting): return (.setting(address, setting), Self.mostErrorBytes)
    }
  }

  private func signed(_ request: StoreRequest, _ hash: StoreHash, at time: RequestTime) -> RequestSigner.Headers {
    signer.signed(request, host: configuration.address.hostHeader, bodyHash: hash.signed, at: time)
  }

  private func exchange(
    _ request: StoreRequest, _ hash: StoreHash, at time: RequestTime, most: Int
  ) throws(StoreError) -> StoreReply {
    let address = configuration.address
    let host = address.host.contains(":") ? "[\(address.host)]" : address.host
    let query = request.query.isEmpty ? "" : "?\(request.query)"
    let url = "\(address.isSecure ? "https" : "http")://\(host):\(address.port)\(request.path)\(query)"
    let used = connection ?? makeConnection()
    connection = nil
    let changes = request.method == .put || request.method == .delete
    do throws(Connection.Failure) {
      let received = try used.exchange(
        request.method, url: url, headers: signed(request, hash, at: time), bodyCount: hash.size, most: most)
      if received.identifier.isEmpty {
        lastIdentifier = ""
      } else if received.identifier == lastIdentifier {
        throw Connection.Failure(error: .brokenReply("a reply that came twice"), wasSent: true)
      } else {
        lastIdentifier = received.identifier
        connection = used
      }
      return received.reply
    } catch {
      throw changes && error.wasSent ? .unknownOutcome : error.error
    }
  }

  /// Reads the XML of a reply. The content of an object is not searched for errors.
  private static func read(_ received: StoreReply, _ action: StoreAction) -> (reply: StoreReply, body: ReplyBody?) {
    var reply = received
    let isObject = action == .get && (200..<300).contains(reply.status)
    let body = isObject ? nil : ReplyBody(of: reply.body)
    reply.errorCode = body?.errorCode
    reply.errorRegion = body?.errorRegion
    return (reply, body)
  }

  private func answer(
    _ reply: StoreReply, _ body: ReplyBody?, to job: StoreJob
  ) throws(StoreError) -> StoreAnswer {
    switch job {
    case .list(let prefix, let after):
      guard reply.status == 200, reply.errorCode == nil else { throw reply.failure(of: .list) }
      guard let body else { throw .brokenReply("not a list") }
      return .page(try body.list.page(configuration.address, prefix: prefix, after: after))
    case .head(let key): return .entry(try reply.entry(key))
    case .get(_, let range):
      return .bytes(try reply.bytes(range), isFromWhole: range != nil && reply.status == 200)
    case .put(_, let hash, _): return .stored(hasOtherTag: try reply.isStoredWithOtherTag(than: hash.md5))
    case .delete:
      try reply.deleted()
      return .deleted
    case .setting(let setting):
      return .setting(isOn: try reply.setting(body.map { $0.settings.contains(setting) }))
    }
  }
}
