internal import Glibc
internal import Storage

/// The number of cover files in a new vault.
enum Cover {
  static let least = 4
  /// Files that the first space needs.
  private static let firstSpace = 4
  /// What is drawn without a wish, in bytes.
  private static let drawn: ClosedRange<Double> = 0x1p28...0x1p32

  /// How many files a new vault gets: those asked for, rounded up, or a drawn number, and a random number more.
  ///
  /// - Throws: `.noSpace` when they do not fit.
  static func fileCount(_ options: VaultCreationOptions, in room: StorageCapacity) throws(VaultError) -> Int {
    let size = Int64(options.segmentSize)
    // Some network file systems do not know their room.
    let free = room.total > 0 ? room.free : 1 << 50
    let bearable = free / 20
    let asked = options.cover ?? (room.total > 0 ? drawnBytes(atMost: bearable) : 0)
    guard asked <= free else { throw .noSpace }
    let rest = options.cover == nil ? bearable - asked : bearable
    let random = min(Int64(randomCount()), max(Int64(least), rest / size))
    let count = (asked + size - 1) / size + random
    guard (count + Int64(firstSpace)) <= free / size else { throw .noSpace }
    return Int(count)
  }

  /// Bytes from 256 MiB to 4 GiB, each size as likely as its double, but no more than `limit`.
  static func drawnBytes(atMost limit: Int64) -> Int64 {
    let most = min(drawn.upperBound, Double(limit))
    let least = min(drawn.lowerBound, most / 2)
    guard least > 0 else { return 0 }
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
