package import Logging
internal import Synchronization
internal import System
internal import SystemPackage

/// The decoding process, as seen from the daemon that holds the keys. Jobs run one after another.
///
/// 1. There is at most one process, started when a job needs it.
/// 2. A job that decodes has a process to itself. Metadata jobs share one, at most `lightJobs`, and each job that failed
///    is its last; the exception: after it answers "not a medium" it may continue.
package final class Decoder: Sendable {
  /// Metadata jobs after which a process is replaced. A file that takes over the process through its metadata sees at most
  /// 15 other files, and can only lie about them.
  package static let lightJobs = 16
  /// How long a job may take, not counting the reading of the file.
  package static let timeout = Duration.seconds(30)
  /// Bytes of memory that every job may use in addition to the program itself. A job that needs more asks before it
  /// decodes.
  package static let freeMemory = 128 << 20
  /// Bytes of memory that a process can have: the limit of its address space, set in confine.c.
  static let mostMemory = 2 << 30

  private struct Running {
    let process: DecoderProcess
    /// The metadata jobs that were begun; `lightJobs` for a job that decodes.
    var work = 0
  }

  private let template: DecoderTemplate
  /// Whether no other decoder uses the template.
  private let ownsTemplate: Bool
  private let lightJobs: Int
  private let policy: SandboxPolicy
  private let timeout: Duration
  private let notice: SandboxNotice
  private let admits: @Sendable (Int) -> Bool
  /// Held during a whole job.
  private let running = Mutex<Running?>(nil)
  private let stoppable = StoppableProcess()
  private let confinement = Mutex(SandboxState.unknown)

  /// A decoder that starts its process on first use.
  ///
  /// - Parameters:
  ///   - program: path of `agonyfs-decoder`.
  ///   - sandbox: what to do if the kernel cannot confine it fully.
  ///   - timeout: how long a job may take.
  ///   - lightJobs: metadata jobs in one process. A larger number suits files from one source: a file that takes over the
  ///     process can lie about the others.
  package convenience init(
    program: String, sandbox: SandboxPolicy, timeout: Duration = Decoder.timeout, lightJobs: Int = Decoder.lightJobs,
    logger: Logger
  ) {
    let template = DecoderTemplate(program, timeout: max(timeout, Self.timeout))
    self.init(
      template: template, ownsTemplate: true, sandbox: sandbox, timeout: timeout, lightJobs: lightJobs,
      notice: SandboxNotice(logger), admits: { _ in true })
  }

  /// A decoder of a pool.
  ///
  /// - Parameters:
  ///   - template: starts its processes.
  ///   - ownsTemplate: whether it ends with this decoder.
  ///   - notice: reports once that a decoder is not fully confined.
  ///   - admits: whether the running job may use this many bytes of memory; otherwise it fails as `.tooLarge`. Must
  ///     not wait.
  init(
    template: DecoderTemplate, ownsTemplate: Bool = false, sandbox: SandboxPolicy, timeout: Duration, lightJobs: Int,
    notice: SandboxNotice, admits: @escaping @Sendable (Int) -> Bool
  ) {
    self.template = template
    self.ownsTemplate = ownsTemplate
    self.lightJobs = lightJobs
    self.timeout = timeout
    policy = sandbox
    self.notice = notice
    self.admits = admits
  }

  deinit { stop() }

  /// Makes derivatives of a file: upright JPEGs in sRGB without any metadata.
  ///
  /// - Parameter eagerly: false makes exactly the sizes asked for; true leaves out the large one of a HEIC or an AVIF
  ///   whose own thumbnail suffices for the small one.
  /// - Throws: the error for this file; the next job is not affected.
  package func derive(
    _ sizes: Set<DerivativeSize>, eagerly: Bool, from source: any MediaSource
  ) throws(DecoderError) -> Derivatives {
    let request = DeriveRequest(sizes: sizes, eagerly: eagerly, fileSize: source.size)
    return try job(.derive, request.encoded, expecting: .derived, source: source) { bytes in
      guard let result = try? Derivatives(decoding: bytes) else { return nil }
      // Exactly the sizes that were asked for.
      let mayLackLarge = eagerly && result.facts.kind.mayLackLarge
      guard (result.small != nil) == sizes.contains(.small),
        (result.large != nil) == sizes.contains(.large) || (result.large == nil && mayLackLarge)
      else { return nil }
      return result
    }
  }

  /// Makes a PNG of a derivative.
  ///
  /// - Parameters:
  ///   - longerSide: most pixels on the longer side.
  ///   - text: keys and values of PNG text, such as `Thumb::URI`.
  package func png(
    from jpeg: [UInt8], longerSide: Int, text: [(String, String)]
  ) throws(DecoderError) -> [UInt8] {
    guard jpeg.count <= DerivativeSize.large.mostBytes, (1...DerivativeSize.large.longerSide).contains(longerSide)
    else { throw .tooLarge }
    let request = PNGRequest(jpeg: jpeg, longerSide: longerSide)
    var file = try job(.png, request.encoded, expecting: .pngMade, source: nil) { bytes in
      PNGFile(bytes, mostSide: longerSide)
    }
    file.add(text)
    return file.bytes
  }

  /// Starts the process if none runs, and returns how the kernel confines it.
  ///
  /// - Throws: `.unavailable`.
  package func startedState() throws(DecoderError) -> SandboxState {
    try running.withLock { (running) throws(DecoderError) in
      if running == nil { running = Running(process: try start()) }
      return sandboxState
    }
  }

  /// How the kernel confines the running decoder.
  package var sandboxState: SandboxState { confinement.withLock { $0 } }

  /// Ends the process, even during a job. When this returns, the process is gone if the kernel lets it end, and
  /// later jobs are refused.
  package func stop() {
    refuseJobs()
    running.withLock { end(&$0) }
    if ownsTemplate { template.stop() }
  }

  /// As above, without waiting for the end of the job.
  func refuseJobs() {
    stoppable.refuse()
    if ownsTemplate { template.refuse() }
  }

  /// Runs a job, and again if the process ended during it: an earlier job or another process may be the cause.
  func job<T: Sendable>(
    _ message: WireMessage, _ body: [UInt8], expecting answer: WireMessage, source: (any MediaSource)?,
    _ check: ([UInt8]) -> T?
  ) throws(DecoderError) -> T {
    do throws(DecoderError) {
      return try attempt(message, body, expecting: answer, source: source, check)
    } catch {
      guard error == .crashed || error == .killed else { throw error }
      return try attempt(message, body, expecting: answer, source: source, check)
    }
  }

  /// Runs a job in the running process, or in a fresh one.
  private func attempt<T: Sendable>(
    _ message: WireMessage, _ body: [UInt8], expecting answer: WireMessage, source: (any MediaSource)?,
    _ check: ([UInt8]) -> T?
  ) throws(DecoderError) -> T {
    try running.withLock { (running) throws(DecoderError) in
      do throws(DecoderError) {
        let isLight = message == .facts || message == .sidecar
        if !isLight, let work = running?.work, work > 0 { end(&running) }
        var current: Running
        if let running { current = running } else { current = Running(process: try start()) }
        current.work += isLight ? 1 : lightJobs
        running = current
        let result = try current.process.run(
          message, body, expecting: answer, source: source, timeout: timeout, admits: admits)
        guard let value = check(result) else { throw .crashed }
        if isUsedUp(running) { end(&running) }
        return value
      } catch {
        let reason = cause(of: error, in: running)
        // Content that is not a medium never reached a library, so the process is still good. But only the process
        // itself says so.
        if error != .notMedia || isUsedUp(running) { end(&running) }
        replaceTemplate(after: error)
        throw reason
      }
    }
  }

  /// Whether a process has done its share of work.
  private func isUsedUp(_ running: Running?) -> Bool { running.map { $0.work >= lightJobs } ?? false }

  /// Reads an archive: zip, or tar, either plain or packed by gzip, bzip2 or xz. It gets a separate process, so that
  /// no earlier file can change its contents, and each step has the whole time of a job.
  ///
  /// - Parameter take: called in order with all events of the archive, on this thread. It must not start another job
  ///   on this decoder.
  /// - Returns: how the archive as a whole ended. Check sums at its end, such as gzip's, are known only then, so
  ///   entries may have been whole in an archive that is damaged.
  /// - Throws: `.notMedia` if it is not an archive.
  package func archive(
    of source: any MediaSource, limits: ArchiveLimits = ArchiveLimits(), _ take: (ArchiveEvent) -> ArchiveStep
  ) throws(DecoderError) -> ArchiveVerdict {
    try running.withLock { (running) throws(DecoderError) in
      end(&running)
      defer { end(&running) }
      do throws(DecoderError) {
        let process = try start()
        running = Running(process: process)
        var exchange = ArchiveExchange(process: process, source: source, limits: limits, timeout: timeout)
        return try exchange.run(take)
      } catch {
        let reason = cause(of: error, in: running)
        replaceTemplate(after: error)
        throw reason
      }
    }
  }

  /// Changes the addresses of the next processes if this error may come from an attack.
  private func replaceTemplate(after error: DecoderError) {
    if error == .crashed || error == .timedOut { template.replace() }
  }

  /// The real cause of a failure. Call it before the process is reaped.
  private func cause(of error: DecoderError, in running: Running?) -> DecoderError {
    let wasKilled = error == .crashed && running?.process.child.wasKilledByOthers == true
    return stoppable.isStopped ? .unavailable("stopped") : wasKilled ? .killed : error
  }

  private func end(_ running: inout Running?) {
    stoppable.end()
    running = nil
  }

  /// Starts a process, confined as the policy demands.
  private func start() throws(DecoderError) -> DecoderProcess {
    let process = try template.start()
    guard stoppable.hold(process.child) else { throw .unavailable("stopped") }
    do throws(DecoderError) {
      let state = try greeting(of: process)
      confinement.withLock { $0 = state }
      if !state.isComplete {
        if policy == .required, !state.isFiltered {
          throw .unavailable("the kernel cannot confine the decoder: \(state); see --decoder-sandbox")
        }
        notice.give(state)
      }
      return process
    } catch {
      stoppable.end()
      throw error
    }
  }

  private func greeting(of process: DecoderProcess) throws(DecoderError) -> SandboxState {
    let greeting = try? process.receive(before: Deadline(after: timeout))
    var reader = ByteReader(greeting?.1 ?? [])
    guard greeting?.0 == .hello, let landlock = try? reader.read(UInt32.self), let seccomp = try? reader.flag(),
      let threads = try? reader.flag(), (try? reader.finish()) != nil
    else { throw .unavailable("the decoder does not start") }
    return .reported(landlock: landlock == 0 ? nil : Int(landlock), seccomp: seccomp, threads: threads)
  }
}
