internal import System
internal import SystemPackage

/// The messages of one job.
struct Exchange {
  let process: DecoderProcess
  let timeout: Duration

  /// Sends a job, serves the decoder's reads of the file, and returns the body of the result.
  func run(
    _ message: WireMessage, _ body: [UInt8], expecting answer: WireMessage, source: (any MediaSource)?
  ) throws(DecoderError) -> [UInt8] {
    var deadline = Deadline(after: timeout)
    var failure: Errno?
    try process.send(message, body, before: deadline)
    while true {
      let (kind, body) = try process.receive(before: deadline)
      switch kind {
      case answer:
        if let failure { throw .source(failure) }
        return body
      case .failed:
        if let failure { throw .source(failure) }
        throw Self.reason(body)
      case .read:
        guard let source, let piece = Piece(decoding: body) else { throw .crashed }
        switch deadline.excluding({ piece.read(from: source) }) {
        case .success(let bytes): try process.send(.input, [0] + bytes, before: deadline)
        case .failure(let error):
          failure = error
          try process.send(.input, [1], before: deadline)
        }
      default: throw .crashed
      }
    }
  }

  private static func reason(_ body: [UInt8]) -> DecoderError {
    switch try? WireFailure(decoding: body) {
    case .notMedia: .notMedia
    case .tooLarge: .tooLarge
    case .undecodable(let reason): .undecodable(reason)
    case nil: .crashed
    }
  }
}

/// A piece of the file that the decoder asked for.
private struct Piece {
  let offset: Int64
  let count: Int

  /// Nil if the request breaks the rules.
  init?(decoding body: [UInt8]) {
    var reader = ByteReader(body)
    guard let offset = try? reader.read(Int64.self), let count = try? reader.read(UInt32.self),
      (try? reader.finish()) != nil, offset >= 0, count <= WireMessage.mostReadBytes
    else { return nil }
    self.offset = offset
    self.count = Int(count)
  }

  func read(from source: any MediaSource) -> Result<[UInt8], Errno> {
    let wanted = min(Int64(count), max(0, source.size - min(offset, source.size)))
    var bytes = [UInt8](repeating: 0, count: Int(wanted))
    var done = 0
    do throws(Errno) {
      while done < bytes.count {
        let from = done
        let got = try unsafe bytes.withUnsafeMutableBytes { (buffer) -> Result<Int, Errno> in
          let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[from...])
          do throws(Errno) {
            return .success(try unsafe source.read(at: offset + Int64(from), into: rest))
          } catch {
            return .failure(error)
          }
        }.get()
        // The file was truncated meanwhile.
        if got <= 0 { break }
        done += got
      }
    } catch {
      return .failure(error)
    }
    return .success(Array(bytes.prefix(done)))
  }
}
