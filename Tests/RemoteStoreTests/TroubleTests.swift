import Glibc
import ObjectStore
import System
import TestSupport
import Testing

@testable import RemoteStore

/// Each kind of trouble has its own error, and so its own sentence.
@Suite struct TroubleTests {
  private func failure(
    _ settings: RemoteStore.Settings, _ credentials: Credentials = ObjectServer.credentials(),
    _ work: (RemoteStore) throws(StoreError) -> Void = { (store) throws(StoreError) in
      _ = try store.list(prefix: "", after: nil)
    }
  ) -> StoreError? {
    var settings = settings
    settings.patience = .zero
    let store = RemoteStore(settings, credentials: credentials)
    do throws(StoreError) {
      try work(store)
      return nil
    } catch {
      let sentence = error.sentence(for: settings.address)
      #expect(!sentence.contains(ObjectServer.secretKey) && !sentence.contains(ObjectServer.accessKey))
      return error
    }
  }

  @Test func wrongSettingsAreNamed() throws {
    let server = try ObjectServer()
    let settings = try server.settings()
    #expect(failure(settings) == nil)
    #expect(failure(settings, ObjectServer.credentials(accessKey: "AKIAOTHER")) == .wrongCredentials)
    #expect(failure(settings, ObjectServer.credentials(secretKey: "other")) == .wrongCredentials)
    #expect(failure(try server.settings(region: "eu-west-9")) == .wrongRegion("us-east-1"))
    #expect(failure(try server.settings(bucket: "others")) == .noBucket)
    // The helper does not follow redirects.
    try server.tell("fault redirect 1")
    #expect(failure(settings) == .redirected)
  }

  @Test func permissionsAreNamed() throws {
    let server = try ObjectServer()
    let settings = try server.settings()
    #expect(failure(settings) { (store) throws(StoreError) in try store.put(key("a"), [1], ifAbsent: true) } == nil)
    try server.tell("set deny LIST")
    #expect(failure(settings) == .denied(.list))
    try server.tell("set deny PUT")
    let put: (RemoteStore) throws(StoreError) -> Void = { (store) throws(StoreError) in
      try store.put(key("b"), [1, 2, 3], ifAbsent: true)
    }
    #expect(failure(settings, ObjectServer.credentials(), put) == .denied(.put))
    try server.tell("set deny DELETE")
    #expect(failure(settings) { (store) throws(StoreError) in try store.delete(key("a")) } == .denied(.delete))
    try server.tell("set deny HEAD")
    #expect(failure(settings) { (store) throws(StoreError) in _ = try store.head(key("a")) } == .denied(.head))
    try server.tell("set deny GET")
    #expect(
      failure(settings) { (store) throws(StoreError) in _ = try store.get(key("a"), range: nil) } == .denied(.get))
    try server.tell("set deny")
    try server.tell("set quota 2")
    #expect(failure(settings, ObjectServer.credentials(), put) == .quota)
  }

  @Test func networksAreNamed() throws {
    let server = try ObjectServer()
    #expect(failure(try server.settings(endpoint: "https://no-such-host.invalid")) == .noSuchHost)
    #expect(failure(try server.settings(endpoint: "http://127.0.0.1:1")) == .unreachable)
    // It does not speak TLS.
    let plain = failure(try server.settings(endpoint: "https://127.0.0.1:\(server.port)"))
    guard case .brokenReply = plain else {
      Issue.record("\(String(describing: plain))")
      return
    }
  }

  @Test func aBusyStoreIsNamedInTheEnd() throws {
    let server = try ObjectServer()
    let store = try server.store(patience: .seconds(2))
    try server.tell("fault busy 1000")
    #expect(throws: StoreError.slowDown) { try store.list(prefix: "", after: nil) }
    #expect(try (3...20).contains(server.count("GET")))
  }

  @Test func certificatesAreChecked() throws {
    let server = try ObjectServer(isSecure: true)
    var settings = try server.settings()
    let store = RemoteStore(settings, credentials: ObjectServer.credentials())
    try store.put(key("a"), [1, 2, 3], ifAbsent: true)
    #expect(try store.get(key("a"), range: nil) == [1, 2, 3])
    // It is trusted, but has another name.
    let other = try StoreAddress("s3://photos", endpoint: "https://localhost:\(server.port)")
    settings.address = other
    #expect(failure(settings) == .untrustedCertificate)
    settings = try server.settings()
    settings.certificates = nil
    if unsafe access("/etc/ssl/certs/ca-certificates.crt", R_OK) == 0 {
      #expect(failure(settings) == .untrustedCertificate)
    }
    settings.certificates = server.folder.path("none")
    #expect(
      failure(settings) == .unavailable("the certificates in \(server.folder.path("none")) cannot be read"))
  }

  @Test func credentialsThatChangeAreReadAgain() throws {
    let server = try ObjectServer()
    func write(_ secret: String) throws {
      try server.folder.write(
        "aws_access_key_id=\(ObjectServer.accessKey)\naws_secret_access_key=\(secret)\n", to: "credentials")
      unsafe chmod(server.folder.path("credentials"), 0o600)
    }
    try write("old")
    let credentials = Credentials(.file(server.folder.path("credentials")), environment: { _ in nil })
    let store = RemoteStore(try server.settings(), credentials: credentials)
    #expect(throws: StoreError.wrongCredentials) { try store.head(key("a")) }
    try write(ObjectServer.secretKey)
    #expect(throws: StoreError.notFound) { try store.head(key("a")) }
  }
}
