// Invariants:
// 1. `stop()` returns when every thread has answered all queued requests and ended. The kernel writes back the last of
//    its data in parts, each after the reply to the one before.
// 2. The session outlives the threads.

internal import CMount
internal import Glibc
internal import Synchronization
internal import System

/// The threads of a session.
@safe final class Workers: Sendable {
  private let core: WorkerCore
  private let threads: [Thread]
  private let watchdog: Thread?

  /// Starts the threads. Throws if none can be started.
  init(session: OpaquePointer, volume: Volume, events: SessionEvents) throws(MountError) {
    let cores = max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))
    let count = SessionLimits.threadCount(cores: cores)
    let core = unsafe WorkerCore(session: session, volume: volume, events: events, cores: cores, count: count)
    self.core = core
    threads = (0..<count).compactMap { _ in
      try? Thread {
        core.serve()
        core.running.subtract(1, ordering: .releasing)
      }
    }
    core.running.subtract(count - threads.count, ordering: .relaxed)
    if threads.isEmpty { throw .sessionFailed(reason: "no thread could be started") }
    watchdog = try? Thread { core.group.watch() }
    if watchdog != nil { core.group.expectWatchdog() }
  }

  /// Ends the threads.
  func stop() {
    core.isStopping.store(true, ordering: .releasing)
    core.group.end()
    // A signal is lost on a thread that is just about to read, so it is sent until all have ended.
    while core.running.load(ordering: .acquiring) > 0 {
      for thread in threads { thread.send(signal: SIGUSR1) }
      usleep(1000)
    }
    for thread in threads + [watchdog].compactMap(\.self) { thread.join() }
  }
}
