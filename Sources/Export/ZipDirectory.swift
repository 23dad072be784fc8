// What an archive remembers of its entries until its end.
//
// Invariants
// 1. An entry costs its path and 26 bytes. The central directory is made of that piece by piece, and what it was made of is
//    let go.
// 2. No path is kept twice: those that are used are known by a hash. Two that have the same one by chance are taken for one,
//    so that a name gets a number that needs none.

/// The entries of an archive, in order.
struct ZipDirectory {
  private static let pageBytes = 1 << 20

  private var pages: [[UInt8]] = []
  private(set) var count: UInt64 = 0

  /// Notes an entry whose place follows from those before it.
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

  /// Gives the headers of all entries, a page at a time, and forgets them.
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

  /// Takes a number off the front.
  private static func number(_ bytes: inout ArraySlice<UInt8>, _ count: Int) -> UInt64 {
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// The paths of an archive that are used, as file systems see them that know neither case nor normal forms.
struct ZipNames {
  private var used: Set<Int> = []
  /// Of paths that came more than once the number that was given last.
  private var numbers: [Int: Int] = [:]

  /// Takes a path; false if it is used.
  mutating func insert(_ path: [UInt8]) -> Bool { used.insert(Self.key(path)).inserted }

  /// The first path for a file that is free: its own, or with the next number that its name has not had yet.
  ///
  /// - Parameter numbered: the path with a number from 2 on, another one for each.
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

  /// The same for texts that are canonically equivalent, whose hash is one in Swift.
  private static func key(_ path: [UInt8]) -> Int {
    String(validating: path, as: UTF8.self).map { $0.lowercased().hashValue } ?? path.hashValue
  }
}
