internal import CDecoder
internal import Glibc
internal import Media

/// What libav does, in Swift's terms.
enum Video {
  /// Pixels of a frame, at most: 16384 × 8640.
  private static let mostPixels: Int64 = 16384 * 8640

  /// Reads a video's facts and makes derivatives of a frame near its start that is neither dark nor of one shade.
  static func derive(
    _ input: FileInput, kind: MediaKind, _ sizes: Set<DerivativeSize>
  ) throws(DecoderError) -> Derivatives {
    var video = unsafe agonyfs_video()
    let side = (sizes.max { $0.longerSide < $1.longerSide } ?? .small).longerSide
    let outcome = unsafe InputRange(input).withInput {
      unsafe agonyfs_video_read($0, container(kind), Int32(side), mostPixels, &video)
    }
    defer { unsafe free(video.pixels) }
    try unsafe Picture.check(outcome)
    return try unsafe Picture.derivatives(sizes, facts(kind, video)) { made in
      unsafe agonyfs_pixels_derive(video.pixels, video.pixel_width, video.pixel_height, video.orientation, made)
    }
  }

  /// The name of a container's reader.
  private static func container(_ kind: MediaKind) -> String {
    switch kind {
    case .matroska, .webM: "matroska"
    case .avi: "avi"
    default: "mov"
    }
  }

  private static func facts(_ kind: MediaKind, _ video: agonyfs_video) -> MediaFacts {
    var facts = unsafe MediaFacts(
      kind: kind, width: Int(video.width), height: Int(video.height), orientation: Int(video.orientation))
    // The camera's time with its zone is better than the container's time, which is UTC or should be.
    let time = unsafe CaptureTime(iso8601: text(video.local_creation)) ?? CaptureTime(iso8601: text(video.creation))
    facts.set(time)
    facts.set(unsafe Place(iso6709: text(video.location)))
    facts.cameraMake = unsafe MediaFacts.tidy(text(video.make))
    facts.cameraModel = unsafe MediaFacts.tidy(text(video.model))
    facts.codec = unsafe MediaFacts.tidy(text(video.codec))
    if unsafe video.duration >= 0 { facts.duration = unsafe video.duration }
    return facts
  }

  /// A C array of characters, up to its zero.
  private static func text<T>(_ characters: T) -> [UInt8] {
    unsafe withUnsafeBytes(of: characters) { unsafe Array($0.prefix { $0 != 0 }) }
  }
}
