internal import ArgumentParser
internal import Crypto
internal import System
internal import SystemPackage

extension OpenCommand {
  /// Offers to make a vault at an unused path. A file that remembers a vault gets no offer: the vault's disk may be
  /// disconnected.
  ///
  /// - Returns: the new vault's password, for mounting it; nil if the path is in use.
  /// - Throws: `ExitCode` if the user declines.
  func newVault(at vault: FilePath, _ dialog: DesktopDialog) throws -> Password? {
    guard let place, AbsolutePath.of(place) == vault, NewVault.isFree(vault) else { return nil }
    guard dialog.confirm("\(NewVault.question(at: vault)) It takes a while to fill it with random files."),
      let password = try newPassword(of: vault, dialog)
    else { throw ExitCode(CommandStatus.failure.rawValue) }
    try NewVault.create(at: vault, password: password)
    return password
  }

  /// Asks for a new password twice; nil if the user cancels.
  private func newPassword(of vault: FilePath, _ dialog: DesktopDialog) throws -> Password? {
    try TracedProcess.refuse()
    LockedMemoryNote.give()
    var title = "New password of \(vault.lastComponent?.string ?? "the vault")"
    while true {
      guard let password = try typed(title, dialog) else { return nil }
      guard !password.normalized.isEmpty else {
        title = "The password is empty; it needs at least one character. Once more:"
        continue
      }
      let advice = PasswordAdvice.advice(for: password).map { $0 + " " } ?? ""
      guard let repeated = try typed("\(advice)Repeat the password", dialog) else { return nil }
      if repeated.bytes.equals(password.bytes) { return password }
      title = "The two passwords differ. Once more:"
    }
  }

  private func typed(_ title: String, _ dialog: DesktopDialog) throws -> Password? {
    // The writing end closes when this returns, so that reading ends when the dialog ends.
    func started() throws(Errno) -> (asking: ChildProcess, reading: Descriptor) {
      let (reading, typed) = try Descriptor.pipe()
      return (try dialog.askPassword(title, to: typed), reading)
    }
    let (asking, reading) = try started()
    let password = try SecretLine.read(from: reading)
    return asking.wait() == .exited(0) ? password : nil
  }
}
