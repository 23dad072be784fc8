internal import System

/// How `agonyfs run` ends: with the program's status, or with one of the statuses of env(1) and chroot(1).
struct ProgramEnding: Error, Equatable {
  static let ownFailure: Int32 = 125
  /// The program was found but could not be executed.
  static let notExecutable: Int32 = 126
  static let notFound: Int32 = 127

  var status: Int32

  init(status: Int32) { self.status = status }

  /// Converts a status of waitpid(2): the program's status, or 128 plus the number of the signal that ended it.
  init(waited status: Int32) {
    let signal = status & 0x7f
    self.status = signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }
}
