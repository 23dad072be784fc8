internal import ArgumentParser
internal import CPlatform
internal import Client
internal import Glibc
internal import Mount
internal import System
internal import SystemPackage

/// The program. Its entry point is synchronous, so nothing here is bound to an actor.
@main
enum Program {
  static func main() {
    let status = run()
    UsedVaults.evict()
    do {
      try Output.finish()
      exit(status)
    } catch {
      exit(status == CommandStatus.done.rawValue ? report(error, vault: "").rawValue : status)
    }
  }

  /// Runs the command that the arguments name; reports failures on standard error.
  private static func run() -> Int32 {
    // A process that was started as /proc/self/exe would be listed as `exe`. Once it cannot be traced, it may not write
    // its /proc/self/comm.
    unsafe agonyfs_set_name("agonyfs")
    // The parent may have set SIGCHLD to be ignored. Then the kernel would reap children by itself, and a number could be
    // that of another process when it is signalled.
    signal(SIGCHLD, SIG_DFL)
    // Hardening comes before the first secret: no core dumps, no tracing.
    ProcessHardening.apply()
    var vault: FilePath = "the vault"
    var isRun = false
    do {
      let arguments = CommandArguments.ofProcess()
      isRun = arguments.words.first == RunCommand.name
      LinePasswords.keep(arguments.passwords)
      LineProgram.keep(arguments.program)
      var command = try AgonyfsCommand.parse(arguments.words)
      if let text = Word.codedText(in: command) {
        throw CommandFailure(
          .usage,
          """
          "\(TerminalText.safe(ByteText.bytes(of: text)))" is not UTF-8 text; only paths may have other bytes. Type it in UTF-8.
          """)
      }
      if let command = command as? any VaultCommand {
        guard !command.vault.isEmpty else { throw CommandFailure.empty("The path of the vault") }
        vault = command.path
      }
      try command.run()
      return CommandStatus.done.rawValue
    } catch let ending as ProgramEnding {
      return ending.status
    } catch {
      let status = report(error, vault: vault)
      // `run` keeps the other statuses for its program.
      return isRun && status != .done ? ProgramEnding.ownFailure : status.rawValue
    }
  }

  private static func report(_ error: any Error, vault: FilePath) -> CommandStatus {
    // An exit code is thrown only after its failure was reported.
    if let code = error as? ExitCode, let status = CommandStatus(rawValue: code.rawValue) { return status }
    if let failure = CommandFailure(any: error, vault: vault) {
      Output.note(failure.message)
      return failure.status
    }
    // All other errors are the argument parser's own: requested help and completion scripts, and usage errors.
    let text = AgonyfsCommand.fullMessage(for: error)
    guard AgonyfsCommand.exitCode(for: error).isSuccess else {
      let prefix = "Error: "
      Output.writeError("\(text.hasPrefix(prefix) ? "agonyfs: " + text.dropFirst(prefix.count) : text)\n")
      return .usage
    }
    Output.line(text)
    return .done
  }
}
