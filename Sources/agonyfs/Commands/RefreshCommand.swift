internal import ArgumentParser
internal import Storage
internal import System
internal import SystemPackage
internal import Vault

struct RefreshCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "refresh", abstract: "Rewrite all files, so that none shows its age.",
    discussion: HelpText.refresh)

  @Argument(help: "The vault.", completion: .directory)
  var vault: FilePath

  @Flag(help: "First complete files that are shorter than the others. Use it only if nothing is copied into the vault.")
  var complete = false

  func run() throws {
    let storage = try DirectoryStorage(path: path)
    let opened = try Vault.open(in: storage)
    if storage.isReadOnly {
      throw CommandFailure(.failure, "The vault at \(path) cannot be written; show the owner of its files with ls -l.")
    }
    let lease = try opened.lease(exclusive: true)
    defer { withExtendedLifetime(lease) {} }
    if complete {
      let count = try opened.completeShortFiles()
      let files = count.counted("file that was", "files that were")
      let verb = count == 1 ? "was" : "were"
      if count > 0 {
        Output.note(
          "\(files) shorter than the others \(verb) completed or deleted. If a copy into the vault was interrupted, make "
            + "the copy again."
        )
      }
    }
    let signals = HeldSignals()
    defer { signals.release() }
    let line = ProgressLine("refreshing", showsRate: true)
    let refresh = DirectoryRefresh(storage, segmentSize: opened.parameters.segmentSize) { progress in
      line.show(progress.done, of: progress.total)
      return !signals.arePending
    }
    do throws(RefreshError) {
      defer { line.end() }
      try refresh.run()
    } catch .interrupted {
      // Printed before the signal ends the process.
      Output.note("Interrupted. The vault can be used as it is; refresh it again before you copy it.")
      throw ExitCode(CommandStatus.failure.rawValue)
    }
  }
}
