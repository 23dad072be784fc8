extension Gazetteer {
  /// Builds the tree of towns.
  init(_ table: TownTable, skippedLines: Int) {
    let points = table.ids.indices.map { index in
      Position(point: table.latitudes[index], table.longitudes[index]).map { SIMD3<Float>($0.direction) } ?? .zero
    }
    var builder = Builder(
      points: points, radii: table.radii, order: Array(points.indices), axes: .init(repeating: 0, count: points.count),
      reach: .init(repeating: 0, count: points.count))
    _ = builder.build(0..<points.count)
    tree = builder.order.map { points[$0] }
    axes = builder.axes
    reach = builder.reach
    towns = table.reordered(builder.order)
    self.skippedLines = skippedLines
  }

  private struct Builder {
    let points: [SIMD3<Float>]
    let radii: [Float]
    var order: [Int]
    var axes: [UInt8]
    var reach: [Float]

    /// Orders a range; returns its greatest radius. Ranges are halved, so the depth is the logarithm of their length.
    mutating func build(_ range: Range<Int>) -> Float {
      if range.isEmpty { return -1 }
      var low = points[order[range.lowerBound]]
      var high = low
      for place in range {
        low = pointwiseMin(low, points[order[place]])
        high = pointwiseMax(high, points[order[place]])
      }
      let spread = high - low
      let axis = spread.x >= spread.y && spread.x >= spread.z ? 0 : spread.y >= spread.z ? 1 : 2
      let middle = (range.lowerBound + range.upperBound) / 2
      select(middle, in: range, axis)
      axes[middle] = UInt8(axis)
      let before = build(range.lowerBound..<middle)
      let after = build((middle + 1)..<range.upperBound)
      let most = max(radii[order[middle]], before, after)
      reach[middle] = most
      return most
    }

    /// Moves into a place the town that a sort along the axis would put there, with smaller ones before it.
    private mutating func select(_ place: Int, in range: Range<Int>, _ axis: Int) {
      var low = range.lowerBound
      var high = range.upperBound - 1
      while low < high {
        // The middle as pivot: tables are often sorted, and equal values are split evenly.
        let pivot = points[order[(low + high) / 2]][axis]
        var left = low
        var right = high
        while left <= right {
          while points[order[left]][axis] < pivot { left += 1 }
          while points[order[right]][axis] > pivot { right -= 1 }
          if left <= right {
            order.swapAt(left, right)
            left += 1
            right -= 1
          }
        }
        if place <= right {
          high = right
        } else if place >= left {
          low = left
        } else {
          return
        }
      }
    }
  }
}
