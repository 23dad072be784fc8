package import Media

/// Makes derivatives: decoder processes do, or a stand-in.
package protocol DerivativeMaker: Sendable {
  /// How many background jobs run at once. A request that a program waits for never waits for these.
  var jobsAtOnce: Int { get }
  /// Makes JPEGs of a photo or video; see `Decoder.derive`.
  func derive(
    _ sizes: Set<DerivativeSize>, eagerly: Bool, from source: any MediaSource
  ) throws(DecoderError) -> Derivatives
  /// Makes a PNG of a JPEG; see `Decoder.png`.
  func png(from jpeg: [UInt8], longerSide: Int, text: [(String, String)]) throws(DecoderError) -> [UInt8]
  /// All facts in a file, as `FactList` encodes them; see `Decoder.facts`.
  func facts(of source: any MediaSource, small: [UInt8]?) throws(DecoderError) -> [UInt8]
  /// All facts in a sidecar, as `FactList` encodes them; see `Decoder.sidecar`.
  func sidecar(_ kind: SidecarKind, content: [UInt8]) throws(DecoderError) -> [UInt8]
  /// Makes a JPEG of full size; see `Decoder.full`.
  func full(of source: any MediaSource) throws(DecoderError) -> [UInt8]
  /// A digest of the pixels, without a key; see `Decoder.pixelDigest`.
  func pixelDigest(of source: any MediaSource) throws(DecoderError) -> [UInt8]
  /// How the decoder is confined, as text for the user.
  var confinement: String { get }
  /// Ends all jobs.
  func stop()
  /// Whether a content with these first bytes may be a photo or video; see `MediaKind.mayBegin`.
  func mayBegin(with bytes: UnsafeRawBufferPointer) -> Bool
}

extension DerivativeMaker {
  package var jobsAtOnce: Int { 1 }

  package func mayBegin(with bytes: UnsafeRawBufferPointer) -> Bool { unsafe MediaKind.mayBegin(with: bytes) }

  // A stand-in for the decoder in a test makes derivatives only.

  package func facts(of source: any MediaSource, small: [UInt8]?) throws(DecoderError) -> [UInt8] { throw .notMedia }
  package func sidecar(_ kind: SidecarKind, content: [UInt8]) throws(DecoderError) -> [UInt8] { throw .notMedia }
  package func full(of source: any MediaSource) throws(DecoderError) -> [UInt8] { throw .notMedia }
  package func pixelDigest(of source: any MediaSource) throws(DecoderError) -> [UInt8] { throw .notMedia }
}

extension Decoder: DerivativeMaker {
  package var confinement: String { "\(sandboxState)" }
}

extension DecoderPool: DerivativeMaker {
  package var confinement: String { "\(sandboxState)" }
}

/// How thumbnails are made.
package struct ThumbnailOptions: Sendable {
  /// The decoder, or a stand-in.
  package var maker: any DerivativeMaker
  /// Whether thumbnails are made only on demand.
  package var isLazy = false
  /// A file is looked at once it has not been written to for this many seconds.
  package var quietTime = 1.0

  /// Eager thumbnails with the usual quiet time.
  package init(maker: any DerivativeMaker) { self.maker = maker }
}
