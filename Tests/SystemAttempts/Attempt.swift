import Glibc
import System

/// What would end or change the process that tries it; the argument names it.
@main enum Attempt: String {
  case takeTwice = "take-twice"
  case giveBackAnothers = "give-back-anothers"
  case waitWithout = "wait-without"
  case assertHeld = "assert-held"
  case assertNotHeld = "assert-not-held"
  case waitForAnother = "wait-for-another"
  case readWithLock = "read-with-lock"
  case joinWithLock = "join-with-lock"
  /// Ends with 0 if a child inherits ignored signals as it should.
  case inheritIgnored = "inherit-ignored"

  static func main() throws {
    guard CommandLine.arguments.count == 2, let attempt = Attempt(rawValue: CommandLine.arguments[1]) else { exit(64) }
    // For one that waits for itself.
    alarm(60)
    let lock = Lock()
    switch attempt {
    case .takeTwice:
      lock.lock()
      lock.lock()
    case .giveBackAnothers: lock.unlock()
    case .waitWithout: Condition(of: lock).wait()
    case .assertHeld: lock.assertHeld()
    case .assertNotHeld: lock.withLock { lock.assertNotHeld() }
    case .waitForAnother:
      let busy = Lock(excluding: .waiting)
      busy.lock()
      lock.lock()
      Condition(of: lock).wait()
    case .readWithLock:
      let path = "/dev/null"
      _ = Lock(excluding: .waiting).withLock { try? WholeFile.read(path) }
    case .joinWithLock:
      let thread = try Thread {}
      Lock(excluding: .waiting).withLock { thread.join() }
    case .inheritIgnored: try inheritIgnored()
    }
  }

  private static func inheritIgnored() throws {
    signal(SIGPIPE, SIG_IGN)
    func ending(_ inheritance: ChildProcess.Inheritance) throws -> ChildProcess.Ending {
      // A shell cannot trap what was ignored when it began.
      try ChildProcess(
        "/bin/sh", arguments: ["sh", "-c", "trap - PIPE; kill -PIPE $$; exit 0"], descriptors: [],
        inheriting: inheritance
      ).wait()
    }
    guard try ending(.everything) == .exited(0) else { exit(1) }
    guard try ending(.nothing) == .killed(SIGPIPE) else { exit(2) }
  }
}
