// Invariants
// 1. `tree`, `axes`, `reach` and the columns of `towns` have one entry for each town, in the order of the tree.
// 2. The tree of a range is the town in its middle, the tree of the towns before it, and the tree of those after it;
//    those before are not above it along its axis, those after not below.
// 3. `reach` is the greatest radius in the tree of which the town is the middle.

/// Towns of the world, found by position. It holds about 60 bytes for each town.
///
/// A town is not a point, and the centre of a small town beside a large one is often nearer to a place in the large one.
/// So what counts is the distance to the edge of the town, taken as a disc whose area is in proportion to the people.
package struct Gazetteer: Sendable {
  /// Farthest town, in metres, after which a photo is named.
  package static let namingDistance = 100_000.0
  /// Farthest town, in metres, whose zone counts. In the outback zones go on where towns do not.
  package static let zoneDistance = 300_000.0

  /// A town within reach.
  package struct Neighbour: Hashable, Sendable {
    package var place: Place
    /// To the centre, in metres.
    package var distance: Double
  }

  let tree: [SIMD3<Float>]
  let axes: [UInt8]
  let reach: [Float]
  let towns: TownTable
  /// Lines of the table of towns that were no town: malformed, or a part of a town, or a ruin.
  package let skippedLines: Int

  /// How many towns there are.
  package var count: Int { tree.count }

  /// The town in which a position is, or the next one, within `limit` metres of its edge.
  package func nearest(to position: Position, within limit: Double = zoneDistance) -> Neighbour? {
    let target = SIMD3<Float>(position.direction)
    var best: (index: Int, score: Float) = (-1, Float(limit / Position.radius))
    search(0..<tree.count, target, &best)
    guard best.index >= 0, let centre = Position(point: towns.latitudes[best.index], towns.longitudes[best.index])
    else { return nil }
    return Neighbour(place: towns.place(best.index), distance: centre.distance(to: position))
  }

  /// The name of the place of a photo; nil far from every town.
  package func place(at position: Position) -> Place? { nearest(to: position, within: Self.namingDistance)?.place }

  /// The zone of a position, by its name; nil far from every town, and if the table says none.
  package func zone(at position: Position) -> String? {
    nearest(to: position).flatMap { ZoneName.isValid($0.place.zone) ? $0.place.zone : nil }
  }

  /// The place with a number that is stored.
  package func place(id: UInt32) -> Place? { towns.index(of: id).map(towns.place) }

  /// The distance to the edge, in radii of the Earth; less than 0 inside.
  func score(_ index: Int, _ target: SIMD3<Float>) -> Float {
    let difference = tree[index] - target
    return (difference * difference).sum().squareRoot() - towns.radii[index]
  }

  private func search(_ range: Range<Int>, _ target: SIMD3<Float>, _ best: inout (index: Int, score: Float)) {
    if range.isEmpty { return }
    let middle = (range.lowerBound + range.upperBound) / 2
    let score = score(middle, target)
    if score < best.score || score == best.score && best.index >= 0 && towns.ids[middle] < towns.ids[best.index] {
      best = (middle, score)
    }
    let axis = Int(axes[middle])
    let offset = target[axis] - tree[middle][axis]
    let (low, high) = (range.lowerBound..<middle, (middle + 1)..<range.upperBound)
    let (near, far) = offset < 0 ? (low, high) : (high, low)
    search(near, target, &best)
    if far.isEmpty { return }
    if abs(offset) - reach[(far.lowerBound + far.upperBound) / 2] <= best.score { search(far, target, &best) }
  }
}
