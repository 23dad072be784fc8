internal import CMount
internal import Glibc
package import SystemPackage

/// A program that goes into the background once it has something to show.
package struct BackgroundProcess: ~Copyable {
  /// Where the first process waits for a byte.
  private let sender: CInt

  private init(sender: CInt) {
    self.sender = sender
  }

  /// Splits the process in two. The caller's process waits inside this call: it exits with 0 when the new one calls
  /// `finish()`, or with the new one's exit status when that ends before. The call returns in the new process only,
  /// which still has the terminal, so it may ask for a password. Call it before any thread is started and before
  /// any secret is read (locked memory is not inherited). Throws when there is no room for another process.
  package static func begin() throws(Errno) -> BackgroundProcess {
    var ends: [CInt] = [-1, -1]
    guard unsafe agonyfs_pipe(&ends, true) == 0 else { throw Errno(rawValue: errno) }
    let child = agonyfs_fork()
    if child < 0 {
      let error = Errno(rawValue: errno)
      close(ends[0])
      close(ends[1])
      throw error
    }
    if child > 0 {
      close(ends[1])
      stay(with: child, receiver: ends[0])
    }
    close(ends[0])
    return BackgroundProcess(sender: ends[1])
  }

  /// Leaves the terminal (standard input, output and error go to /dev/null), and lets the first process exit with 0.
  package consuming func finish() {
    setsid()
    let nowhere = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
    if nowhere >= 0 {
      for descriptor: CInt in 0...2 { dup2(nowhere, descriptor) }
      if nowhere > 2 { close(nowhere) }
    }
    // So that the directory where the command was given can be unmounted.
    unsafe chdir("/")
    var letter: UInt8 = 1
    unsafe write(sender, &letter, 1)
    close(sender)
  }

  /// The first process: ends as the second one says.
  private static func stay(with child: pid_t, receiver: CInt) -> Never {
    // Ctrl-C reaches both; the second process decides what it means.
    signal(SIGINT, SIG_IGN)
    var letter: UInt8 = 0
    var count = 0
    repeat { count = unsafe read(receiver, &letter, 1) } while count < 0 && errno == EINTR
    if count == 1 { _exit(0) }
    var status: CInt = 0
    while unsafe waitpid(child, &status, 0) < 0 {
      guard errno == EINTR else { _exit(1) }
    }
    let number = status & 0x7F
    // As shells count a program that a signal ended.
    _exit(number == 0 ? (status >> 8) & 0xFF : 128 + number)
  }
}
