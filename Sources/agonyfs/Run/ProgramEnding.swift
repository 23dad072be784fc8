internal import System

/// How `agonyfs run` ends: with a status that is the program's, or one of those that env(1) and chroot(1) have.
struct ProgramEnding: Error, Equatable {
  static let ownFailure: Int32 = 125
  /// The program was found, and could not be executed.
  static let notExecutable: Int32 = 126
  static let notFound: Int32 = 127

  var status: Int32

  init(status: Int32) { self.status = status }

  /// From what waitpid(2) gives: the status of the program, or 128 and the number of the signal that ended it.
  init(waited status: Int32) {
    let signal = status & 0x7f
    self.status = signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }
}
