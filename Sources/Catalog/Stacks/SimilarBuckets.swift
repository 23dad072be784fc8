// Invariants
// 1. If two hashes differ in at most six bits, they differ in at most one bit of one of the first three bands, or not
//    at all in the last: otherwise they would differ in 2 + 2 + 2 + 1 bits.
// 2. Numbers in a bucket ascend, so a number before a leader need not be looked at again: it leads a group, or is in
//    one.

/// Different hashes by the value of each band: 25 bytes for each hash, and 1.6 MB.
struct SimilarBuckets {
  /// The bits of each band.
  private static let widths = [17, 17, 17, 13]
  /// The band that must be equal if none of the other bands is nearly equal.
  private static let exactBand = 3

  /// The bits are in another order, which leaves distances unchanged.
  private let hashes: [UInt64]
  private var isTaken: [Bool]
  private var starts: [[Int32]] = []
  private var lists: [[Int32]] = []

  /// Takes hashes; `next` has for each the number of the next equal one. Only the first of equal hashes is in a
  /// bucket; `count` is the number of different hashes.
  init(_ given: consuming [UInt64], _ next: [Int32], _ count: Int) {
    Self.spread(&given)
    let hashes = given
    self.hashes = hashes
    isTaken = .init(repeating: false, count: hashes.count)
    for number in next where number >= 0 { isTaken[Int(number)] = true }
    for band in Self.widths.indices {
      // A counting sort: the numbers of one value are next to each other.
      var starts = [Int32](repeating: 0, count: 1 << Self.widths[band] + 1)
      for number in hashes.indices where !isTaken[number] { starts[Self.value(hashes[number], band) + 1] += 1 }
      for value in 1..<starts.count { starts[value] += starts[value - 1] }
      var ends = starts
      var list = [Int32](repeating: 0, count: count)
      for number in hashes.indices where !isTaken[number] {
        let value = Self.value(hashes[number], band)
        list[Int(ends[value])] = Int32(number)
        ends[value] += 1
      }
      self.starts.append(starts)
      lists.append(list)
    }
  }

  /// Distributes the bits that vary most evenly over the bands. In smooth pictures neighbouring bits are equal, and a
  /// band with only such bits would have a single bucket.
  private static func spread(_ hashes: inout [UInt64]) {
    var ones = [Int](repeating: 0, count: 64)
    for hash in hashes { for bit in 0..<64 { ones[bit] += Int(hash >> UInt64(bit) & 1) } }
    let byEvenness = (0..<64).sorted { one, other in
      let evenness = (min(ones[one], hashes.count - ones[one]), min(ones[other], hashes.count - ones[other]))
      return evenness.0 == evenness.1 ? one < other : evenness.0 > evenness.1
    }
    var filled = [Int](repeating: 0, count: widths.count)
    var places = [Int](repeating: 0, count: 64)
    for bit in byEvenness {
      let band = widths.indices.min { filled[$0] * widths[$1] < filled[$1] * widths[$0] } ?? 0
      places[bit] = offset(of: band) + filled[band]
      filled[band] += 1
    }
    // For each byte of a hash and each value, its bits at their new places.
    let moved = (0..<8).map { byte in
      (0..<256).map { value in
        (0..<8).reduce(into: UInt64(0)) { $0 |= UInt64(value >> $1 & 1) << UInt64(places[8 * byte + $1]) }
      }
    }
    for number in hashes.indices {
      hashes[number] = (0..<8).reduce(into: 0) { $0 |= moved[$1][Int(hashes[number] >> UInt64(8 * $1) & 0xFF)] }
    }
  }

  private static func offset(of band: Int) -> Int { widths[..<band].reduce(0, +) }

  private static func value(_ hash: UInt64, _ band: Int) -> Int {
    Int(hash >> UInt64(offset(of: band)) & (1 << UInt64(widths[band]) - 1))
  }

  /// Takes a number; false if it is already taken, or not the first with its hash.
  mutating func take(_ number: Int) -> Bool {
    defer { isTaken[number] = true }
    return !isTaken[number]
  }

  /// Takes all numbers that are not taken yet and differ in few bits.
  mutating func takeNeighbours(of leader: Int) -> [Int] {
    var found: [Int] = []
    for band in Self.widths.indices {
      let value = Self.value(hashes[leader], band)
      takeAll(of: value, band, near: leader, &found)
      guard band != Self.exactBand else { continue }
      for bit in 0..<Self.widths[band] { takeAll(of: value ^ 1 << bit, band, near: leader, &found) }
    }
    return found
  }

  private mutating func takeAll(of value: Int, _ band: Int, near leader: Int, _ found: inout [Int]) {
    let (start, hash) = (Int(starts[band][value]), hashes[leader])
    var place = Int(starts[band][value + 1])
    while place > start {
      place -= 1
      let number = Int(lists[band][place])
      guard number > leader else { return }
      if (hashes[number] ^ hash).nonzeroBitCount <= SimilarPictures.mostDistance, take(number) { found.append(number) }
    }
  }
}
