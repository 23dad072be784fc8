// The data for an archive's central directory.
//
// Invariants
// 1. An entry costs its path and 26 bytes. The central directory is generated piece by piece, and the data for each
//    piece is released afterwards.
// 2. No path is kept twice: a used path is recognized by its hash. If two paths have the same hash by chance, the
//    second one needlessly gets a number.

/// The entries of an archive, in order.
struct ZipDirectory {
  private static let pageBytes = 1 << 20

  private var pages: [[UInt8]] = []
  private(set) var count: UInt64 = 0

  /// Adds an entry. Its offset follows from the earlier entries.
  mutating func append(_ record: ZipRecord) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(26 + record.path.count)
    bytes += ZipRecord.little(UInt16(record.path.count)) + record.path
    bytes += ZipRecord.little(record.mode) + ZipRecord.little(record.modified) + ZipRecord.little(record.size)
    bytes += ZipRecord.little(record.checksum)
    if pages.isEmpty || pages[pages.count - 1].count + bytes.count > Self.pageBytes {
      pages.append([])
      pages[pages.count - 1].reserveCapacity(Self.pageBytes)
    }
    pages[pages.count - 1] += bytes
    count += 1
  }

  /// Passes the headers of all entries to `body`, page by page, and removes them.
  mutating func drain<Failure: Error>(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    var offset: UInt64 = 0
    pages.reverse()
    while let page = pages.popLast() {
      var headers: [UInt8] = []
      var rest = page[...]
      while !rest.isEmpty {
        let length = Int(Self.number(&rest, 2))
        let path = Array(rest.prefix(length))
        rest = rest.dropFirst(length)
        var record = ZipRecord(
          path: path, mode: UInt32(Self.number(&rest, 4)), modified: Int64(bitPattern: Self.number(&rest, 8)))
        record.size = Self.number(&rest, 8)
        record.checksum = UInt32(Self.number(&rest, 4))
        record.offset = offset
        offset += UInt64(record.localHeader.count) + record.size
        headers += record.centralHeader
      }
      try body(headers)
    }
  }

  /// Removes a number from the front.
  private static func number(_ bytes: inout ArraySlice<UInt8>, _ count: Int) -> UInt64 {
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// The used paths of an archive, compared without regard to case and Unicode normalization, as some file systems do.
struct ZipNames {
  private var used: Set<Int> = []
  /// The last number given to each repeated path.
  private var numbers: [Int: Int] = [:]

  /// Adds a path; false if it is used.
  mutating func insert(_ path: [UInt8]) -> Bool { used.insert(Self.key(path)).inserted }

  /// The first free path for a file: its own, or that with the next number.
  ///
  /// - Parameter numbered: Returns the path with a number from 2 on; all results differ.
  mutating func free(_ path: [UInt8], _ numbered: (Int) -> [UInt8]) -> [UInt8] {
    let key = Self.key(path)
    guard used.contains(key) else { return path }
    while true {
      let number = numbers[key, default: 1] + 1
      numbers[key] = number
      let other = numbered(number)
      if !used.contains(Self.key(other)) { return other }
    }
  }

  func contains(_ path: [UInt8]) -> Bool { used.contains(Self.key(path)) }

  /// The key of a path. Swift gives canonically equivalent texts the same hash.
  private static func key(_ path: [UInt8]) -> Int {
    String(validating: path, as: UTF8.self).map { $0.lowercased().hashValue } ?? path.hashValue
  }
}
