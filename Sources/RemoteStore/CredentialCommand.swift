internal import Catalog
internal import ObjectStore
internal import System
internal import SystemPackage

/// A command that prints credentials. Neither its output nor its words are in an error: both may contain secrets.
enum CredentialCommand {
  private static let mostSeconds: UInt64 = 60
  private static let mostBytes = 64 << 10

  /// Runs a command to its end, at most a minute.
  ///
  /// - Parameter stop: kills the command as soon as this can be read or its other end is closed.
  /// - Throws: `.noCredentials`.
  static func run(_ command: String, stop: Descriptor? = nil) throws(StoreError) -> StoreCredentials {
    let ending: ChildProcess.Ending?
    let output: [UInt8]
    do throws(Errno) {
      let (reading, process) = try started(command)
      let deadline = monotonicTime() + mostSeconds * 1_000_000_000
      let (ended, texts) = process.ended(reading: [reading], limit: mostBytes, by: deadline, stop: stop)
      (ending, output) = (ended, texts.first ?? [])
    } catch {
      throw .noCredentials("The command that prints the credentials cannot be started: \(error).")
    }
    switch ending {
    case .exited(0): break
    case .exited(let status):
      throw .noCredentials(
        "The command that prints the credentials failed (status \(status)); run it by itself to see why.")
    case .killed, nil:
      throw .noCredentials(
        "The command that prints the credentials did not end within a minute; run it by itself to see why.")
    }
    guard let credentials = credentials(in: output) else {
      throw .noCredentials(
        "The command that prints the credentials did not print JSON with Version 1, AccessKeyId and SecretAccessKey.")
    }
    return credentials
  }

  /// Reads the output of a command.
  static func credentials(in output: [UInt8]) -> StoreCredentials? {
    guard let value = try? JSONReader.value(of: output, mostValues: 100), value["Version"]?.whole == 1,
      let accessKey = value["AccessKeyId"]?.text, let secretKey = value["SecretAccessKey"]?.text
    else { return nil }
    // An expiration that cannot be read counts as none: the store itself says when credentials have expired.
    return StoreCredentials(
      accessKey: accessKey, secretKey: secretKey, sessionToken: value["SessionToken"]?.text,
      expiration: value["Expiration"]?.text.flatMap { expiration($0) })
  }

  /// Seconds since 1970.
  private static func expiration(_ text: String) -> Int64? {
    let isUTC = text.hasSuffix("+00:00")
    return RequestTime(iso: isUTC ? text.dropLast(6) + "Z" : text)?.seconds
  }

  /// Closes this process's copy of the writing end on return, so that the reading end shows when the program closes its
  /// copy.
  private static func started(_ command: String) throws(Errno) -> (reading: Descriptor, process: ChildProcess) {
    let (reading, writing) = try Descriptor.pipe()
    let process = try ChildProcess(
      "/bin/sh", arguments: ["sh", "-c", command], descriptors: [nil, writing, nil], inheriting: .everythingButSession)
    return (reading, process)
  }
}
