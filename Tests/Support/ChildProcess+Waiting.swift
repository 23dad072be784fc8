internal import Glibc
package import System

extension ChildProcess {
  /// Waits for the end of the program; its exit status, or what ended it. To be called once.
  ///
  /// - Throws: `DeadlinePassed` when the program goes on for longer than `limit`; it is killed then.
  package func ending(within limit: Duration = .seconds(120)) throws -> Ending {
    do {
      try waitUntil("a program ended", within: limit) {
        var information = unsafe siginfo_t()
        let status = unsafe waitid(P_PID, id_t(identifier), &information, WEXITED | WNOHANG | WNOWAIT)
        return unsafe status != 0 || information._sifields._kill.si_pid != 0
      }
    } catch {
      kill()
      _ = wait()
      throw error
    }
    return wait()
  }
}
