internal import CDecoder
internal import Glibc
internal import Media

/// What libvips does, in Swift's terms.
enum Picture {
  /// What a picture's header says.
  struct Header {
    var width: Int
    var height: Int
    /// EXIF's orientation, 1 to 8, by which libvips will turn it.
    var orientation: Int
    /// The EXIF block; empty if there is none.
    var exif: [UInt8]
  }

  /// Reads a header.
  static func header(_ range: InputRange) throws(DecoderError) -> Header {
    var header = unsafe agonyfs_header()
    let outcome = unsafe range.withInput { unsafe agonyfs_picture_header($0, &header) }
    let exif = unsafe take(header.exif)
    try unsafe check(outcome)
    return unsafe Header(
      width: Int(header.width), height: Int(header.height),
      orientation: (1...8).contains(header.orientation) ? Int(header.orientation) : 1, exif: exif)
  }

  /// Makes derivatives of a picture.
  ///
  /// - Parameter orientation: the orientation to turn it by; nil for the picture's own.
  static func derive(
    _ range: InputRange, orientation: Int?, _ sizes: Set<DerivativeSize>, _ facts: MediaFacts
  ) throws(DecoderError) -> Derivatives {
    try unsafe derivatives(sizes, facts) { made in
      unsafe range.withInput { unsafe agonyfs_picture_derive($0, Int32(orientation ?? 0), made) }
    }
  }

  /// Makes a PNG of a JPEG.
  static func png(_ request: PNGRequest) throws(DecoderError) -> [UInt8] {
    var png = unsafe agonyfs_bytes()
    let outcome = unsafe agonyfs_make_png(request.jpeg, request.jpeg.count, Int32(request.longerSide), &png)
    let bytes = unsafe take(png)
    try unsafe check(outcome)
    return bytes
  }

  /// Calls a function that makes JPEGs, unless there is none to make.
  static func derivatives(
    _ sizes: Set<DerivativeSize>, _ facts: MediaFacts,
    _ make: (UnsafeMutablePointer<agonyfs_derivatives>) -> agonyfs_outcome
  ) throws(DecoderError) -> Derivatives {
    if sizes.isEmpty { return Derivatives(facts: facts, small: nil, large: nil) }
    var made = unsafe agonyfs_derivatives()
    unsafe made.wants_small = sizes.contains(.small)
    unsafe made.wants_large = sizes.contains(.large)
    let outcome = unsafe make(&made)
    let (small, large) = unsafe (take(made.small), take(made.large))
    try unsafe check(outcome)
    return Derivatives(facts: facts, small: small.isEmpty ? nil : small, large: large.isEmpty ? nil : large)
  }

  /// Throws the error of a call.
  static func check(_ outcome: agonyfs_outcome) throws(DecoderError) {
    switch unsafe outcome.status {
    case AGONYFS_DONE: return
    case AGONYFS_TOO_LARGE: throw .tooLarge
    case AGONYFS_NO_VIDEO: throw .undecodable("no moving pictures")
    default: throw unsafe .undecodable(String(cString: outcome.reason))
    }
  }

  /// Copies bytes that C allocated, and frees them.
  private static func take(_ bytes: agonyfs_bytes) -> [UInt8] {
    defer { unsafe free(bytes.bytes) }
    return unsafe Array(UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.count))
  }
}
