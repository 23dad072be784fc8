internal import System
internal import SystemPackage

/// The client's side of reading one archive.
///
/// 1. The decoder sends only answers: after each question one entry, one piece or one end. So no messages pile up,
///    and the client holds one at a time.
/// 2. The client counts the bytes of the archive and of its contents itself: no number from the decoder counts as a
///    limit.
struct ArchiveExchange {
  private let process: DecoderProcess
  private let source: any MediaSource
  private let limits: ArchiveLimits
  private let timeout: Duration
  /// Bytes of the archive that were read. A byte read twice counts twice.
  private var packed: Int64 = 0
  /// Bytes of all entries, including skipped ones and headers.
  private var unpacked: Int64 = 0
  /// Bytes of all entries that were delivered.
  private var given: Int64 = 0

  /// The cost of an entry, at least.
  private static let headerBytes: Int64 = 512

  init(process: DecoderProcess, source: any MediaSource, limits: ArchiveLimits, timeout: Duration) {
    self.process = process
    self.source = source
    self.limits = limits
    self.timeout = timeout
  }

  /// Reads the archive to its end, or until the caller stops.
  mutating func run(_ take: (ArchiveEvent) -> ArchiveStep) throws(DecoderError) -> ArchiveVerdict {
    var answer = try ask(.archive, PictureRequest(fileSize: source.size).encoded)
    while answer.message != .archiveEnd {
      guard answer.message == .entry, let entry = try? ArchiveEntry(decoding: answer.body) else { throw .crashed }
      unpacked += Self.headerBytes
      if let excess { return excess }
      let step = take(.entry(entry))
      if step == .stop { return .skipped }
      if entry.kind == .file, let end = try data(of: entry, step, take) { return end }
      answer = try ask(.next, [0])
    }
    switch try Self.verdict(answer.body) {
    case .skipped, .encrypted, .tooLarge: throw .crashed
    case let verdict: return verdict
    }
  }

  /// Reads the data of an entry. Returns the archive's verdict if that ended, too.
  private mutating func data(
    of entry: ArchiveEntry, _ first: ArchiveStep, _ take: (ArchiveEvent) -> ArchiveStep
  ) throws(DecoderError) -> ArchiveVerdict? {
    let start = packed
    var (count, step, hasEnded) = (Int64(0), first, false)
    while true {
      var answer = try ask(.next, [step == .skip ? 1 : 0])
      if answer.message == .piece, step == .proceed {
        guard let isLast = answer.body.popLast(), isLast <= 1,
          (1...WireMessage.mostPieceBytes).contains(answer.body.count)
        else { throw .crashed }
        count += Int64(answer.body.count)
        unpacked += Int64(answer.body.count)
        given += Int64(answer.body.count)
        if let excess = given > limits.mostBytes ? .tooLarge("the archive holds more than allowed") : excess {
          _ = take(.end(excess))
          return excess
        }
        if let refusal = refusal(of: entry, count, from: packed - start) {
          hasEnded = true
          step = take(.end(refusal)) == .stop ? .stop : .skip
        } else {
          step = take(.piece(answer.body))
        }
        if step == .stop { return .skipped }
        if isLast == 0 { continue }
        answer = try receive(before: Deadline(after: timeout))
        guard answer.message == .entryEnd else { throw .crashed }
      }
      switch answer.message {
      case .skipped where step == .skip:
        var reader = ByteReader(answer.body)
        guard let left = try? reader.read(UInt32.self), (try? reader.finish()) != nil, left > 0,
          left <= WireMessage.mostSkippedBytes
        else { throw .crashed }
        unpacked += Int64(left)
        if let excess {
          if !hasEnded { _ = take(.end(excess)) }
          return excess
        }
      case .entryEnd:
        var verdict = try Self.verdict(answer.body)
        if step == .skip { verdict = .skipped }
        if verdict == .skipped, step != .skip { throw .crashed }
        if verdict == .whole, count != entry.size ?? count { verdict = .damaged("shorter than its header says") }
        return !hasEnded && take(.end(verdict)) == .stop ? .skipped : nil
      default: throw .crashed
      }
    }
  }

  /// Why no more of an entry is delivered.
  private func refusal(of entry: ArchiveEntry, _ count: Int64, from read: Int64) -> ArchiveVerdict? {
    if count > entry.size ?? .max { return .damaged("longer than its header says") }
    if count > limits.mostEntryBytes { return .tooLarge("the entry is larger than allowed") }
    return limits.isBomb(count, from: read)
      ? .tooLarge("the entry holds more than \(limits.mostRatio) times its packed size") : nil
  }

  /// Why nothing more of the archive is read.
  private var excess: ArchiveVerdict? {
    limits.isBomb(unpacked, from: source.size)
      ? .tooLarge("the archive holds more than \(limits.mostRatio) times its size") : nil
  }

  private static func verdict(_ body: [UInt8]) throws(DecoderError) -> ArchiveVerdict {
    guard let verdict = try? ArchiveVerdict(decoding: body) else { throw .crashed }
    return verdict
  }

  /// Sends a question and waits for its answer. Each question has the whole time of a job.
  private mutating func ask(
    _ question: WireMessage, _ body: [UInt8]
  ) throws(DecoderError) -> (message: WireMessage, body: [UInt8]) {
    let deadline = Deadline(after: timeout)
    try process.send(question, body, before: deadline)
    return try receive(before: deadline)
  }

  /// Serves the decoder's reads until it sends another message.
  private mutating func receive(before end: Deadline) throws(DecoderError) -> (message: WireMessage, body: [UInt8]) {
    var deadline = end
    while true {
      let (message, body) = try process.receive(before: deadline)
      switch message {
      case .failed: throw (try? DecoderError(decoding: body)) ?? .crashed
      case .read:
        let served = try process.serve(body, from: source, before: &deadline)
        if let failure = served.failure { throw .source(failure) }
        packed += Int64(served.count)
      default: return (message, body)
      }
    }
  }
}
