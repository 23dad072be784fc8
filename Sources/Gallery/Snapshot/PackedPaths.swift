// Invariants
// 1. A path costs its name and 17 bytes, with the inode; its directory is kept once for all that are in it.
// 2. No name moves, and nothing does when there are more, so memory never holds two copies of all.

/// Paths from the root of a space, each with the inode that it led to, in little memory.
struct PackedPaths: Sendable {
  private static let pageBytes = 1 << 20

  /// Names, each ended by a zero byte. None goes over the end of a page.
  private var pages: [[UInt8]] = []
  private var directories: [[UInt8]] = []
  private var numbers: [[UInt8]: UInt32] = [:]
  private var recent: UInt32 = 0
  /// Of each path the page and the place in it, the directory, and the inode, in blocks.
  private var blocks: [[(name: UInt32, directory: UInt32, inode: UInt64)]] = []
  private static let blockCount = 1 << 14

  private(set) var count = 0

  /// Most bytes of all names: those that the number of a page and a place in it tell apart.
  private static let mostPages = 1 << 12

  /// Adds a path; false if there is no room for more.
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

  /// Puts the paths with these numbers in another order; `sorted` has each of the numbers once.
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

  /// Forgets what only adding needs.
  mutating func finish() { numbers = [:] }

  /// Bytes of memory that it takes, without those of the allocator.
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
