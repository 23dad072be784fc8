// Invariants
// 1. `tree`, `axes`, `reach` and the columns of `towns` have one entry for each town, in the order of the tree.
// 2. The tree of a range consists of the town in its middle, the tree of the towns before it, and the tree of those
//    after it; along the middle's axis the towns before it are not above it, and those after it not below.
// 3. `reach` is the greatest radius in the tree whose middle the town is.

/// The towns of the world, found by position, in about 60 bytes for each town.
///
/// A town is not a point: the centre of a small town next to a large one is often nearer to a place inside the large
/// one. So the distance is measured to the edge of the town, taken as a disc whose area is proportional to its
/// population.
package struct Gazetteer: Sendable {
  /// A photo gets the name of a town up to this distance, in metres.
  package static let namingDistance = 100_000.0
  /// A town's zone applies up to this distance, in metres. In the outback a zone extends far beyond its towns.
  package static let zoneDistance = 300_000.0

  /// A town within reach.
  package struct Neighbour: Hashable, Sendable {
    package var place: Place
    /// The distance to its centre, in metres.
    package var distance: Double
  }

  let tree: [SIMD3<Float>]
  let axes: [UInt8]
  let reach: [Float]
  let towns: TownTable
  /// Lines of the table of towns that were skipped: malformed, a part of a town, or a ruin.
  package let skippedLines: Int

  /// The number of towns.
  package var count: Int { tree.count }

  /// The town that contains a position, or the nearest one, within `limit` metres of its edge.
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

  /// The name of the zone of a position; nil far from every town, and if the table lacks it.
  package func zone(at position: Position) -> String? {
    nearest(to: position).flatMap { ZoneName.isValid($0.place.zone) ? $0.place.zone : nil }
  }

  /// The place with a stored number.
  package func place(id: UInt32) -> Place? { towns.index(of: id).map(towns.place) }

  /// The distance to the town's edge, in radii of the Earth; negative inside.
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
