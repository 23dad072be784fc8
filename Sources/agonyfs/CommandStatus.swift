/// The exit statuses of the command. They are documented in `<doc:ExitStatuses>` and never change their meaning.
enum CommandStatus: Int32, CaseIterable {
  /// What was asked for is done.
  case done = 0
  /// Anything that has no number of its own.
  case failure = 1
  /// The command line cannot be understood, or a password is empty.
  case usage = 2
  /// There is no vault at the path.
  case noVault = 10
  /// Something is at the path already.
  case vaultExists = 11
  /// No space opens with the password.
  case noSpaceOpens = 12
  /// The password opens a space already.
  case passwordInUse = 13
  /// Nothing can be mounted at the path.
  case mountPointUnusable = 14
  /// Another process has the space open.
  case spaceInUse = 15
  /// Something stored is damaged or missing.
  case damage = 16
  /// The disk is full.
  case noRoom = 17

  /// The line that `--help` and the documentation show.
  var explanation: String {
    switch self {
    case .done: "done"
    case .failure: "any other failure"
    case .usage: "the command line or the password cannot be used"
    case .noVault: "there is no vault at the path"
    case .vaultExists: "something is at the path already"
    case .noSpaceOpens: "no space opens with this password"
    case .passwordInUse: "the password already opens a space"
    case .mountPointUnusable: "the mount point cannot be used, or nothing is mounted there"
    case .spaceInUse: "the space is in use"
    case .damage: "damage was found"
    case .noRoom: "the disk is full"
    }
  }
}

/// Why a command did not do what it was asked for: an exit status, and one sentence that says what to do next.
struct CommandFailure: Error, Equatable {
  /// How the process ends.
  var status: CommandStatus
  /// The sentence, for standard error.
  var message: String

  /// A failure with a status and a sentence.
  init(_ status: CommandStatus, _ message: String) {
    self.status = status
    self.message = message
  }
}
