// Invariants:
// 1. `stop()` returns when every thread has answered all that it found to read, and ended: the kernel may be about to
//    bring the last of what it holds, a part each time that another part is answered.
// 2. The session outlives the threads.

internal import CMount
internal import Glibc
internal import Synchronization
internal import System

/// The threads that serve the requests of a session.
@safe final class Workers: Sendable {
  private let core: Core
  private let threads: [Thread]
  private let watch: Thread?

  /// What the threads share.
  @safe private final class Core: @unchecked Sendable {
    let session: OpaquePointer
    let events: SessionEvents
    let clonesChannel: Bool
    let line: WaitingLine
    let isStopping = Atomic<Bool>(false)
    let running: Atomic<Int>

    init(session: OpaquePointer, events: SessionEvents, cores: Int, count: Int) {
      unsafe self.session = session
      self.events = events
      clonesChannel = SessionLimits.clonesChannel(cores: cores)
      line = WaitingLine(limit: SessionLimits.waitingThreads(cores: cores))
      running = Atomic(count)
    }
  }

  /// Starts the threads. Throws when none could be started.
  init(session: OpaquePointer, events: SessionEvents) throws(MountError) {
    let cores = max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))
    let count = SessionLimits.threadCount(cores: cores)
    core = unsafe Core(session: session, events: events, cores: cores, count: count)
    unsafe agonyfs_glance_open(session)
    let core = core
    threads = (0..<count).compactMap { _ in
      try? Thread {
        Self.serve(core)
        core.running.subtract(1, ordering: .releasing)
      }
    }
    core.running.subtract(count - threads.count, ordering: .relaxed)
    if threads.isEmpty {
      agonyfs_glance_close()
      throw .sessionFailed(reason: "no thread could be started")
    }
    watch = try? Thread { core.line.watch() }
    if watch != nil { core.line.expectWatch() }
  }

  /// The most requests that a thread serves after it was told to end, lest a program that asks again and again, whatever
  /// the answer, keeps it. There are never so many that bring what the kernel holds.
  private static let lastRequests = 10_000

  /// Ends the threads.
  func stop() {
    core.isStopping.store(true, ordering: .releasing)
    core.line.end()
    // A signal that comes just before a thread starts to read is lost on it, so it is sent until all have ended.
    while core.running.load(ordering: .acquiring) > 0 {
      for thread in threads { thread.send(signal: SIGUSR1) }
      usleep(1000)
    }
    for thread in threads + [watch].compactMap(\.self) { thread.join() }
    agonyfs_glance_close()
  }

  private static func serve(_ core: Core) {
    agonyfs_interruption_allow()
    if core.clonesChannel { unsafe agonyfs_channel_clone(core.session) }
    defer { agonyfs_channel_close() }
    var buffer = unsafe fuse_buf()
    defer { unsafe free(buffer.mem) }
    var waits = false
    var left = Self.lastRequests
    while left > 0 {
      let isLast = core.isStopping.load(ordering: .acquiring)
      if isLast {
        if left == Self.lastRequests { unsafe agonyfs_channel_drain(core.session) }
        left -= 1
      }
      if !waits { core.line.enter() }
      waits = false
      let received = unsafe fuse_session_receive_buf(core.session, &buffer)
      var hold: WaitingLine.Hold?
      if received > 0, agonyfs_request_is_small() { hold = core.line.hold() } else { core.line.leave() }
      if received > 0 {
        unsafe fuse_session_process_buf(core.session, &buffer)
        if let hold, core.line.resume(hold) {
          waits = true
          agonyfs_channel_expect()
        }
      } else if received == 0 {
        core.events.disconnected()
        return
      } else if received == -EAGAIN {
        if isLast { return }
      } else if received != -EINTR {
        core.events.disconnected(because: "reading a request failed with error \(-received)")
        return
      }
    }
  }
}
