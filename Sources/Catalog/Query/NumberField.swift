extension Query {
  /// A numeric field.
  package enum NumberField: UInt8, Sendable, CaseIterable {
    case rating = 1
    case size, width, height, megapixels, duration, iso, aperture, exposure, focal, altitude, fps
  }

  /// A range of numbers; a missing end is open.
  package struct NumberRange: Hashable, Sendable {
    package var lower: Double?
    package var includesLower = true
    package var upper: Double?
    package var includesUpper = true

    /// Whether a number is between the ends.
    package func contains(_ value: Double) -> Bool {
      if value.isNaN { return false }
      if let lower, includesLower ? value < lower : value <= lower { return false }
      if let upper, includesUpper ? value > upper : value >= upper { return false }
      return true
    }

    /// Whether the range is empty.
    var isEmpty: Bool {
      guard let lower, let upper else { return false }
      return lower > upper || lower == upper && !(includesLower && includesUpper)
    }
  }
}

extension Query.NumberField {
  /// The units by their suffixes, in lower case, each with its size in the field's unit. Sizes count in powers of
  /// 1024.
  var units: [(suffix: String, factor: Double)] {
    switch self {
    case .size:
      [
        ("tib", 1_099_511_627_776), ("tb", 1_099_511_627_776), ("t", 1_099_511_627_776), ("gib", 1_073_741_824),
        ("gb", 1_073_741_824), ("g", 1_073_741_824), ("mib", 1_048_576), ("mb", 1_048_576), ("m", 1_048_576),
        ("kib", 1024), ("kb", 1024), ("k", 1024), ("b", 1),
      ]
    case .duration: [("ms", 0.001), ("min", 60), ("h", 3600), ("m", 60), ("s", 1)]
    case .megapixels: [("mp", 1)]
    case .exposure: [("ms", 0.001), ("s", 1)]
    case .focal: [("mm", 1)]
    case .altitude: [("km", 1000), ("m", 1)]
    case .width, .height: [("px", 1)]
    default: []
    }
  }

  /// Prefixes of a number that are ignored.
  var prefixes: [String] { self == .aperture ? ["f/", "f"] : [] }

  /// Whether the field has only whole numbers.
  var isWhole: Bool {
    switch self {
    case .rating, .width, .height, .iso: true
    default: false
    }
  }

  /// The possible values.
  var possible: ClosedRange<Double> {
    switch self {
    case .rating: -1...5
    case .altitude: -20_000...100_000
    default: 0...1e18
    }
  }

  /// An example for messages.
  var example: String {
    switch self {
    case .rating: ">=3"
    case .size: ">10M"
    case .duration: "<60s"
    case .exposure: "1/250"
    case .aperture: "2.8"
    case .focal: "50mm"
    case .megapixels: ">=12"
    case .altitude: ">2000m"
    case .fps: ">=60"
    case .iso: "<=800"
    case .width, .height: ">=1920"
    }
  }
}
