internal import Glibc
internal import Storage

/// The number of cover files in a new vault.
enum Cover {
  static let least = 4
  /// Files that the first space needs.
  private static let firstSpace: Int64 = 8
  /// The range of a drawn size, in bytes, when the caller states no size.
  private static let drawn: ClosedRange<Double> = 0x1p28...0x1p32

  /// Numbers of files that no password explains.
  struct Count {
    /// As many as a space of the requested size owns, for a hidden space; 0 if no cover was requested.
    var ownable: Int64
    /// A random number more, which no space ever owns.
    var random: Int64
  }

  /// The numbers of cover files of a vault: those for the requested size or, if that is nil, a drawn number; and a
  /// random number more.
  ///
  /// - Throws: `.noSpace` when they do not fit.
  static func count(
    for cover: Int64?, segmentSize: Int, in room: StorageCapacity
  ) throws(VaultError) -> Count {
    let size = Int64(segmentSize)
    // Some network file systems do not know their room.
    let free = room.total > 0 ? room.free : 1 << 50
    let bearable = free / 20
    guard cover ?? 0 <= free else { throw .noSpace }
    let ownable: Int64
    if let cover {
      ownable = cover == 0 ? 0 : RoomBudget.files(for: cover, segmentSize: segmentSize)
      guard ownable <= OwnerTable.mostFiles else { throw .noSpace }
    } else {
      // At least the cover that a hidden space needs: less cover would show that there is none.
      let needed = RoomBudget.files(for: 1, segmentSize: segmentSize) * size
      ownable = room.total > 0 ? drawnBytes(atLeast: needed, atMost: bearable) / size : 0
    }
    let rest = cover == nil ? bearable / size - ownable : bearable / size
    let random = min(Int64(randomCount()), max(Int64(least), rest))
    guard ownable + random + firstSpace <= free / size else { throw .noSpace }
    return Count(ownable: ownable, random: random)
  }

  /// Bytes from 256 MiB to 4 GiB, each size as likely as its double, but no more than `limit`; 0 if that is less than
  /// `needed`.
  static func drawnBytes(atLeast needed: Int64, atMost limit: Int64) -> Int64 {
    guard limit >= needed, limit > 0 else { return 0 }
    let most = max(min(drawn.upperBound, Double(limit)), Double(needed))
    let least = max(min(drawn.lowerBound, most / 2), Double(needed))
    var generator = SystemRandomNumberGenerator()
    return Int64(exp(Double.random(in: log(least)...log(most), using: &generator)))
  }

  /// A number of at least four from a Pareto distribution of exponent 1: half of all vaults get 8 or more, one in a
  /// hundred 400 or more.
  static func randomCount() -> Int {
    var generator = SystemRandomNumberGenerator()
    let uniform = Double.random(in: 0x1p-20..<1, using: &generator)
    return Int(Double(least) / uniform)
  }
}
