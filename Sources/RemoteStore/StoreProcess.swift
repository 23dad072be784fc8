internal import Glibc
internal import ObjectStore
internal import System
internal import SystemPackage

/// A running helper `agonyfs-store` and agonyfs's end of its socket. Its messages are treated as an attacker's.
///
/// Only one thread uses it at a time, except for `kill()`.
final class StoreProcess: Sendable {
  /// How the kernel confines a helper.
  struct Confinement: Equatable, Sendable {
    /// The version of Landlock's interface; nil if the kernel lacks it.
    var landlock: Int?
    /// Whether system calls are filtered.
    var isFiltered: Bool
  }

  /// Time for the helper itself, in addition to that for the store.
  private static let ownSeconds: UInt64 = 30
  /// Time for its start, in which it looks up the name of the server.
  private static let startSeconds: UInt64 = 90

  /// When it was started, in nanoseconds of the monotonic clock.
  let start = monotonicTime()
  /// What it signs requests with.
  let credentials: StoreCredentials
  /// The number of the reading of their source that gave them.
  let reading: Int
  private let process: ChildProcess
  private let socket: Descriptor
  private let stall: UInt64

  /// Starts the program; it inherits only one end of a socket.
  ///
  /// - Throws: `.unavailable`.
  init(program: String, configuration: StoreConfiguration, reading: Int = 0) throws(StoreError) {
    credentials = configuration.credentials
    self.reading = reading
    stall = UInt64(configuration.stallSeconds) + UInt64(configuration.connectSeconds) + Self.ownSeconds
    do throws(Errno) {
      let (ours, theirs) = try Descriptor.socketPair()
      process = try ChildProcess(
        program, arguments: [program], descriptors: [theirs, theirs, nil], inheriting: .nothing)
      socket = ours
    } catch {
      throw .unavailable("\(program): \(error)")
    }
  }

  /// Waits until the process has looked up the server and is confined. Call it once, before the first job.
  ///
  /// - Throws: `.unavailable`; errors that the helper found before it sent a request. The process must not be used then.
  func begin(_ configuration: StoreConfiguration) throws(StoreError) -> Confinement {
    try send(.configure, configuration.encoded[...], seconds: stall)
    let (message, body) = try receive(seconds: Self.startSeconds)
    if message == .failed { throw try Self.outcome(body).error }
    guard message == .hello, let confinement = Confinement(decoding: body) else {
      throw .unavailable("it broke the protocol")
    }
    return confinement
  }

  /// Kills the process. Call it before the process is reaped.
  func kill() { process.kill() }

  /// Kills and reaps the process. Call it once.
  func reap() {
    process.kill()
    process.wait()
  }

  /// Carries out a job. After `.unavailable` the process must not be used any more.
  ///
  /// - Parameter content: the bytes of an object that is stored.
  /// - Returns: its result, and the time that the store's reply states.
  func run(
    _ job: StoreJob, sending content: [UInt8]
  ) throws(StoreError) -> (outcome: Result<StoreAnswer, StoreError>, date: RequestTime?) {
    try send(.job, job.encoded[...], seconds: stall)
    while true {
      let (message, body) = try receive(seconds: stall)
      switch message {
      case .progress where body.isEmpty: continue
      case .wanted:
        guard let range = StoreMessage.range(ofWanted: body, within: content.count) else {
          throw .unavailable("it broke the protocol")
        }
        try send(.content, content[range], seconds: stall)
      case .done:
        guard let parts = try? StoreMessage.parts(ofOutcome: body),
          let answer = try? StoreAnswer(decoding: parts.encoded), answer.fits(job)
        else { throw .unavailable("it broke the protocol") }
        return (.success(answer), parts.date)
      case .failed:
        let (error, date) = try Self.outcome(body)
        return (.failure(error), date)
      default: throw .unavailable("it broke the protocol")
      }
    }
  }

  private static func outcome(_ body: [UInt8]) throws(StoreError) -> (error: StoreError, date: RequestTime?) {
    guard let parts = try? StoreMessage.parts(ofOutcome: body), let error = try? StoreError(decoding: parts.encoded)
    else { throw .unavailable("it broke the protocol") }
    return (error, parts.date)
  }

  // MARK: The socket

  private func send(_ message: StoreMessage, _ body: ArraySlice<UInt8>, seconds: UInt64) throws(StoreError) {
    Waiting.assertAllowed()
    try sendAll(message.header(body.count)[...], seconds)
    try sendAll(body, seconds)
  }

  private func receive(seconds: UInt64) throws(StoreError) -> (message: StoreMessage, body: [UInt8]) {
    Waiting.assertAllowed()
    guard let (message, count) = StoreMessage.decode(header: try receiveAll(StoreMessage.headerBytes, seconds))
    else { throw .unavailable("it broke the protocol") }
    return (message, try receiveAll(count, seconds))
  }

  private func sendAll(_ bytes: ArraySlice<UInt8>, _ seconds: UInt64) throws(StoreError) {
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
        return unsafe Glibc.send(
          socket.number, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count > 0 { done += count } else { try wait(for: POLLOUT, seconds) }
    }
  }

  private func receiveAll(_ count: Int, _ seconds: UInt64) throws(StoreError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = unsafe bytes.withUnsafeMutableBytes { buffer in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
        return unsafe recv(socket.number, rest.baseAddress, rest.count, Int32(MSG_DONTWAIT))
      }
      if got == 0 { throw .unavailable("it ended") }
      if got > 0 { done += got } else { try wait(for: POLLIN, seconds) }
    }
    return bytes
  }

  /// Waits until the call that just failed can continue, at most so many seconds.
  private func wait(for events: Int32, _ seconds: UInt64) throws(StoreError) {
    guard [EAGAIN, EINTR].contains(errno) else { throw .unavailable("it ended") }
    let deadline = monotonicTime() + seconds * 1_000_000_000
    while true {
      var descriptor = pollfd(fd: socket.number, events: Int16(events), revents: 0)
      let now = monotonicTime()
      guard now < deadline else { throw .unavailable("it does not answer") }
      if unsafe poll(&descriptor, 1, Int32(clamping: (deadline - now) / 1_000_000 + 1)) > 0 { return }
    }
  }
}

extension StoreProcess.Confinement {
  /// Decodes a message; nil if it breaks the protocol.
  fileprivate init?(decoding bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let version = try? reader.read(UInt32.self), let filter = try? reader.read(UInt8.self), filter <= 1,
      (try? reader.finish()) != nil
    else { return nil }
    self.init(landlock: version == 0 ? nil : Int(version), isFiltered: filter == 1)
  }
}

extension StoreAnswer {
  /// Whether this is an answer to a job.
  fileprivate func fits(_ job: StoreJob) -> Bool {
    switch (self, job) {
    case (.page(let page), .list(let prefix, _)): page.entries.allSatisfy { $0.key.text.hasPrefix(prefix) }
    case (.entry(let entry), .head(let key)): entry.key == key
    case (.bytes(let bytes, _), .get(_, let range)): range.map { bytes.count <= $0.count } ?? true
    case (.stored, .put), (.deleted, .delete), (.setting, .setting): true
    default: false
    }
  }
}
