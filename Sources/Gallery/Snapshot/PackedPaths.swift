// Invariants
// 1. A path costs the bytes of its name and 17 more, inode included; its directory is stored once for all files in it.
// 2. Names never move, and growing moves nothing, so memory never holds two copies of all paths.

/// Paths from the root of a space, each with the inode that it led to, packed in memory.
struct PackedPaths: Sendable {
  private static let pageBytes = 1 << 20

  /// Names, each followed by a zero byte. None crosses the end of a page.
  private var pages: [[UInt8]] = []
  private var directories: [[UInt8]] = []
  private var numbers: [[UInt8]: UInt32] = [:]
  private var recent: UInt32 = 0
  /// For each path the page and offset of its name, the directory, and the inode, in blocks.
  private var blocks: [[(name: UInt32, directory: UInt32, inode: UInt64)]] = []
  private static let blockCount = 1 << 14

  private(set) var count = 0

  /// The most pages of names: a name's position has 12 bits for the page, and 20 for the offset.
  private static let mostPages = 1 << 12

  /// Adds a path; false if the limit of names is reached.
  mutating func append(_ path: ArraySlice<UInt8>, inode: UInt64) -> Bool {
    let slash = path.lastIndex(of: UInt8(ascii: "/"))
    let name = path[(slash.map { $0 + 1 } ?? path.startIndex)...]
    let directory = slash.map { path[..<$0] } ?? []
    if pages.isEmpty || pages[pages.count - 1].count + name.count + 1 > Self.pageBytes {
      guard pages.count < Self.mostPages, name.count < Self.pageBytes else { return false }
      pages.append([])
      pages[pages.count - 1].reserveCapacity(Self.pageBytes)
    }
    let place = UInt32(pages.count - 1) << 20 | UInt32(pages[pages.count - 1].count)
    pages[pages.count - 1] += name
    pages[pages.count - 1].append(0)
    if count % Self.blockCount == 0 {
      blocks.append([])
      blocks[blocks.count - 1].reserveCapacity(Self.blockCount)
    }
    blocks[blocks.count - 1].append((place, number(of: directory), inode))
    count += 1
    return true
  }

  /// Reorders the paths in a range; `sorted` has each number of the range once.
  mutating func reorder(_ range: Range<Int>, as sorted: [Int]) {
    let entries = sorted.map { blocks[$0 / Self.blockCount][$0 % Self.blockCount] }
    for (index, entry) in zip(range, entries) { blocks[index / Self.blockCount][index % Self.blockCount] = entry }
  }

  private mutating func number(of directory: ArraySlice<UInt8>) -> UInt32 {
    if Int(recent) < directories.count, directories[Int(recent)].elementsEqual(directory) { return recent }
    let bytes = Array(directory)
    if let known = numbers[bytes] {
      recent = known
    } else {
      recent = UInt32(directories.count)
      numbers[bytes] = recent
      directories.append(bytes)
    }
    return recent
  }

  /// Releases the table that only `append` needs.
  mutating func finish() { numbers = [:] }

  /// Its memory in bytes, without the overhead of the allocator.
  var memory: Int {
    let names = pages.reduce(0) { $0 + $1.capacity }
    let entries = blocks.reduce(0) { $0 + $1.capacity * MemoryLayout<(UInt32, UInt32, UInt64)>.stride }
    return names + entries + directories.reduce(0) { $0 + $1.capacity + MemoryLayout<[UInt8]>.stride }
  }

  func inode(_ index: Int) -> UInt64 { blocks[index / Self.blockCount][index % Self.blockCount].inode }

  subscript(_ index: Int) -> [UInt8] {
    let entry = blocks[index / Self.blockCount][index % Self.blockCount]
    let page = pages[Int(entry.name >> 20)]
    let start = Int(entry.name & (1 << 20 - 1))
    let name = page[start...].prefix { $0 != 0 }
    let directory = directories[Int(entry.directory)]
    return directory.isEmpty ? Array(name) : directory + [UInt8(ascii: "/")] + name
  }
}
