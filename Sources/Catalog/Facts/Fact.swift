package import Media

/// One fact from a file or a sidecar, and the part that states it.
package struct Fact: Sendable, Equatable {
  package var source: FactSource
  package var value: FactValue
  /// Takes both.
  package init(_ value: FactValue, from source: FactSource) {
    self.value = value
    self.source = source
  }
}

/// The facts that a file can state about a photo or video.
package enum FactValue: Sendable, Equatable {
  case time(TimeCandidate.Value)
  case position(Position)
  /// Metres above the sea.
  case altitude(Double)
  case projection(MediaItem.Projection)
  case kind(MediaKind)
  /// Pixels of the upright picture.
  case dimensions(width: Int, height: Int)
  case meanColour(MediaItem.Colour)
  case perceptualHash(UInt64)
  /// 32 bytes without a key; the caller applies the key before it stores them.
  case pixelDigest([UInt8])
  case make(String), model(String), lens(String)
  case iso(Int)
  /// Seconds.
  case exposure(Double)
  /// The f-number.
  case aperture(Double)
  /// Millimetres.
  case focalLength(Double)
  /// Seconds.
  case duration(Double)
  case codec(String)
  /// Frames in a second.
  case frameRate(Double)
  case title(String), caption(String)
  /// −1 to 5.
  case rating(Int)
  /// 0 to 10.
  case halfStars(Int)
  case favourite(Bool)
  case tags([String]), people([String])
  case contentIdentifier(String), burstIdentifier(String)
  /// The bytes of the file that contain the video of a motion photo.
  case motion(Range<UInt64>)
  case edited(Bool)
  /// The name of the file that a sidecar describes, as the sidecar states it.
  case mediaName(String)
  /// The extension of the file that a sidecar describes, without its dot.
  case mediaEnding(String)

  /// The kind of a fact. The numbers are stored and never change.
  package enum Subject: UInt8, Sendable, CaseIterable {
    case time = 1
    case position, altitude, projection, kind, dimensions, meanColour, perceptualHash, pixelDigest
    case make, model, lens, iso, exposure, aperture, focalLength, duration, codec, frameRate
    case title, caption, rating, halfStars, favourite, tags, people, contentIdentifier, burstIdentifier
    case motion, edited, mediaName, mediaEnding
  }

  /// The kind of the fact.
  package var subject: Subject {
    switch self {
    case .time: .time
    case .position: .position
    case .altitude: .altitude
    case .projection: .projection
    case .kind: .kind
    case .dimensions: .dimensions
    case .meanColour: .meanColour
    case .perceptualHash: .perceptualHash
    case .pixelDigest: .pixelDigest
    case .make: .make
    case .model: .model
    case .lens: .lens
    case .iso: .iso
    case .exposure: .exposure
    case .aperture: .aperture
    case .focalLength: .focalLength
    case .duration: .duration
    case .codec: .codec
    case .frameRate: .frameRate
    case .title: .title
    case .caption: .caption
    case .rating: .rating
    case .halfStars: .halfStars
    case .favourite: .favourite
    case .tags: .tags
    case .people: .people
    case .contentIdentifier: .contentIdentifier
    case .burstIdentifier: .burstIdentifier
    case .motion: .motion
    case .edited: .edited
    case .mediaName: .mediaName
    case .mediaEnding: .mediaEnding
    }
  }
}
