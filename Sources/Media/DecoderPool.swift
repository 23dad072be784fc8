internal import Glibc
package import Logging

/// Several decoders, each a separate sandboxed process, that share a budget of memory.
///
/// 1. Each job has a decoder to itself. Urgent jobs, which a program waits for, come first, then the others in order.
///    No job waits for a slow one while another decoder is free. One decoder is always kept free for urgent jobs.
/// 2. The decoder used last is used first, so no more processes run than there were jobs at once.
/// 3. Memory is granted by what decoders claim to need (`AdmissionBudget`). Their claims are not trusted: a decoder's
///    real use is bounded by the limit of its address space, whatever it claims.
package final class DecoderPool: Sendable {
  /// The allowed numbers of background jobs at once.
  package static let allowedCount = 1...256

  /// How many background jobs run at once.
  package let jobsAtOnce: Int
  private let template: DecoderTemplate
  private let decoders: [Decoder]
  private let turns: DecoderTurns

  /// Decoders that start their processes on first use.
  ///
  /// - Parameters:
  ///   - program: path of `agonyfs-decoder`.
  ///   - sandbox: what to do if the kernel cannot confine a decoder fully; the log states this once for all.
  ///   - count: the largest number of background jobs at once, in addition to one urgent job; fewer if the memory
  ///     shares of all would exceed a quarter of the machine's memory.
  package convenience init(program: String, sandbox: SandboxPolicy, count: Int, logger: Logger) {
    let pages = max(0, sysconf(CInt(_SC_PHYS_PAGES)))
    let memory = pages * max(0, sysconf(CInt(_SC_PAGESIZE)))
    self.init(
      program: program, sandbox: sandbox, count: min(count, AdmissionBudget.mostJobs(inMemory: memory)),
      timeout: Decoder.timeout, logger: logger)
  }

  /// Decoders for a number of jobs, regardless of the machine's memory.
  init(program: String, sandbox: SandboxPolicy, count: Int, timeout: Duration, logger: Logger) {
    let count = min(max(count, Self.allowedCount.lowerBound), Self.allowedCount.upperBound)
    let notice = SandboxNotice(logger)
    let turns = DecoderTurns(count: count)
    jobsAtOnce = count
    self.turns = turns
    let template = DecoderTemplate(program, timeout: max(timeout, Decoder.timeout))
    self.template = template
    decoders = (0...count).map { number in
      Decoder(
        template: template, sandbox: sandbox, timeout: timeout, lightJobs: Decoder.lightJobs, notice: notice,
        admits: { turns.admits($0, in: number) })
    }
  }

  /// The numbers of waiting callers.
  var waiting: DecoderTurns.Waiting { turns.waiting }

  /// As `Decoder.derive`. The job is urgent unless it is eager.
  package func derive(
    _ sizes: Set<DerivativeSize>, eagerly: Bool, from source: any MediaSource
  ) throws(DecoderError) -> Derivatives {
    try run(isUrgent: !eagerly) { (decoder) throws(DecoderError) in
      try decoder.derive(sizes, eagerly: eagerly, from: source)
    }
  }

  /// As `Decoder.png`. The job is urgent.
  package func png(
    from jpeg: [UInt8], longerSide: Int, text: [(String, String)]
  ) throws(DecoderError) -> [UInt8] {
    try run(isUrgent: true) { (decoder) throws(DecoderError) in
      try decoder.png(from: jpeg, longerSide: longerSide, text: text)
    }
  }

  /// As `Decoder.facts`.
  package func facts(of source: any MediaSource, small: [UInt8]?) throws(DecoderError) -> [UInt8] {
    try run(isUrgent: false) { (decoder) throws(DecoderError) in try decoder.facts(of: source, small: small) }
  }

  /// As `Decoder.sidecar`.
  package func sidecar(_ kind: SidecarKind, content: [UInt8]) throws(DecoderError) -> [UInt8] {
    try run(isUrgent: false) { (decoder) throws(DecoderError) in try decoder.sidecar(kind, content: content) }
  }

  /// As `Decoder.full`. The job is urgent.
  package func full(of source: any MediaSource) throws(DecoderError) -> [UInt8] {
    try run(isUrgent: true) { (decoder) throws(DecoderError) in try decoder.full(of: source) }
  }

  /// As `Decoder.pixelDigest`.
  package func pixelDigest(of source: any MediaSource) throws(DecoderError) -> [UInt8] {
    try run(isUrgent: false) { (decoder) throws(DecoderError) in try decoder.pixelDigest(of: source) }
  }

  /// Starts a process if none runs, and returns how the kernel confines those that were started.
  ///
  /// - Throws: `.unavailable`.
  package func startedState() throws(DecoderError) -> SandboxState {
    _ = try run(isUrgent: true) { (decoder) throws(DecoderError) in try decoder.startedState() }
    return sandboxState
  }

  /// The confinement that all started decoders have in common.
  package var sandboxState: SandboxState { decoders.reduce(.unknown) { $0.and($1.sandboxState) } }

  /// Ends all processes, even during jobs, and all waits of callers. When this returns, the processes are gone if the
  /// kernel lets them end, and later jobs are refused.
  package func stop() {
    turns.stop()
    // All at once: a job that waits for the disk ends only when the disk has answered.
    for decoder in decoders { decoder.refuseJobs() }
    template.refuse()
    for decoder in decoders { decoder.stop() }
    template.stop()
  }

  /// Runs a job in the first free decoder, and again after waiting for memory if it needs more.
  private func run<T>(
    isUrgent: Bool, _ work: (Decoder) throws(DecoderError) -> T
  ) throws(DecoderError) -> T {
    var job = DecoderTurns.Job(isUrgent: isUrgent)
    defer { turns.end(job) }
    while true {
      guard let number = turns.borrow(for: job) else { throw .unavailable("stopped") }
      do throws(DecoderError) {
        let result = try work(decoders[number])
        job = turns.takeBack(number, from: job)
        return result
      } catch {
        job = turns.takeBack(number, from: job)
        guard error == .tooLarge, job.wanted != nil else { throw error }
      }
      guard turns.grantWanted(to: &job) else { throw .unavailable("stopped") }
    }
  }
}
