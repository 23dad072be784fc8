/// The exit statuses of the command. `<doc:ExitStatuses>` documents them; their meaning never changes.
enum CommandStatus: Int32, CaseIterable {
  case done = 0
  /// Any other failure.
  case failure = 1
  /// The command line is wrong, or the password is missing, empty, too long or not repeated correctly.
  case usage = 2
  case noVault = 10
  case vaultExists = 11
  case noSpaceOpens = 12
  case passwordInUse = 13
  case mountPointUnusable = 14
  /// Another process has the space open, or has the vault locked for itself.
  case spaceInUse = 15
  /// Stored data is damaged or missing.
  case damage = 16
  case noRoom = 17
  /// At least one file was not imported, not exported or not known.
  case notAllImported = 18
  case tracesLeft = 19
  /// An object store cannot be reached, is busy or does not answer as one.
  case storeUnreachable = 20
  /// An object store refuses the address or the credentials.
  case storeRefused = 21

  var explanation: String {
    switch self {
    case .done: "done"
    case .failure: "any other failure"
    case .usage: "the command line or the password cannot be used"
    case .noVault: "the path is not a vault"
    case .vaultExists: "something is at the path already"
    case .noSpaceOpens: "no space opens with this password"
    case .passwordInUse: "the password already opens a space"
    case .mountPointUnusable: "the mount point cannot be used, or nothing is mounted there"
    case .spaceInUse: "the space is in use"
    case .damage: "damage was found"
    case .noRoom: "the disk is full"
    case .notAllImported: "not every file was imported or exported"
    case .tracesLeft: "traces of a space were found and left"
    case .storeUnreachable: "the bucket cannot be reached now"
    case .storeRefused: "the bucket refuses the address or the credentials"
    }
  }
}

/// Why a command failed: an exit status, and a sentence that says what to do next.
struct CommandFailure: Error, Equatable {
  var status: CommandStatus
  var message: String

  init(_ status: CommandStatus, _ message: String) {
    self.status = status
    self.message = message
  }
}
