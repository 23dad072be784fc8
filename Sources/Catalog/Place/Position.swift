internal import Glibc

/// A point on the globe.
package struct Position: Hashable, Sendable {
  /// Degrees north, −90 to 90.
  package let latitude: Double
  /// Degrees east, −180 to 180.
  package let longitude: Double

  /// Nil outside the globe and for NaN. Also nil for 0, 0, which devices write if they do not know the position.
  package init?(latitude: Double, longitude: Double) {
    guard latitude != 0 || longitude != 0 else { return nil }
    self.init(point: latitude, longitude)
  }

  /// As above, but 0, 0 is a point: a person may ask for photos near it.
  package init?(point latitude: Double, _ longitude: Double) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Metres along the globe, taken as a sphere; within 0.6 % of the true distance.
  package func distance(to other: Position) -> Double {
    let one = latitude * .pi / 180
    let two = other.latitude * .pi / 180
    let northward = sin((two - one) / 2)
    let eastward = sin((other.longitude - longitude) * .pi / 360)
    let square = northward * northward + cos(one) * cos(two) * eastward * eastward
    return 2 * Self.radius * asin(min(1, square.squareRoot()))
  }

  /// The Earth's mean radius in metres.
  package static let radius = 6_371_008.8

  /// The point on a sphere of radius 1.
  var direction: SIMD3<Double> {
    let one = latitude * .pi / 180
    let two = longitude * .pi / 180
    return SIMD3(cos(one) * cos(two), cos(one) * sin(two), sin(one))
  }
}
