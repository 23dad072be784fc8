import Glibc
import Synchronization
import Testing

@testable import System

@Suite struct ThreadTests {
  @Test func joiningWaitsForTheFunction() throws {
    let isDone = Atomic(false)
    let thread = try Thread {
      usleep(10_000)
      isDone.store(true, ordering: .relaxed)
    }
    thread.join()
    let wasDone = isDone.load(ordering: .relaxed)
    #expect(wasDone)
  }

  private static let signals: Set<CInt> = [SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGCHLD]

  private static func blocked() -> Set<CInt> {
    var mask = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
    return signals.filter { unsafe sigismember(&mask, $0) == 1 }
  }

  @Test func signalsAreBlockedInAThreadAndNotInWhoStartsIt() throws {
    let before = Self.blocked()
    let inside = Mutex<Set<CInt>>([])
    try Thread { inside.withLock { $0 = Self.blocked() } }.join()
    #expect(inside.withLock { $0 } == Self.signals)
    #expect(Self.blocked() == before)
  }
}
