// Invariants:
// 1. `stop()` returns when every thread has answered all queued requests and ended. The kernel writes back the last of
//    its data in parts, each after the reply to the previous one.
// 2. The session outlives the threads.
// 3. A thread ends only when no read of an answer that uses its channel waits.

internal import Albums
internal import CMount
internal import Glibc
internal import Library
internal import Synchronization
internal import System
internal import SystemPackage
internal import Vault

/// The threads of a session, their shared state, and their work.
@safe final class Workers: @unchecked Sendable {
  private let session: OpaquePointer
  private let volume: Volume
  private let events: SessionEvents
  private let group: LeaderFollowers
  /// The polling channel, for one thread at a time; nil if the kernel has none, and then threads sleep at once.
  private let polling: Descriptor?
  private let ownsChannels: Bool
  /// Whether requests say that they clear set-user-ID and set-group-ID bits.
  private let clearsSetBits: Bool
  private let callers = CallerRun()
  private let isStopping = Atomic<Bool>(false)
  /// The number of serving threads that still run.
  private let running = Atomic<Int>(0)
  /// The serving threads; only the thread that starts and stops them uses this.
  private var threads: [Thread] = []
  /// The thread of `LeaderFollowers.watch()`.
  private var watchdog: Thread?

  /// Most requests that a thread serves after it was told to end. It stops a client that keeps asking. The kernel's
  /// write-back is always less.
  private static let lastRequests = 10_000

  /// Starts the threads. Throws if none can be started.
  init(session: OpaquePointer, volume: Volume, events: SessionEvents) throws(MountError) {
    unsafe self.session = session
    self.volume = volume
    self.events = events
    let cores = max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))
    group = LeaderFollowers(limit: SessionLimits.leaders(cores: cores))
    ownsChannels = SessionLimits.clonesChannel(cores: cores)
    polling = unsafe RequestChannels.open(shared: fuse_session_fd(session), blocks: false)
    clearsSetBits = agonyfs_session_flags() & UInt32(FUSE_HANDLE_KILLPRIV_V2) != 0
    for _ in 0..<SessionLimits.threadCount(cores: cores) {
      running.add(1, ordering: .relaxed)
      let thread = try? Thread {
        self.serve()
        self.running.subtract(1, ordering: .releasing)
      }
      if let thread { threads.append(thread) } else { running.subtract(1, ordering: .relaxed) }
    }
    if threads.isEmpty { throw .sessionFailed(reason: "no thread could be started") }
    watchdog = try? Thread { self.group.watch() }
    if watchdog != nil { group.expectWatchdog() }
  }

  func stop() {
    isStopping.store(true, ordering: .releasing)
    group.end()
    // A thread that is just about to read misses a signal, so signals are repeated until all threads have ended.
    while running.load(ordering: .acquiring) > 0 {
      for thread in threads { thread.send(signal: SIGUSR1) }
      usleep(1000)
    }
    for thread in threads { thread.join() }
    watchdog?.join()
  }

  /// A thread's loop. Serves requests until the threads must end or the connection is closed.
  private func serve() {
    agonyfs_interruption_allow()
    var channels = unsafe RequestChannels(
      shared: fuse_session_fd(session), polling: polling, ownsOne: ownsChannels)
    defer { withExtendedLifetime(channels) { volume.questionReads.waitUntilIdle() } }
    var leads = false
    var left = Self.lastRequests
    while left > 0 {
      let isLast = isStopping.load(ordering: .acquiring)
      if isLast {
        if left == Self.lastRequests { channels.stopWaiting() }
        left -= 1
      }
      if !leads { group.lead() }
      do throws(Errno) {
        let request = try channels.receive(polls: leads)
        callers.note(request.thread)
        var leadership: LeaderFollowers.Leadership?
        if request.isSmall(isAlone: callers.isAlone) { leadership = group.keep() } else { group.resign() }
        serve(request, channels)
        leads = if let leadership { group.resume(leadership) } else { false }
      } catch {
        group.resign()
        leads = false
        switch error {
        case .interrupted: break
        case .resourceTemporarilyUnavailable: if isLast { return }
        case .operationNotSupportedByDevice: return events.disconnected()
        default: return events.disconnected(because: "reading a request failed: \(error)")
        }
      }
    }
  }

  private func serve(_ request: KernelRequest, _ channels: borrowing RequestChannels) {
    if request.isUse { volume.noteUse() }
    if clearsSetBits, request.clearsSetBits, !volume.isLocked {
      do throws(Errno) {
        try clearSetBits(request)
      } catch {
        return channels.refuse(request, with: error)
      }
    }
    unsafe channels.process(request, in: session)
  }

  /// Clears the set-user-ID and set-group-ID bits of the file, and the attributes that the kernel has cached.
  private func clearSetBits(_ request: KernelRequest) throws(Errno) {
    // Virtual nodes have no such bits, and any user may write a query.
    let inode = InodeNumber(rawValue: request.node)
    if VirtualNode.isVirtual(inode) { return }
    guard try volume.fileSystem.clearSetBits(of: inode, for: request.caller) else { return }
    // A negative offset leaves cached pages alone, so the call waits for no lock.
    unsafe fuse_lowlevel_notify_inval_inode(session, request.node, -1, 0)
  }
}
