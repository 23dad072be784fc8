internal import Albums
internal import CMount
internal import Glibc
internal import Synchronization
internal import System
internal import SystemPackage
internal import Vault

/// What the threads that serve a session share, and what each of them does.
@safe final class WorkerCore: @unchecked Sendable {
  private let session: OpaquePointer
  private let volume: Volume
  private let events: SessionEvents
  let group: LeaderFollowers
  /// A channel on which reading does not wait, for the one thread that polls; nil where the kernel has no other, and then
  /// threads sleep at once.
  private let polling: Descriptor?
  private let ownsChannels: Bool
  /// Whether the kernel says which requests clear set-user-ID and set-group-ID bits.
  private let clearsSetBits: Bool
  private let callers = CallerRun()
  /// Whether the threads are to end.
  let isStopping = Atomic<Bool>(false)
  /// Threads that have not ended.
  let running: Atomic<Int>

  /// The most requests that a thread serves after it was told to end, lest a program that asks again and again, whatever
  /// the answer, keeps it. There are never so many that bring what the kernel holds.
  private static let lastRequests = 10_000

  init(session: OpaquePointer, volume: Volume, events: SessionEvents, cores: Int, count: Int) {
    unsafe self.session = session
    self.volume = volume
    self.events = events
    group = LeaderFollowers(limit: SessionLimits.leaders(cores: cores))
    ownsChannels = SessionLimits.clonesChannel(cores: cores)
    polling = unsafe RequestChannels.open(shared: fuse_session_fd(session), blocks: false)
    clearsSetBits = agonyfs_session_flags() & UInt32(FUSE_HANDLE_KILLPRIV_V2) != 0
    running = Atomic(count)
  }

  /// The work of a thread: serves requests until the threads are to end, or the connection does.
  func serve() {
    agonyfs_interruption_allow()
    var channels = unsafe RequestChannels(
      shared: fuse_session_fd(session), polling: polling, ownsOne: ownsChannels)
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

  /// Clears the set-user-ID and set-group-ID bits of the file that a request is about, and tells the kernel, which would
  /// show them otherwise.
  private func clearSetBits(_ request: KernelRequest) throws(Errno) {
    let inode = try InodeNumber(stored: request.node)
    guard try volume.fileSystem.clearSetBits(of: inode, for: request.caller) else { return }
    // A negative offset leaves the cached pages alone, so no lock is waited for.
    unsafe fuse_lowlevel_notify_inval_inode(session, request.node, -1, 0)
  }
}
