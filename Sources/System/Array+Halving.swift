extension Array {
  /// The number of elements at the beginning that meet a condition which no later element meets; found by bisection.
  @inlinable package func prefixCount(while condition: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
