internal import CDecoder
internal import Catalog
internal import Glibc
internal import Media

/// The functions of libvips, with Swift types and errors.
enum Picture {
  /// The properties in a picture's header.
  struct Header {
    var width: Int
    var height: Int
    /// The orientation in EXIF, from 1 to 8. libvips turns the picture by it.
    var orientation: Int
    /// The maximum memory in bytes to make a derivative, and the bytes of all pixels, which a full-size job keeps.
    var memory, wholeMemory: Int64
    /// The metadata blocks; empty if missing.
    var exif, xmp, iptc: [UInt8]
  }

  static func header(_ range: InputRange) throws(DecoderError) -> Header {
    var header = unsafe agonyfs_header()
    let outcome = unsafe range.withInput { unsafe agonyfs_picture_header($0, &header) }
    let (exif, xmp, iptc) = unsafe (take(header.exif), take(header.xmp), take(header.iptc))
    try unsafe check(outcome)
    return unsafe Header(
      width: Int(header.width), height: Int(header.height),
      orientation: (1...8).contains(header.orientation) ? Int(header.orientation) : 1, memory: header.memory,
      wholeMemory: header.whole_memory, exif: exif, xmp: xmp, iptc: iptc)
  }

  /// Decodes a picture once and makes all derivatives from it.
  ///
  /// - Parameters:
  ///   - orientation: the orientation by which to turn the picture; nil for the one in its EXIF.
  ///   - eagerly: whether to skip the large derivative if a thumbnail in the file suffices for the small one.
  static func derive(
    _ range: InputRange, orientation: Int?, _ sizes: Set<DerivativeSize>, eagerly: Bool = false, _ facts: MediaFacts
  ) throws(DecoderError) -> Derivatives {
    try unsafe derivatives(sizes, facts) { made in
      unsafe made.pointee.may_lack_large = eagerly
      return unsafe range.withInput { unsafe agonyfs_picture_derive($0, Int32(orientation ?? 0), made) }
    }
  }

  /// Converts a JPEG to a PNG.
  static func png(_ request: PNGRequest) throws(DecoderError) -> [UInt8] {
    var png = unsafe agonyfs_bytes()
    let outcome = unsafe agonyfs_make_png(request.jpeg, request.jpeg.count, Int32(request.longerSide), &png)
    let bytes = unsafe take(png)
    try unsafe check(outcome)
    return bytes
  }

  /// Makes a JPEG of full size, or with at most `side` pixels on the longer side.
  static func full(_ range: InputRange, orientation: Int?, side: Int? = nil) throws(DecoderError) -> [UInt8] {
    var made = unsafe agonyfs_bytes()
    let outcome = unsafe range.withInput {
      unsafe agonyfs_picture_full($0, Int32(orientation ?? 0), Int32(side ?? 0), &made)
    }
    let bytes = unsafe take(made)
    try unsafe check(outcome)
    if bytes.count > Decoder.mostFullBytes { throw .tooLarge }
    return bytes
  }

  /// Makes a JPEG from pixels of three bytes each.
  static func full(
    pixels: UnsafePointer<UInt8>?, _ width: Int, _ height: Int
  ) throws(DecoderError) -> [UInt8] {
    var made = unsafe agonyfs_bytes()
    let outcome = unsafe agonyfs_pixels_full(pixels, Int32(width), Int32(height), &made)
    let bytes = unsafe take(made)
    try unsafe check(outcome)
    if bytes.count > Decoder.mostFullBytes { throw .tooLarge }
    return bytes
  }

  /// The cover picture in the tag of an MP3; empty if it is missing.
  static func cover(_ range: InputRange) throws(DecoderError) -> [UInt8] {
    var cover = unsafe agonyfs_bytes()
    let outcome = unsafe range.withInput { unsafe agonyfs_cover_read($0, &cover) }
    let bytes = unsafe take(cover)
    try unsafe check(outcome)
    return bytes
  }

  static func digest(_ range: InputRange) throws(DecoderError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    let outcome = unsafe range.withInput { unsafe agonyfs_picture_digest($0, &digest) }
    try unsafe check(outcome)
    return digest
  }

  /// Adds the mean colour and the hash of a small derivative.
  static func addLook(of small: [UInt8], to list: inout FactList) throws(DecoderError) {
    var look = agonyfs_look()
    let outcome = unsafe agonyfs_look_at(small, small.count, Int32(DerivativeSize.small.longerSide), &look)
    try unsafe check(outcome)
    let colour = MediaItem.Colour(red: look.colour.0, green: look.colour.1, blue: look.colour.2)
    list.add(.meanColour(colour), from: .pixels)
    list.add(.perceptualHash(look.hash), from: .pixels)
  }

  /// Makes derivatives with a C function, unless no size is requested. The small one is always made, for the look.
  static func derivatives(
    _ sizes: Set<DerivativeSize>, _ facts: MediaFacts,
    _ make: (UnsafeMutablePointer<agonyfs_derivatives>) -> agonyfs_outcome
  ) throws(DecoderError) -> Derivatives {
    if sizes.isEmpty { return Derivatives(facts: facts, small: nil, large: nil) }
    var made = unsafe agonyfs_derivatives()
    // The look is measured in the small derivative.
    unsafe made.wants_small = true
    unsafe made.wants_large = sizes.contains(.large)
    let outcome = unsafe make(&made)
    let (small, large) = unsafe (take(made.small), take(made.large))
    try unsafe check(outcome)
    return Derivatives(facts: facts, small: small.isEmpty ? nil : small, large: large.isEmpty ? nil : large)
  }

  /// Throws if a C function failed.
  static func check(_ outcome: agonyfs_outcome) throws(DecoderError) {
    switch unsafe outcome.status {
    case AGONYFS_DONE: return
    case AGONYFS_TOO_LARGE: throw .tooLarge
    case AGONYFS_NO_VIDEO: throw .undecodable("it does not contain a video")
    default: throw unsafe .undecodable(String(cString: outcome.reason))
    }
  }

  /// Copies bytes that C allocated, and frees the original.
  private static func take(_ bytes: agonyfs_bytes) -> [UInt8] {
    defer { unsafe free(bytes.bytes) }
    return unsafe Array(UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.count))
  }
}
