internal import System
internal import SystemPackage

extension DecoderProcess {
  /// Sends a job and the beginning of its file, serves the decoder's reads, and returns the body of the result.
  ///
  /// - Parameter admits: whether the job may use this many bytes of memory. Must not wait.
  /// - Throws: `.tooLarge` if it may not; the decoder is then left waiting for an answer, and cannot be used any
  ///   more.
  func run(
    _ message: WireMessage, _ body: [UInt8], expecting answer: WireMessage, source: (any MediaSource)?,
    timeout: Duration, admits: (Int) -> Bool
  ) throws(DecoderError) -> [UInt8] {
    let beginning = source.map { Piece.beginning(of: $0) }
    var deadline = Deadline(after: timeout)
    var hasAsked = false
    var failure: Errno?
    var parts: [UInt8] = []
    try send(message, body, before: deadline)
    if let beginning { try send(.beginning, beginning, before: deadline) }
    while true {
      let (kind, body) = try receive(before: deadline)
      switch kind {
      case answer:
        if let failure { throw .source(failure) }
        return parts.isEmpty ? body : parts + body
      case .part where answer == .fullMade:
        guard parts.count + body.count <= Decoder.mostFullBytes else { throw .crashed }
        parts += body
      case .failed:
        if let failure { throw .source(failure) }
        throw (try? DecoderError(decoding: body)) ?? .crashed
      case .read:
        guard let source else { throw .crashed }
        failure = try serve(body, from: source, before: &deadline).failure ?? failure
      case .admit where source != nil && !hasAsked:
        hasAsked = true
        guard let bytes = Self.memory(asked: body) else { throw .crashed }
        guard admits(bytes) else { throw .tooLarge }
        try send(.admitted, [], before: deadline)
      default: throw .crashed
      }
    }
  }

  /// The bytes of memory that the decoder asks for; nil if the request breaks the protocol.
  private static func memory(asked body: [UInt8]) -> Int? {
    var reader = ByteReader(body)
    guard let bytes = try? reader.read(Int64.self), (try? reader.finish()) != nil,
      bytes > Int64(Decoder.freeMemory)
    else { return nil }
    return Int(bytes)
  }

  /// Answers a request for a piece of the file. Returns the number of bytes sent, or why none were.
  func serve(
    _ request: [UInt8], from source: any MediaSource, before deadline: inout Deadline
  ) throws(DecoderError) -> (count: Int, failure: Errno?) {
    guard let piece = Piece(decoding: request) else { throw .crashed }
    var input: [UInt8] = [1]
    var failure: Errno?
    deadline.exclude {
      do throws(Errno) { input = [0] + (try piece.readable(from: source)) } catch { failure = error }
    }
    try send(.input, input, before: deadline)
    return (input.count - 1, failure)
  }
}

/// A piece of the file that the decoder asked for, or gets unasked.
private struct Piece {
  let offset: Int64
  let count: Int

  /// The beginning of the file. Empty if it cannot be read: the decoder then asks for the parts that it needs.
  static func beginning(of source: any MediaSource) -> [UInt8] {
    let piece = Piece(offset: 0, count: WireMessage.beginningBytes(of: source.size))
    return (try? piece.readable(from: source)) ?? []
  }

  /// Its bytes; only those of the first step if the whole cannot be read. The decoder may not need the rest, and asks
  /// for it if it does.
  func readable(from source: any MediaSource) throws(Errno) -> [UInt8] {
    do throws(Errno) {
      return try read(from: source)
    } catch {
      guard count > WireMessage.stepBytes else { throw error }
      return try Piece(offset: offset, count: WireMessage.stepBytes).read(from: source)
    }
  }

  private func read(from source: any MediaSource) throws(Errno) -> [UInt8] {
    let wanted = min(Int64(count), max(0, source.size - min(offset, source.size)))
    var bytes = [UInt8](repeating: 0, count: Int(wanted))
    var done = 0
    while done < bytes.count {
      var span = bytes.mutableSpan
      let got = try unsafe span.withUnsafeMutableBytes { (buffer) throws(Errno) in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
        return try unsafe source.read(at: offset + Int64(done), into: rest)
      }
      // The file was truncated in the meantime.
      if got <= 0 { break }
      done += got
    }
    return Array(bytes.prefix(done))
  }
}

extension Piece {
  /// Nil if the request breaks the protocol.
  init?(decoding body: [UInt8]) {
    var reader = ByteReader(body)
    guard let offset = try? reader.read(Int64.self), let count = try? reader.read(UInt32.self),
      (try? reader.finish()) != nil, offset >= 0, count <= WireMessage.mostReadBytes
    else { return nil }
    self.init(offset: offset, count: Int(count))
  }
}
