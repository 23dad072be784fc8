extension Array {
  /// How many elements, from the first on, fulfil a condition that none behind them fulfils; found by halving.
  @inlinable package func prefixCount(while condition: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
