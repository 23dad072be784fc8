internal import ArgumentParser
internal import CPlatform
internal import Client
internal import Glibc
internal import Mount
internal import System
internal import SystemPackage

/// The program. Its entry is a synchronous function, so nothing here is bound to an actor.
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

  /// Runs the command of the arguments; reports failures on standard error.
  private static func run() -> Int32 {
    // One that was started as /proc/self/exe would be called `exe` in process lists. A process that cannot be traced may
    // not write its /proc/self/comm.
    unsafe agonyfs_set_name("agonyfs")
    // Before anything secret is read: no core dumps, no tracing.
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
          "\(TerminalText.safe(ByteText.bytes(of: text)))" is not UTF-8 text, which only a path may be; type it in UTF-8.
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
      // The others are the program's.
      return isRun && status != .done ? ProgramEnding.ownFailure : status.rawValue
    }
  }

  private static func report(_ error: any Error, vault: FilePath) -> CommandStatus {
    // Whoever throws an exit code has already said what is wrong.
    if let code = error as? ExitCode, let status = CommandStatus(rawValue: code.rawValue) { return status }
    if let failure = CommandFailure(any: error, vault: vault) {
      Output.note(failure.message)
      return failure.status
    }
    // The rest is the argument parser's own: requested help and completion scripts, and usage errors.
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
