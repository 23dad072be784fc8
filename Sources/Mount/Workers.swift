// Invariants:
// 1. `stop()` returns when every thread has answered the request it was at and ended.
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
    let ending: SessionEnding
    let clonesChannel: Bool
    let line: WaitingLine
    let isStopping = Atomic<Bool>(false)
    let running: Atomic<Int>

    init(session: OpaquePointer, ending: SessionEnding, cores: Int, count: Int) {
      unsafe self.session = session
      self.ending = ending
      clonesChannel = SessionLimits.clonesChannel(cores: cores)
      line = WaitingLine(limit: SessionLimits.waitingThreads(cores: cores))
      running = Atomic(count)
    }
  }

  /// Starts the threads. Throws when none could be started.
  init(session: OpaquePointer, ending: SessionEnding) throws(MountError) {
    let cores = max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))
    let count = SessionLimits.threadCount(cores: cores)
    core = unsafe Core(session: session, ending: ending, cores: cores, count: count)
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
    while !core.isStopping.load(ordering: .acquiring) {
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
        core.ending.disconnected()
        return
      } else if received != -EINTR && received != -EAGAIN {
        core.ending.disconnected(because: "reading a request failed with error \(-received)")
        return
      }
    }
  }
}
