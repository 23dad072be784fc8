internal import Albums
internal import CPlatform
internal import Crypto
internal import Glibc
internal import Storage
internal import Synchronization
internal import System
internal import Vault

/// Creates vaults in directories.
enum NewVault {
  /// Creates a vault and its first space; without a cipher, with the faster one. Removes them again if this cannot be
  /// completed, or if a signal comes that ends the process; then the signal does so.
  ///
  /// - Throws: `VaultError` and `DirectoryStorageError`.
  static func create(
    at path: String, _ options: VaultCreationOptions = .init(), password: Password, cipher: CipherSuite? = nil
  ) throws {
    let signals = HeldSignals()
    defer { signals.release() }
    let directory = try DirectoryCreation(at: path)
    let progress = ProgressLine("writing cover")
    do {
      defer { progress.end() }
      let control = OperationControl(progress: progress.show, isCancelled: { signals.arePending })
      _ = try Vault.create(in: directory.storage, options: options, control) { vault throws(VaultError) in
        progress.end()
        try SpaceManager.addSpace(to: vault, password: password, cipher: cipher ?? .fastest())
      }
      try directory.complete()
    } catch {
      directory.remove()
      throw error
    }
  }
}

/// Holds back the signals that end the process (SIGINT, SIGTERM, SIGHUP, SIGQUIT), so that work can be undone first.
private struct HeldSignals: Sendable {
  private let held: sigset_t

  init() {
    var held = sigset_t()
    unsafe agonyfs_signals_hold(&held)
    self.held = held
  }

  /// Whether one has come.
  var arePending: Bool {
    var held = held
    return unsafe agonyfs_signals_are_pending(&held)
  }

  /// Lets them in; it may not return.
  func release() {
    var held = held
    unsafe agonyfs_signals_release(&held)
  }
}

/// A line on a terminal that says how far something is, in percent: never in bytes or files.
private final class ProgressLine: Sendable {
  private let text: String
  private let isShown = isatty(STDERR_FILENO) == 1
  private let last = Mutex(-1)

  init(_ text: String) { self.text = text }

  /// Shows a progress.
  func show(_ done: Int64, of all: Int64) {
    let percent = Int(Double(done) / Double(max(all, 1)) * 100)
    last.withLock { last in
      guard isShown, percent != last else { return }
      last = percent
      Output.writeError("\r\u{1B}[Kagonyfs: \(text): \(percent) %")
    }
  }

  /// Removes the line.
  func end() {
    last.withLock { last in
      if isShown, last >= 0 { Output.writeError("\r\u{1B}[K") }
      last = -1
    }
  }
}
