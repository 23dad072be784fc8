internal import Media

/// Where something was taken.
struct Place {
  var latitude: Double
  var longitude: Double

  /// Nil if impossible, or 0, 0, which devices write if they do not know.
  init?(latitude: Double, longitude: Double) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude), latitude != 0 || longitude != 0 else {
      return nil
    }
    self.latitude = latitude
    self.longitude = longitude
  }

  /// "+48.8577+002.2950/" in degrees, as phones write it (ISO 6709, annex H).
  init?(iso6709 text: [UInt8]) {
    var numbers: [[UInt8]] = []
    for byte in text {
      switch byte {
      case 0x2b, 0x2d: numbers.append([byte])
      case 0x30...0x39, 0x2e: if !numbers.isEmpty { numbers[numbers.count - 1].append(byte) }
      default: if !numbers.isEmpty { numbers.append([]) }
      }
      if numbers.count > 4 { break }
    }
    let values = numbers.map { Double(String(decoding: $0, as: UTF8.self)) }
    guard values.count >= 2, let latitude = values[0], let longitude = values[1] else { return nil }
    self.init(latitude: latitude, longitude: longitude)
  }
}

extension MediaFacts {
  /// Sets the time if it is possible.
  mutating func set(_ time: CaptureTime?) {
    guard let time, Self.isPossible(captureSeconds: time.seconds) else { return }
    captureSeconds = time.seconds
    captureOffsetMinutes = time.offsetMinutes.flatMap { (-1080...1080).contains($0) ? $0 : nil }
  }

  /// Sets the place if there is one.
  mutating func set(_ place: Place?) {
    guard let place else { return }
    latitude = place.latitude
    longitude = place.longitude
  }

  /// A text without unprintable characters and surrounding space, cut to the allowed length; nil if nothing is left.
  static func tidy(_ bytes: some Sequence<UInt8>) -> String? {
    var kept = String(decoding: bytes.prefix { $0 != 0 }.prefix(4 * mostTextBytes), as: UTF8.self).unicodeScalars.filter
    {
      $0.properties.generalCategory != .control && $0 != "\u{fffd}"
    }
    while let last = kept.last, last.properties.isWhitespace { kept.removeLast() }
    while let first = kept.first, first.properties.isWhitespace { kept.removeFirst() }
    while String(kept).utf8.count > mostTextBytes { kept.removeLast() }
    let text = String(kept)
    return isPossible(text: text) ? text : nil
  }
}
