// Invariants
// 1. The password is checked before anything is made: a wrong one leaves nothing.
// 2. The record is written before the slot, so a crash leaves a record that opens nothing, and never a slot that nobody
//    knows of.
// 3. What is replaced is taken away when there is a new key, and only with its slot: a key that is the only one of its
//    space, or that cannot be tried, stays, and nothing is replaced.

internal import Albums
internal import ArgumentParser
internal import Crypto
internal import QuickUnlock
internal import SystemPackage
internal import Vault

/// Gives a space a key that this machine or something beside it holds.
struct Enrolling {
  let vault: Vault
  /// Its path, for questions.
  let path: FilePath
  let method: UnlockMethod
  /// Whether other methods keep theirs.
  let keepsOthers: Bool
  /// Whether nobody needs to be asked before something is replaced.
  let mayReplace: Bool
  /// Whether a token is to find the credential by itself.
  let isResident: Bool
  let hasPIN: Bool

  /// Asks for the space's password, and has a new key open it too.
  func enrol(_ options: PasswordOptions<CurrentPassword>) throws {
    let records = Enrolments()
    let replaced = try records.list(vault: vault.identifierText).filter { !keepsOthers || $0.method == method }
    try confirm(replaced)
    Output.note(
      "From now on the space opens without its password for whoever can use \(method.place): also for somebody who "
        + "forces you to. Enrol a space that you would show.")
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

  /// Runs `body`; failures of the method become sentences.
  static func saying<R>(_ method: UnlockMethod, _ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as UnlockFailure { throw error.failure(of: method) }
  }
}

/// Takes an enrolled key away: its slot in the vault, what holds it, and the record on this machine.
struct Unenrolling {
  /// What is said when nobody can open a slot that is to go.
  static let slotStays =
    "The vault keeps the slot of the key that was enrolled, as it was not opened; only agonyfs password change --rekey "
    + "ends it."

  let vault: Vault
  let path: FilePath
  let method: UnlockMethod

  /// Does it. Without opening the slot if it is only forgotten here.
  func run(onlyForgetting: Bool) throws {
    let records = Enrolments()
    guard let enrolment = try records.list(vault: vault.identifierText).first(where: { $0.method == method }) else {
      throw CommandFailure(.failure, "Nothing of \(path) is enrolled on this machine in \(method.place).")
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
  /// - Throws: what `SpaceManager.removePassword` throws: `.lastPassword` if nothing else opens the space;
  ///   `CommandFailure` if there is no key. Then nothing was changed.
  static func removeSlot(of enrolment: Enrolment, in vault: Vault) throws {
    do {
      let key = try EnrolledKey.get(enrolment)
      do { try SpaceManager.removePassword(in: vault, key) } catch {
        throw EnrolledKey.unopened(error, enrolment.method)
      }
    } catch UnlockFailure.opensNothing where vault.passedOverDerivations == 0 {
      // The space got another key since; there is nothing left of it in the vault.
    } catch let error as UnlockFailure {
      let failure = error.failure(of: enrolment.method)
      throw CommandFailure(
        failure.status,
        failure.message + " Nothing was removed. If the key is lost, agonyfs password remove "
          + "--\(enrolment.method.word) --forget takes away what this machine keeps.")
    }
  }

  /// Takes what holds a key and the record away.
  static func takeAway(_ enrolment: Enrolment) throws {
    try? EnrolledKey.drop(enrolment)
    try Enrolments().remove(enrolment)
  }
}
