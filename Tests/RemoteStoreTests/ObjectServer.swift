import Glibc
import ObjectStore
import System
import TestSupport

@testable import RemoteStore

/// A running `Tests/ObjectServer/object_server.py`, which ends with this object.
final class ObjectServer {
  static let accessKey = "AKIATEST"
  static let secretKey = "test/secret+key"
  private static let scripts =
    #filePath.split(separator: "/").dropLast(2).reduce("") { $0 + "/" + $1 } + "/ObjectServer/"

  let folder: TemporaryFolder
  let port: Int
  private let process: ChildProcess
  private let commands: Descriptor
  private let answers: LineReader
  private let isSecure: Bool

  /// Starts a server, with a new certificate for 127.0.0.1 if it is secure. Throws if the server ends before it listens.
  ///
  /// - Parameters:
  ///   - script: another server, which takes no commands.
  ///   - python: the interpreter.
  init(isSecure: Bool = false, script: String = "object_server.py", python: String = "/usr/bin/python3") throws {
    self.isSecure = isSecure
    folder = try TemporaryFolder()
    // Python looks for its libraries by this path.
    var words = [python, "-B", Self.scripts + script]
    if isSecure {
      let made = try Outcome(
        "/usr/bin/openssl",
        arguments: [
          "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=store", "-addext",
          "subjectAltName=IP:127.0.0.1", "-keyout", folder.path("key"), "-out", folder.path("certificate"),
        ])
      guard made.status == 0 else { throw StoreError.unavailable("openssl: \(made)") }
      words += [folder.path("certificate"), folder.path("key")]
    }
    let errors = folder.path("errors")
    let server = try Self.started(words, errors: errors)
    (process, commands, answers) = (server.process, server.commands, LineReader(server.answers))
    guard let line = try? answers.next(), let port = Int(line) else {
      process.kill()
      process.wait()
      let said = String(decoding: try HostFile.read(errors), as: UTF8.self)
      throw StoreError.unavailable(
        "\(script) did not start: \(said)If it lacks a module, run scripts/web-tools.")
    }
    self.port = port
  }

  /// Closes this process's copies of the server's ends on return, so that reading ends when the server has ended.
  private static func started(
    _ words: [String], errors: String
  ) throws -> (process: ChildProcess, commands: Descriptor, answers: Descriptor) {
    let (input, commands) = try Descriptor.pipe()
    let (answers, output) = try Descriptor.pipe()
    let said = try Descriptor.open(errors, O_WRONLY | O_CREAT)
    let process = try ChildProcess(words[0], arguments: words, descriptors: [input, output, said])
    return (process, commands, answers)
  }

  deinit {
    process.kill()
    process.wait()
  }

  /// Gives the server a command, and returns its answer.
  @discardableResult
  func tell(_ command: String) throws -> String {
    try commands.writeAll(Array("\(command)\n".utf8))
    let answer = try answers.next()
    if answer == "unknown" { throw StoreError.unavailable("the server does not know \(command)") }
    return answer
  }

  /// The bytes of an object below the prefix of `settings`; nil if there is none.
  func object(_ name: String) throws -> [UInt8]? {
    let words = try tell("object of/me/\(name)").split(separator: " ", omittingEmptySubsequences: false)
    return words.first == "none" ? nil : bytes(String(words[1]))
  }

  func count(_ method: String) throws -> Int { Int(try tell("count \(method)")) ?? -1 }

  /// Settings with short times.
  func settings(
    bucket: String = "photos", endpoint: String? = nil, region: String = "us-east-1", patience: Duration = .seconds(60)
  ) throws -> RemoteStore.Settings {
    let own = "\(isSecure ? "https" : "http")://127.0.0.1:\(port)"
    let address = try StoreAddress("s3://\(bucket)/of/me", endpoint: endpoint ?? own, region: region)
    var settings = RemoteStore.Settings(program: builtProgram("agonyfs-store"), address: address)
    settings.patience = patience
    (settings.stallSeconds, settings.connectSeconds, settings.seed) = (2, 2, 1)
    if isSecure { settings.certificates = folder.path("certificate") }
    return settings
  }

  /// A store with the right credentials.
  func store(patience: Duration = .seconds(60)) throws -> RemoteStore {
    RemoteStore(try settings(patience: patience), credentials: Self.credentials())
  }

  static func credentials(
    accessKey: String = ObjectServer.accessKey, secretKey: String = ObjectServer.secretKey
  ) -> Credentials {
    let variables = ["AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secretKey]
    return Credentials(.usual, environment: { variables[$0] })
  }
}

/// Reads lines from a pipe.
private final class LineReader {
  private let pipe: Descriptor
  private var buffer: [UInt8] = []

  init(_ pipe: Descriptor) { self.pipe = pipe }

  func next() throws -> String {
    while buffer.last != 0x0a {
      let more = try pipe.readSome(most: 1 << 16)
      if more.isEmpty { throw StoreError.unavailable("the server ended") }
      buffer += more
    }
    // The server answers each command with one line.
    defer { buffer = [] }
    return String(decoding: buffer.dropLast(), as: UTF8.self)
  }
}

/// A key that the test knows to be one.
func key(_ text: String) -> ObjectKey {
  guard let key = ObjectKey(text) else { preconditionFailure("\(text) is not a key") }
  return key
}
