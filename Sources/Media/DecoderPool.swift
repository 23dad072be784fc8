internal import Glibc
package import Logging

/// Several decoders, each a process in a sandbox of its own, that share a budget of memory.
///
/// 1. Each job has a decoder for itself. Jobs that somebody waits for come first, then the others in their order; no job
///    waits for one that takes long as long as another decoder is free. One decoder is free for those that somebody waits
///    for, however many others there are.
/// 2. The decoder that was used last is used first, so no more processes run than there were jobs at once.
/// 3. Memory is granted by what decoders say that they need (`AdmissionBudget`). They are not trusted in that: what one
///    really takes is bounded by the limit of its address space, whatever it says.
package final class DecoderPool: Sendable {
  /// How many jobs can run at once that nobody waits for.
  package static let allowedCount = 1...256

  /// How many jobs run at once that nobody waits for.
  package let jobsAtOnce: Int
  private let decoders: [Decoder]
  private let turns: DecoderTurns

  /// Decoders that start their processes on first use.
  ///
  /// - Parameters:
  ///   - program: path of `agonyfs-decoder`.
  ///   - sandbox: what to do if the kernel cannot confine one fully; the log says so once for all.
  ///   - count: how many jobs run at once at most, beside one that somebody waits for; fewer where a share of memory for each
  ///     would be more than a quarter of the machine's.
  package convenience init(program: String, sandbox: SandboxPolicy, count: Int, logger: Logger) {
    let pages = max(0, sysconf(CInt(_SC_PHYS_PAGES)))
    let memory = pages * max(0, sysconf(CInt(_SC_PAGESIZE)))
    self.init(
      program: program, sandbox: sandbox, count: min(count, AdmissionBudget.mostJobs(inMemory: memory)),
      timeout: Decoder.timeout, logger: logger)
  }

  /// Decoders for so many jobs, whatever memory there is.
  init(program: String, sandbox: SandboxPolicy, count: Int, timeout: Duration, logger: Logger) {
    let count = min(max(count, Self.allowedCount.lowerBound), Self.allowedCount.upperBound)
    let notice = SandboxNotice(logger)
    let turns = DecoderTurns(count: count)
    jobsAtOnce = count
    self.turns = turns
    decoders = (0...count).map { number in
      Decoder(
        program: program, sandbox: sandbox, timeout: timeout, lightJobs: Decoder.lightJobs, notice: notice,
        admits: { turns.admits($0, in: number) })
    }
  }

  /// How many callers wait.
  var waiting: DecoderTurns.Waiting { turns.waiting }

  /// As `Decoder.derive`. Somebody waits for what is not made eagerly.
  package func derive(
    _ sizes: Set<DerivativeSize>, eagerly: Bool, from source: any MediaSource
  ) throws(DecoderError) -> Derivatives {
    try run(isUrgent: !eagerly) { (decoder) throws(DecoderError) in
      try decoder.derive(sizes, eagerly: eagerly, from: source)
    }
  }

  /// As `Decoder.png`. Somebody waits for it.
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

  /// As `Decoder.full`. Somebody waits for it.
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

  /// How all decoders that were started are confined: what one lacks, all lack.
  package var sandboxState: SandboxState { decoders.reduce(.unknown) { $0.and($1.sandboxState) } }

  /// Ends all processes, even during jobs, and the waiting of all callers. Nothing of them is left when this returns, and
  /// later jobs are refused.
  package func stop() {
    turns.stop()
    // All at once: a job that waits for the disk ends when that has answered.
    for decoder in decoders { decoder.refuseJobs() }
    for decoder in decoders { decoder.stop() }
  }

  /// Runs a job in the first decoder that is free, and again after it has waited for memory, if it had to.
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
