internal import Media

/// A job that makes derivatives.
struct DeriveJob {
  private let request: DeriveRequest
  private let input: FileInput

  init(_ request: DeriveRequest) {
    self.request = request
    input = FileInput(size: request.fileSize)
  }

  /// Does it.
  func run() throws(JobError) -> Derivatives {
    guard let start = input.bytes(at: 0, count: Signature.bytes), let kind = Signature.kind(of: start) else {
      throw JobError(failure: .notMedia)
    }
    return try picture(kind)
  }

  /// What is to be made now.
  private func sizes(_ kind: MediaKind) -> Set<DerivativeSize> {
    request.eagerly && kind.isLazy ? request.sizes.subtracting([.large]) : request.sizes
  }

  private func picture(_ kind: MediaKind) throws(JobError) -> Derivatives {
    let range = InputRange(input)
    let header = try Picture.header(range)
    let isTurned = header.orientation > 4
    let facts = MediaFacts(
      kind: kind, width: isTurned ? header.height : header.width, height: isTurned ? header.width : header.height,
      orientation: header.orientation)
    let wanted = sizes(kind)
    if wanted.isEmpty { return Derivatives(facts: facts, small: nil, large: nil) }
    let made = try Picture.derive(range, orientation: nil, wanted)
    return Derivatives(facts: facts, small: made.small, large: made.large)
  }
}
