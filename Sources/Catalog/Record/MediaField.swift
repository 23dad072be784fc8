/// A fact of a photo for which sources are recorded. The numbers are stored and never change.
package enum MediaField: UInt8, Sendable, CaseIterable {
  /// The wall clock time.
  case time = 1
  /// The zone of that time.
  case zone
  case position, altitude, place
  case kind, dimensions, projection, meanColour, perceptualHash, pixelHash
  case make, model, lens, iso, exposure, aperture, focalLength
  case duration, codec, frameRate
  case title, caption, rating, favourite, tags, people, cover
  case contentIdentifier, burstIdentifier, motion, sidecar, stack
  case contentHash, edited
}
