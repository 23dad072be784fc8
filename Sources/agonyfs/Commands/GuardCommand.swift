internal import ArgumentParser
internal import Guard

/// `agonyfs guard`: becomes agonyfs-guard.
struct GuardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "guard", abstract: "Lock when the machine sleeps or you leave it.", discussion: HelpText.guard)

  @Option(
    help: ArgumentHelp("When to lock, such as sleep,shutdown,lock,logout. (default: all four)", valueName: "list"))
  var on: String?

  @Flag(help: "Also lock when this program is ended.")
  var atExit = false

  func run() throws {
    var causes = Set(LockCause.allCases)
    if let on {
      guard let chosen = LockCause.list(on) else {
        throw CommandFailure(
          .usage, "--on takes some of sleep, shutdown, lock and logout, separated by commas, such as sleep,lock.")
      }
      causes = chosen
    }
    let own = OwnFolder.path(of: "")
    try OwnFolder.become(
      own + "agonyfs-guard",
      ["agonyfs-guard", own + "agonyfs", LockCause.text(causes)] + (atExit ? ["--at-exit"] : []),
      builtBy: "scripts/agonyfs")
  }
}
