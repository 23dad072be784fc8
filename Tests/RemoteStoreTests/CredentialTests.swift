import Glibc
import ObjectStore
import Synchronization
import System
import TestSupport
import Testing

@testable import RemoteStore

@Suite struct CredentialTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func credentials(
    _ source: CredentialSource, _ variables: [String: String] = [:]
  ) throws(StoreError) -> StoreCredentials {
    try CredentialReader(environment: { variables[$0] }).credentials(from: source)
  }

  /// The sentence of the failure; it must not have a secret in it.
  private func failure(_ source: CredentialSource, _ variables: [String: String] = [:]) throws -> String {
    do throws(StoreError) {
      _ = try credentials(source, variables)
    } catch {
      // A pattern in the catch clause crashes the compiler (Swift 6.3.1).
      guard case .noCredentials(let reason) = error else { throw error }
      #expect(!reason.contains("hush"))
      return reason
    }
    throw StoreError.unavailable("there were credentials")
  }

  @Test func variablesComeFirst() throws {
    try folder.makeDirectory(".aws")
    try folder.write("[default]\naws_access_key_id=B\naws_secret_access_key=hush\n", to: ".aws/credentials")
    let home = ["HOME": folder.path]
    let variables = ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "hush", "AWS_SESSION_TOKEN": "T"]
    let found = try credentials(.usual, variables.merging(home) { first, _ in first })
    #expect(found == StoreCredentials(accessKey: "A", secretKey: "hush", sessionToken: "T"))
    #expect(try credentials(.usual, home).accessKey == "B")
    #expect(try failure(.usual, ["AWS_ACCESS_KEY_ID": "A"]).contains("AWS_SECRET_ACCESS_KEY is not"))
    #expect(try failure(.usual, variables.merging(["AWS_SECRET_ACCESS_KEY": "hush KEY"]) { $1 }).hasPrefix("AWS_"))
    #expect(try failure(.usual).hasPrefix("No credentials of the store were found"))
  }

  @Test func profilesAreInBothFiles() throws {
    try folder.makeDirectory(".aws")
    let credentialText = """
      # keys
      [default]
      aws_access_key_id = A
      [photos]\r
        region = nested
      AWS_ACCESS_KEY_ID=B\r
      aws_secret_access_key = hush=/+\r
      aws_session_token = T
      """
    let configText = """
      [default]
      region = eu-central-1
      [profile work]
      credential_process = printf '{"Version":1,"AccessKeyId":"C","SecretAccessKey":"hush"}'
      [profile company]
      sso_session = x
      [profile photos]
      aws_access_key_id = Z
      """
    try folder.write(credentialText, to: ".aws/credentials")
    try folder.write(configText, to: ".aws/config")
    let home = ["HOME": folder.path]
    #expect(
      try credentials(.profile("photos"), home)
        == StoreCredentials(accessKey: "B", secretKey: "hush=/+", sessionToken: "T"))
    #expect(try credentials(.usual, ["HOME": folder.path, "AWS_PROFILE": "photos"]).accessKey == "B")
    #expect(try credentials(.profile("work"), home).accessKey == "C")
    #expect(try failure(.profile("company"), home).contains("export-credentials --profile company"))
    #expect(try failure(.profile("none"), home) == "There is no profile none in ~/.aws.")
    #expect(try failure(.profile("default"), home).hasSuffix("has no credentials."))
    #expect(try failure(.usual, home).hasPrefix("No credentials"))
    let moved = ["AWS_SHARED_CREDENTIALS_FILE": folder.path(".aws/credentials"), "AWS_PROFILE": "photos"]
    #expect(try credentials(.usual, moved).accessKey == "B")
  }

  @Test func aFileMustBePrivate() throws {
    try folder.write("aws_access_key_id = A\naws_secret_access_key = hush\n", to: "keys")
    let path = folder.path("keys")
    for mode in [0o644, 0o640, 0o604, 0o660] as [mode_t] {
      unsafe chmod(path, mode)
      #expect(try failure(.file(path)).contains("use chmod 600"))
    }
    unsafe chmod(path, 0o600)
    #expect(try credentials(.file(path)) == StoreCredentials(accessKey: "A", secretKey: "hush"))
    #expect(try failure(.file(folder.path)).contains("use chmod 600"))
    unsafe mkfifo(folder.path("pipe"), 0o600)
    #expect(try failure(.file(folder.path("pipe"))).contains("use chmod 600"))
    #expect(try failure(.file(folder.path("none"))).contains("cannot be read"))
    try folder.write("aws_secret_access_key = hush\n", to: "half")
    unsafe chmod(folder.path("half"), 0o600)
    #expect(try failure(.file(folder.path("half"))).contains("lacks"))
  }

  @Test func commandsPrintJSON() throws {
    let text = """
      {"Version": 1, "AccessKeyId": "A", "SecretAccessKey": "hush", "SessionToken": "T",
       "Expiration": "2026-11-30T10:00:00+00:00"}
      """
    try folder.write(text, to: "out")
    let found = try credentials(.command("cat '\(folder.path("out"))'"))
    #expect(found.sessionToken == "T" && found.expiration == 1_796_032_800)
    #expect(try failure(.command("exit 3 # hush")).contains("(status 3)"))
    #expect(try failure(.command("cat '\(folder.path("out"))'; exit 1")).contains("(status 1)"))
    for output in ["", "hush", "{}", text.replacing("1,", with: "2,"), text + text, "[\(text)]"] {
      #expect(CredentialCommand.credentials(in: Array(output.utf8)) == nil)
    }
  }

  @Test func theyAreReadAgainWhenTheyAreRefused() throws {
    let counter = folder.path("runs")
    let credentials = Credentials(
      .command("echo >>'\(counter)'; printf '{\"Version\":1,\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"S\"}'"),
      environment: { _ in nil })
    let first = try credentials.current(refused: nil).credentials
    _ = try credentials.current(refused: nil)
    #expect(try HostFile.read(counter).count == 1)
    #expect(try credentials.current(refused: first).credentials == first)
    #expect(try HostFile.read(counter).count == 2)
  }

  /// Also when the command fails the second time.
  @Test(arguments: [true, false]) func severalRefusalsAtOnceReadThemOnce(fails: Bool) throws {
    let counter = folder.path("runs")
    let output = "{\"Version\":1,\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"S\"}"
    let check = fails ? "[ $(wc -l <'\(counter)') = 1 ]" : "true"
    let credentials = Credentials(
      .command("echo >>'\(counter)'; \(check) && printf '\(output)'"), environment: { _ in nil })
    let (first, number) = try credentials.current(refused: nil)
    let begun = monotonicTime()
    for _ in 0..<3 {
      let again = try? credentials.current(refused: first, since: number, after: begun).credentials
      #expect(again == (fails ? nil : first))
    }
    #expect(try HostFile.read(counter).count == 2)
    // A request that was refused with what was read since reads the source again.
    _ = try? credentials.current(refused: first, since: number + 1, after: begun)
    #expect(try HostFile.read(counter).count == 3)
    // So does one that began after that.
    let later = monotonicTime() + 1
    _ = try? credentials.current(refused: first, since: number, after: later)
    #expect(try HostFile.read(counter).count == 4)
  }

  @Test func thoseThatExpireAreReadAgain() throws {
    let counter = folder.path("runs")
    let output =
      "{\"Version\":1,\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"S\",\"Expiration\":\"2020-01-01T00:00:00Z\"}"
    let credentials = Credentials(.command("echo >>'\(counter)'; printf '\(output)'"), environment: { _ in nil })
    for _ in 0..<2 { _ = try credentials.current(refused: nil) }
    #expect(try HostFile.read(counter).count == 2)
  }

  /// One thread waits for the command, and another one for the first.
  @Test func aStopKillsARunningCommand() throws {
    let file = folder.path("process")
    let address = try StoreAddress("s3://photos", endpoint: "http://127.0.0.1:1")
    let store = RemoteStore(
      RemoteStore.Settings(program: folder.path("none"), address: address),
      credentials: Credentials(.command("echo $$ >'\(file)'; exec sleep 1000"), environment: { _ in nil }))
    let stopped = StoreError.unavailable("stopped")
    let threads = try (0..<2).map { _ in
      try TestThread { #expect(throws: stopped) { try store.list(prefix: "", after: nil) } }
    }
    var process: pid_t = 0
    try waitUntil("the command runs") {
      let text = String(decoding: (try? HostFile.read(file)) ?? [], as: UTF8.self)
      process = text.hasSuffix("\n") ? pid_t(text.dropLast()) ?? 0 : 0
      return process > 0
    }
    store.stop()
    for thread in threads { try thread.join() }
    let isGone = kill(process, 0) == -1 && errno == ESRCH
    #expect(isGone)
    #expect(throws: stopped) { try store.list(prefix: "", after: nil) }
  }
}
