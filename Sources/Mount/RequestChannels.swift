// A reply goes to the channel of its request. All channels of a session share one queue of requests.

internal import CMount
internal import Glibc
internal import System
internal import SystemPackage

/// The channels on which one thread receives requests, and its receive buffer.
@safe struct RequestChannels: ~Copyable {
  /// The session's first channel, which all threads share.
  private let shared: CInt
  /// This thread's own channel, if it has one.
  private let own: Descriptor?
  /// A non-blocking channel for polling.
  private let polling: Descriptor?
  private let buffer: UnsafeMutableRawBufferPointer
  /// The channel of the last request.
  private var source: CInt

  /// How long to poll for the next request, in nanoseconds: less than two wake-ups of a thread take.
  private static let pollingTime: UInt64 = 30_000

  /// The channels of the calling thread. `ownsOne` opens a separate one for it, if the kernel allows that.
  init(shared: CInt, polling: Descriptor?, ownsOne: Bool) {
    self.shared = shared
    self.polling = polling
    source = shared
    own = ownsOne ? Self.open(shared: shared, blocks: true) : nil
    // The size of libfuse's buffer: the largest write, and a page for the header.
    unsafe buffer = .allocate(byteCount: SessionLimits.maximumWrite + 4096, alignment: 4096)
  }

  deinit { unsafe buffer.deallocate() }

  /// Opens another channel of the session; nil if the kernel has none.
  static func open(shared: CInt, blocks: Bool) -> Descriptor? {
    let number = agonyfs_channel_open(shared, blocks)
    return number >= 0 ? Descriptor(number) : nil
  }

  private var waiting: CInt { own?.number ?? shared }

  /// Receives a request, which stays in the buffer until the next call. With `polls` the thread polls before it sleeps,
  /// because waking a thread takes longer than answering a small request.
  ///
  /// - Throws: `EAGAIN` after `stopWaiting()`, if there is no request; `EINTR`; `ENODEV` when the connection is closed.
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
      // The client was interrupted before its request was read.
      guard Errno.current == .noSuchFileOrDirectory else { throw Errno.current }
    }
    guard let request = unsafe KernelRequest(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else {
      throw .ioError
    }
    agonyfs_channel_reply_to(source)
    return request
  }

  /// Polls for a request and yields the processor in between. Negative if none came in time, or reading failed. Reading
  /// directly saves the system call that would ask for a request first.
  private func poll(_ channel: CInt) -> Int {
    let deadline = preciseMonotonicTime() + Self.pollingTime
    repeat {
      let count = unsafe read(channel, buffer.baseAddress, buffer.count)
      if count >= 0 || errno != EAGAIN { return count }
      sched_yield()
    } while preciseMonotonicTime() < deadline
    return -1
  }

  /// Lets libfuse serve the last request.
  func process(_ request: KernelRequest, in session: OpaquePointer) {
    var received = unsafe fuse_buf()
    unsafe received.mem = buffer.baseAddress
    unsafe received.size = request.size
    unsafe fuse_session_process_buf(session, &received)
  }

  /// Answers the last request with an error, without libfuse.
  func refuse(_ request: KernelRequest, with error: Errno) {
    let size = MemoryLayout<fuse_out_header>.size
    var header = fuse_out_header(len: UInt32(size), error: -error.rawValue, unique: request.unique)
    unsafe write(source, &header, size)
  }

  /// Makes reading fail with `EAGAIN` when there is no request.
  func stopWaiting() {
    _ = fcntl(waiting, F_SETFL, fcntl(waiting, F_GETFL) | O_NONBLOCK)
  }
}
