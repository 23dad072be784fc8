package import Media

/// What makes derivatives: decoder processes, or something that stands in for them.
package protocol DerivativeMaker: Sendable {
  /// How many jobs run at once that nobody waits for. One that somebody waits for never waits for those.
  var jobsAtOnce: Int { get }
  /// Makes JPEGs of a photo or video; see `Decoder.derive`.
  func derive(
    _ sizes: Set<DerivativeSize>, eagerly: Bool, from source: any MediaSource
  ) throws(DecoderError) -> Derivatives
  /// Makes a PNG of a JPEG; see `Decoder.png`.
  func png(from jpeg: [UInt8], longerSide: Int, text: [(String, String)]) throws(DecoderError) -> [UInt8]
  /// All that a file says, as `FactList` encodes it; see `Decoder.facts`.
  func facts(of source: any MediaSource, small: [UInt8]?) throws(DecoderError) -> [UInt8]
  /// All that a sidecar says, as `FactList` encodes it; see `Decoder.sidecar`.
  func sidecar(_ kind: SidecarKind, content: [UInt8]) throws(DecoderError) -> [UInt8]
  /// Makes a JPEG of full size; see `Decoder.full`.
  func full(of source: any MediaSource) throws(DecoderError) -> [UInt8]
  /// A digest of the pixels, without a key; see `Decoder.pixelDigest`.
  func pixelDigest(of source: any MediaSource) throws(DecoderError) -> [UInt8]
  /// How it is confined, for people.
  var confinement: String { get }
  /// Ends what is under way.
  func stop()
  /// Whether a content with these first bytes may be a photo or video; see `MediaKind.mayBegin`.
  func mayBegin(with bytes: UnsafeRawBufferPointer) -> Bool
}

extension DerivativeMaker {
  package var jobsAtOnce: Int { 1 }

  package func mayBegin(with bytes: UnsafeRawBufferPointer) -> Bool { unsafe MediaKind.mayBegin(with: bytes) }

  // What stands in for the decoder in a test makes derivatives only.

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
  /// Makes them.
  package var maker: any DerivativeMaker
  /// Whether they are made only when they are asked for.
  package var isLazy = false
  /// Seconds for which a file has not been written to before work on it starts.
  package var quietTime = 1.0

  /// The usual settings.
  package init(maker: any DerivativeMaker) { self.maker = maker }
}
