internal import Glibc
internal import ObjectStore
internal import System
internal import SystemPackage

/// Where the credentials of a store come from. They are never in arguments, and errors name only where they were sought.
package enum CredentialSource: Equatable, Sendable {
  /// The variables `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`; without them, the profile that
  /// `AWS_PROFILE` names, or `default`.
  case usual
  /// A profile in `~/.aws/credentials` and `~/.aws/config`, or in the files that `AWS_SHARED_CREDENTIALS_FILE` and
  /// `AWS_CONFIG_FILE` name.
  case profile(String)
  /// A file of this user that no other user may read, with `aws_access_key_id`, `aws_secret_access_key` and
  /// `aws_session_token` as in a profile.
  case file(String)
  /// A command for `/bin/sh`, which prints JSON as Amazon's `credential_process` has it: `Version` 1, `AccessKeyId`,
  /// `SecretAccessKey`, and optionally `SessionToken` and `Expiration`.
  case command(String)
}

/// Reads credentials.
struct CredentialReader: Sendable {
  /// Most bytes of a file.
  static let mostFileBytes = 1 << 20

  /// The value of an environment variable; nil if it is unset or empty.
  let environment: @Sendable (String) -> String?
  /// Ends a command as soon as this can be read or its other end is closed.
  var stop: Descriptor?

  /// Reads the credentials.
  ///
  /// - Throws: `.noCredentials`.
  func credentials(from source: CredentialSource) throws(StoreError) -> StoreCredentials {
    switch source {
    case .usual:
      if let found = try fromVariables() { return found }
      let name = environment("AWS_PROFILE")
      guard let found = try fromProfile(name ?? "default", isNamed: name != nil) else {
        throw .noCredentials(
          "No credentials of the store were found in the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or in "
            + "~/.aws; set the variables, or name a file or a command.")
      }
      return found
    case .profile(let name):
      guard let found = try fromProfile(name, isNamed: true) else { throw .noCredentials("No profile was found.") }
      return found
    case .file(let path): return try fromFile(path)
    case .command(let command): return try CredentialCommand.run(command, stop: stop)
    }
  }

  private func fromVariables() throws(StoreError) -> StoreCredentials? {
    guard let accessKey = environment("AWS_ACCESS_KEY_ID") else { return nil }
    guard let secretKey = environment("AWS_SECRET_ACCESS_KEY"),
      let found = StoreCredentials(
        accessKey: accessKey, secretKey: secretKey, sessionToken: environment("AWS_SESSION_TOKEN"))
    else {
      throw .noCredentials(
        "AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not, or one of them cannot be a key; set both.")
    }
    return found
  }

  private func fromFile(_ path: String) throws(StoreError) -> StoreCredentials {
    let bytes: [UInt8]
    do throws(Errno) {
      let file = try Descriptor.open(path, O_RDONLY | O_NONBLOCK)
      let status = try file.status()
      guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
        throw Errno.permissionDenied
      }
      bytes = try file.readToEnd(limit: Self.mostFileBytes)
    } catch .permissionDenied {
      throw .noCredentials(
        "\(path) with the credentials must be a file of this user that no other user may read; use chmod 600.")
    } catch {
      throw .noCredentials("\(path) with the credentials cannot be read: \(error).")
    }
    guard let found = Self.credentials(in: ProfileFile(bytes)["default"] ?? [:]) else {
      throw .noCredentials("\(path) lacks aws_access_key_id or aws_secret_access_key, or one of them cannot be a key.")
    }
    return found
  }

  /// The credentials of a profile; nil if it does not exist and is not named.
  private func fromProfile(_ name: String, isNamed: Bool) throws(StoreError) -> StoreCredentials? {
    let files = [("AWS_SHARED_CREDENTIALS_FILE", "credentials"), ("AWS_CONFIG_FILE", "config")]
    var entries: [String: String]?
    for (variable, file) in files {
      let path = environment(variable) ?? environment("HOME").map { "\($0)/.aws/\(file)" }
      guard let path, let bytes = try? WholeFile.read(path, limit: Self.mostFileBytes),
        let section = ProfileFile(bytes)[name]
      else { continue }
      if let found = Self.credentials(in: section) { return found }
      entries = (entries ?? [:]).merging(section) { first, _ in first }
    }
    guard let entries else {
      if isNamed { throw .noCredentials("There is no profile \(StoreError.printable(name.utf8)) in ~/.aws.") }
      return nil
    }
    if let command = entries["credential_process"] { return try CredentialCommand.run(command, stop: stop) }
    let shown = StoreError.printable(name.utf8)
    if entries.keys.contains(where: { $0.hasPrefix("sso_") || $0 == "role_arn" || $0 == "web_identity_token_file" }) {
      throw .noCredentials(
        "The profile \(shown) signs in by SSO or a role, which agonyfs does not do; use the command "
          + "aws configure export-credentials --profile \(shown)")
    }
    if isNamed { throw .noCredentials("The profile \(shown) in ~/.aws has no credentials.") }
    return nil
  }

  private static func credentials(in entries: [String: String]) -> StoreCredentials? {
    guard let accessKey = entries["aws_access_key_id"], let secretKey = entries["aws_secret_access_key"] else {
      return nil
    }
    return StoreCredentials(accessKey: accessKey, secretKey: secretKey, sessionToken: entries["aws_session_token"])
  }
}
