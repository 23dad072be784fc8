// Invariants
// 1. The password of an enrolled slot is its secret as hexadecimal digits, which are made in locked memory.

internal import Crypto
internal import Glibc
internal import QuickUnlock
internal import Vault

/// Why an enrolled method opens nothing. Another method, or a typed password, may still open the space.
enum UnlockFailure: Error {
  /// The helper gave the reason.
  case refused(UnlockReply)
  /// The helper gave no answer.
  case noAnswer(CommandFailure)
  /// A key was found, but no space opens with it.
  case opensNothing

  func failure(of method: UnlockMethod) -> CommandFailure {
    switch self {
    case .refused(let reply): CommandFailure(.failure, method.sentence(for: reply))
    case .noAnswer(let failure): failure
    case .opensNothing:
      CommandFailure(
        .noSpaceOpens,
        "The key in \(method.place) opens no space of the vault any more; enrol it again with agonyfs password add.")
    }
  }
}

/// The keys that are enrolled on this machine.
enum EnrolledKey {
  /// Whether a user at a terminal can be asked.
  static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && Terminal() != nil }

  /// Makes a key and stores it with the method.
  ///
  /// - Throws: `UnlockFailure`.
  static func make(
    _ request: UnlockRequest, vault: String
  ) throws -> (enrolment: Enrolment, password: Password) {
    let reply = try ask(request)
    return (Enrolment(vault: vault, method: request.method, record: reply.record), try password(of: reply))
  }

  /// Asks for the PIN of a new key.
  ///
  /// - Throws: `CommandFailure`.
  static func newPIN() throws -> SecretBytes {
    guard canAsk, let terminal = Terminal() else {
      throw CommandFailure(.usage, "A PIN must be typed at a terminal, and there is none; nothing was changed.")
    }
    let pin = try terminal.askSecretly("New PIN: ")
    guard let pin, (1...UnlockRecord.pinLimit).contains(pin.bytes.count) else {
      throw CommandFailure(.usage, "A PIN has 1 to \(UnlockRecord.pinLimit) characters; nothing was changed.")
    }
    guard try terminal.askSecretly("Repeat the PIN: ")?.bytes.equals(pin.bytes) == true else {
      throw CommandFailure(.usage, "The two PINs differ; nothing was changed. Try again.")
    }
    return pin.bytes
  }

  /// Gets a key.
  ///
  /// - Throws: `UnlockFailure`.
  static func get(_ enrolment: Enrolment) throws -> Password {
    LockedMemoryNote.give()
    return try password(of: ask(UnlockRequest(.get, enrolment.method, record: enrolment.record)))
  }

  /// Deletes a stored key. Throws as `get`.
  static func drop(_ enrolment: Enrolment) throws {
    _ = try ask(UnlockRequest(.drop, enrolment.method, record: enrolment.record))
  }

  /// Converts an error of using a key: an `UnlockFailure` if the key opens nothing, otherwise the same error.
  static func unopened(_ error: any Error, _ method: UnlockMethod) -> any Error {
    let isOwn = (error as? CommandFailure)?.status == .noSpaceOpens
    let isVaults = (error as? VaultError).map { $0 == .noSpaceOpens || $0 == .passwordReplaced } ?? false
    return isOwn || isVaults ? UnlockFailure.opensNothing : error
  }

  private static func ask(_ request: UnlockRequest) throws -> UnlockReply {
    var reply: UnlockReply
    do {
      try TracedProcess.refuse()
      reply = try UnlockProgram.ask(request)
      if reply.status == .needsPIN, request.pin == nil, canAsk, let pin = try pin(of: request.method) {
        var request = request
        request.pin = pin
        reply = try UnlockProgram.ask(request)
      }
    } catch let error as CommandFailure {
      throw UnlockFailure.noAnswer(error)
    }
    guard reply.status == .done else { throw UnlockFailure.refused(reply) }
    return reply
  }

  /// Asks for the PIN of a key; nil if none is typed.
  private static func pin(of method: UnlockMethod) throws -> SecretBytes? {
    let pin = try Terminal()?.askSecretly("PIN of \(method.place): ")
    guard let pin, (1...UnlockRecord.pinLimit).contains(pin.bytes.count) else { return nil }
    return pin.bytes
  }

  private static func password(of reply: UnlockReply) throws -> Password {
    guard let secret = reply.secret else { throw UnlockFailure.refused(UnlockReply(.failed)) }
    let digits = unsafe SecretBytes(count: 2 * secret.count) { buffer in
      unsafe secret.withUnsafeBytes { bytes in
        for place in bytes.indices {
          unsafe buffer[2 * place] = digit(bytes[place] >> 4)
          unsafe buffer[2 * place + 1] = digit(bytes[place] & 15)
        }
      }
    }
    return unsafe digits.withUnsafeBytes { unsafe Password(copying: $0) }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
