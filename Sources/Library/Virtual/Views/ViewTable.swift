// The photos of a directory of links at some time, so that a listing can continue where it stopped, and a name leads
// to its photo, however many photos there are.
//
// Invariants
// 1. A table takes 8 bytes for each photo and for each of its hashes, and has at most `limit` photos.
// 2. Listings are in the order of inodes, whose numbers are the cookies: a photo that comes or goes between two parts
//    of a listing does not affect the others.
// 3. `names` has the hashes of the photos' names in ascending order, with the photo's index in `inodes` in their low
//    bits.

internal import Index
internal import Vault

struct ViewTable: Sendable {
  /// A directory shows at most this many photos.
  static let limit = 1 << placeBits
  private static let placeBits: UInt64 = 20

  /// In ascending order, each once.
  let inodes: [UInt64]
  private let names: [UInt64]

  /// Takes photos with hashes of their names; of more than `limit` photos the first ones count.
  init(_ photos: [(inode: InodeNumber, hash: UInt64)]) {
    var inodes = photos.map(\.inode.rawValue)
    if inodes.count > Self.limit {
      var seen: Set<UInt64> = []
      inodes.removeAll { !seen.insert($0).inserted || seen.count > Self.limit }
    }
    inodes.sort()
    var last: UInt64?
    inodes.removeAll { inode in
      defer { last = inode }
      return inode == last
    }
    self.inodes = inodes
    names = photos.compactMap { photo in
      let place = Self.place(of: photo.inode.rawValue, in: inodes)
      guard place < inodes.count, inodes[place] == photo.inode.rawValue else { return nil }
      return Self.entry(photo.hash) | UInt64(place)
    }.sorted()
  }

  private static func entry(_ hash: UInt64) -> UInt64 { hash & ~(1 << placeBits - 1) }

  /// The hash of a name.
  static func hash(_ name: some Sequence<UInt8>) -> UInt64 {
    var hasher = Hasher()
    for byte in name { hasher.combine(byte) }
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }

  func contains(_ inode: InodeNumber) -> Bool {
    let place = Self.place(of: inode.rawValue, in: inodes)
    return place < inodes.count && inodes[place] == inode.rawValue
  }

  /// The photos with this hash, in the order of inodes.
  func photos(withHash hash: UInt64) -> [InodeNumber] {
    let entry = Self.entry(hash)
    return names[Self.place(of: entry, in: names)...].prefix { Self.entry($0) == entry }.map { name in
      InodeNumber(rawValue: inodes[Int(name & (1 << Self.placeBits - 1))])
    }
  }

  /// Whether several photos have this hash.
  func isShared(_ hash: UInt64) -> Bool {
    let next = Self.place(of: Self.entry(hash), in: names) + 1
    return next < names.count && Self.entry(names[next]) == Self.entry(hash)
  }

  /// The next photos after an inode number, at most `limit`.
  func photos(after number: UInt64, limit: Int) -> [InodeNumber] {
    inodes[Self.place(of: number + 1, in: inodes)...].prefix(limit).map { InodeNumber(rawValue: $0) }
  }

  /// The first index of a sorted array with this value or a larger one.
  private static func place(of value: UInt64, in sorted: [UInt64]) -> Int {
    var (lower, upper) = (0, sorted.count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if sorted[middle] < value { lower = middle + 1 } else { upper = middle }
    }
    return lower
  }
}
