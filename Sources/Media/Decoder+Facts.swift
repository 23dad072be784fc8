// The decoder's jobs other than derivatives.

extension Decoder {
  /// Most bytes of a sidecar; a larger file is not accepted as one.
  package static let mostSidecarBytes = 1 << 20
  /// Most bytes of a full-size JPEG.
  package static let mostFullBytes = 64 << 20

  /// All facts of a file, in the catalog's encoding.
  ///
  /// - Parameter small: its small derivative, from which the mean colour and the perceptual hash are computed,
  ///   because the picture itself is not decoded. Nil leaves them out.
  package func facts(of source: any MediaSource, small: [UInt8]?) throws(DecoderError) -> [UInt8] {
    guard small?.count ?? 0 <= DerivativeSize.small.mostBytes else { throw .tooLarge }
    let request = FactsRequest(fileSize: source.size, small: small ?? [])
    return try job(.facts, request.encoded, expecting: .factsMade, source: source, Self.list)
  }

  /// All facts of a sidecar, in the catalog's encoding.
  package func sidecar(_ kind: SidecarKind, content: [UInt8]) throws(DecoderError) -> [UInt8] {
    guard content.count <= Self.mostSidecarBytes else { throw .tooLarge }
    let request = SidecarRequest(kind: kind, content: content)
    return try job(.sidecar, request.encoded, expecting: .factsMade, source: nil, Self.list)
  }

  /// A JPEG of full size, upright and in sRGB, without metadata; for a raw file, of its largest preview.
  package func full(of source: any MediaSource) throws(DecoderError) -> [UInt8] {
    let request = PictureRequest(fileSize: source.size)
    return try job(.full, request.encoded, expecting: .fullMade, source: source) { bytes in
      guard bytes.count <= Self.mostFullBytes, PlainJPEG(bytes) != nil else { return nil }
      return bytes
    }
  }

  /// As above, with at most `side` pixels on the longer side; the picture is never enlarged.
  package func resized(_ source: any MediaSource, to side: Int) throws(DecoderError) -> [UInt8] {
    let request = ResizeRequest(fileSize: source.size, side: side)
    return try job(.resize, request.encoded, expecting: .fullMade, source: source) { bytes in
      guard bytes.count <= Self.mostFullBytes, let shape = PlainJPEG(bytes), max(shape.width, shape.height) <= side
      else { return nil }
      return bytes
    }
  }

  /// A file without its metadata, or without metadata that may reveal where it was taken. The pixels stay unchanged,
  /// and the picture is still shown upright.
  ///
  /// - Throws: `.undecodable` with the reason if this cannot be guaranteed for the file; `.notMedia`.
  package func stripped(_ source: any MediaSource, _ mode: StripMode) throws(DecoderError) -> ContentRecipe {
    let request = StripRequest(fileSize: source.size, mode: mode)
    let size = source.size
    return try job(.strip, request.encoded, expecting: .stripped, source: source) { bytes in
      try? ContentRecipe(decoding: bytes, size: size)
    }
  }

  /// A digest of the decoded upright pixels, their size, depth and colour profile: 32 bytes without a key. Throws for
  /// a video, a raw file and a file with several pictures.
  package func pixelDigest(of source: any MediaSource) throws(DecoderError) -> [UInt8] {
    let request = PictureRequest(fileSize: source.size)
    return try job(.pixelDigest, request.encoded, expecting: .digestMade, source: source) { bytes in
      bytes.count == 32 ? bytes : nil
    }
  }

  @Sendable private static func list(_ bytes: [UInt8]) -> [UInt8]? {
    bytes.count <= Derivatives.mostFactBytes ? bytes : nil
  }
}
