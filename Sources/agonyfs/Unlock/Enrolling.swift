// Invariants
// 1. The password is checked before anything is made, so a wrong one leaves nothing behind.
// 2. The record is written before the slot, so a crash can leave a record that opens nothing, but never a slot that no
//    record names.
// 3. The old key is removed once a new key exists, and only together with its slot: if it is the only key of its space,
//    or cannot be tried, it stays and nothing is replaced.

internal import Albums
internal import ArgumentParser
internal import Crypto
internal import QuickUnlock
internal import SystemPackage
internal import Vault

/// Gives a space a key that this machine or a connected device holds.
struct Enrolling {
  let vault: Vault
  /// The vault's path, for questions.
  let path: FilePath
  let method: UnlockMethod
  /// Whether other methods keep their keys.
  let keepsOthers: Bool
  /// Whether keys may be replaced without asking.
  let mayReplace: Bool
  /// Whether the token stores the credential itself (resident key).
  let isResident: Bool
  let hasPIN: Bool

  /// Asks for the space's password, and adds a new key that opens the space as well.
  func enrol(_ options: PasswordOptions<CurrentPassword>) throws {
    let records = Enrolments()
    let replaced = try records.list(vault: vault.identifierText).filter { !keepsOthers || $0.method == method }
    try confirm(replaced)
    Output.note(
      "From now on, each person who can use \(method.place) can open the space without its password, and so can a "
        + "person who forces you. Enrol only a space that you would show.")
    let existing = try options.source().password(for: .opening, prompt: "Password for \(path)")
    _ = try vault.openSlot(try vault.slotKeys(for: existing))
    let (enrolment, key) = try Self.saying(method) { try makeKey() }
    do {
      for old in replaced {
        try Unenrolling.removeSlot(of: old, in: vault)
        try Unenrolling.takeAway(old)
      }
      try records.write(enrolment)
      do {
        try SpaceManager.addPassword(in: vault, existing: existing, new: key)
      } catch {
        try? records.remove(enrolment)
        throw error
      }
    } catch {
      try? EnrolledKey.drop(enrolment)
      throw error
    }
  }

  private func makeKey() throws -> (enrolment: Enrolment, password: Password) {
    var request = UnlockRequest(.make, method, isResident: isResident)
    if hasPIN { request.pin = try EnrolledKey.newPIN() }
    return try EnrolledKey.make(request, vault: vault.identifierText)
  }

  private func confirm(_ replaced: [Enrolment]) throws {
    guard !replaced.isEmpty, !mayReplace else { return }
    let places = replaced.map(\.method.place).joined(separator: " and ")
    guard let terminal = Terminal(), EnrolledKey.canAsk else {
      throw CommandFailure(
        .usage,
        "A space of this vault is enrolled on this machine already, in \(places); add --yes to replace that"
          + (replaced.contains { $0.method != method } ? ", or --also to keep it." : "."))
    }
    guard terminal.confirm("A space of this vault is enrolled on this machine already, in \(places). Replace that?")
    else { throw CommandFailure(.failure, "Nothing was changed.") }
  }

  /// Runs `body` and turns failures of the method into sentences.
  static func saying<R>(_ method: UnlockMethod, _ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as UnlockFailure { throw error.failure(of: method) }
  }
}

/// Removes an enrolled key: its slot in the vault, the stored key, and the record on this machine.
struct Unenrolling {
  /// Said when the slot cannot be opened and so stays.
  static let slotStays =
    "The vault keeps the slot of the enrolled key, because the key was not used to open it; only agonyfs password "
    + "change --rekey ends it."

  let vault: Vault
  let path: FilePath
  let method: UnlockMethod

  /// Removes the key. With `onlyForgetting`, the slot is not opened and stays.
  func run(onlyForgetting: Bool) throws {
    let records = Enrolments()
    guard let enrolment = try records.list(vault: vault.identifierText).first(where: { $0.method == method }) else {
      throw CommandFailure(.failure, "No key of \(path) is enrolled on this machine in \(method.place).")
    }
    if onlyForgetting {
      Output.note(Self.slotStays)
    } else {
      try Self.removeSlot(of: enrolment, in: vault)
    }
    try Self.takeAway(enrolment)
  }

  /// Removes the slot of an enrolled key.
  ///
  /// - Throws: the errors of `SpaceManager.removePassword`: `.lastPassword` if nothing else opens the space;
  ///   `CommandFailure` if the key cannot be fetched. In all these cases nothing was changed.
  static func removeSlot(of enrolment: Enrolment, in vault: Vault) throws {
    do {
      let key = try EnrolledKey.get(enrolment)
      do { try SpaceManager.removePassword(in: vault, key) } catch {
        throw EnrolledKey.unopened(error, enrolment.method)
      }
    } catch UnlockFailure.opensNothing where vault.passedOverDerivations == 0 {
      // The space got another key in the meantime; the vault has nothing left to remove.
    } catch let error as UnlockFailure {
      let failure = error.failure(of: enrolment.method)
      throw CommandFailure(
        failure.status,
        failure.message + " Nothing was removed. If the key is lost, remove the record on this machine with agonyfs "
          + "password remove --\(enrolment.method.word) --forget.")
    }
  }

  /// Removes the stored key and the record.
  static func takeAway(_ enrolment: Enrolment) throws {
    try? EnrolledKey.drop(enrolment)
    try Enrolments().remove(enrolment)
  }
}
