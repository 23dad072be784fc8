// A reply goes to the channel that its request came from. All channels of a session share one queue of requests.

internal import CMount
internal import Glibc
internal import System
internal import SystemPackage

/// The channels to the kernel that one thread receives requests from, and the buffer for them.
@safe struct RequestChannels: ~Copyable {
  /// The session's own channel.
  private let shared: CInt
  /// The thread's own channel, where it has one.
  private let own: Descriptor?
  /// A channel on which reading does not wait.
  private let polling: Descriptor?
  private let buffer: UnsafeMutableRawBufferPointer
  /// The channel that the last request came from.
  private var source: CInt

  /// How long the next request is polled for, in nanoseconds: less than waking a thread twice takes.
  private static let pollingTime: UInt64 = 30_000

  /// The channels of the calling thread. `ownsOne` gives it one of its own, if the kernel has another.
  init(shared: CInt, polling: Descriptor?, ownsOne: Bool) {
    self.shared = shared
    self.polling = polling
    source = shared
    own = ownsOne ? Self.open(shared: shared, blocks: true) : nil
    // As much as libfuse would give: the largest write, and a page for what comes before its bytes.
    unsafe buffer = .allocate(byteCount: SessionLimits.maximumWrite + 4096, alignment: 4096)
  }

  deinit { unsafe buffer.deallocate() }

  /// A further channel beside the session's own; nil where the kernel has none.
  static func open(shared: CInt, blocks: Bool) -> Descriptor? {
    let number = agonyfs_channel_open(shared, blocks)
    return number >= 0 ? Descriptor(number) : nil
  }

  private var waiting: CInt { own?.number ?? shared }

  /// Receives a request; it stays in the buffer until the next one. With `polls` it is looked for before the thread sleeps: to wake a thread
  /// takes longer than to answer a small request.
  ///
  /// - Throws: `EAGAIN` after `stopWaiting()`, when there is none; `EINTR`; `ENODEV` when the connection is closed.
  mutating func receive(polls: Bool) throws(Errno) -> KernelRequest {
    var count = -1
    source = waiting
    if polls, let polling {
      count = poll(polling.number)
      if count >= 0 { source = polling.number }
    }
    while count < 0 {
      count = unsafe read(source, buffer.baseAddress, buffer.count)
      if count >= 0 { break }
      // The one that asked was interrupted before the request was read.
      guard Errno.current == .noSuchFileOrDirectory else { throw Errno.current }
    }
    guard let request = unsafe KernelRequest(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else {
      throw .ioError
    }
    agonyfs_channel_reply_to(source)
    return request
  }

  /// Reads a request; negative when there was none for a while, or reading failed. Whoever else wants the processor gets
  /// it. To ask first whether there is one would cost another system call for each.
  private func poll(_ channel: CInt) -> Int {
    let deadline = Self.now + Self.pollingTime
    repeat {
      let count = unsafe read(channel, buffer.baseAddress, buffer.count)
      if count >= 0 || errno != EAGAIN { return count }
      sched_yield()
    } while Self.now < deadline
    return -1
  }

  private static var now: UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Has libfuse serve the request that was received last.
  func process(_ request: KernelRequest, in session: OpaquePointer) {
    var received = unsafe fuse_buf()
    unsafe received.mem = buffer.baseAddress
    unsafe received.size = request.size
    unsafe fuse_session_process_buf(session, &received)
  }

  /// Answers a request with an error, in place of libfuse.
  func refuse(_ request: KernelRequest, with error: Errno) {
    let size = MemoryLayout<fuse_out_header>.size
    var header = fuse_out_header(len: UInt32(size), error: -error.rawValue, unique: request.unique)
    unsafe write(source, &header, size)
  }

  /// From now on reading fails with `EAGAIN` when there are no requests.
  func stopWaiting() {
    _ = fcntl(waiting, F_SETFL, fcntl(waiting, F_GETFL) | O_NONBLOCK)
  }
}
