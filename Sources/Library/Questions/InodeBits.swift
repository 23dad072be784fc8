// Invariants
// 1. A page of 4096 numbers takes half a kilobyte, and exists only if one of its numbers is in the set.

internal import Vault

/// A set of inode numbers that are added in any order.
struct InodeBits {
  /// 64-bit words of a page.
  private static let pageWords = 64
  /// The bits of all pages, one page after the other.
  private var words: [UInt64] = []
  /// The start of each page in `words`.
  private var pages: [UInt64: Int] = [:]
  private(set) var count = 0
  /// The last page used; most numbers are on the same.
  private var recent: (page: UInt64, start: Int)?

  mutating func insert(_ inode: InodeNumber) {
    let number = inode.rawValue
    let start = self.start(of: number >> 12) ?? addPage(number >> 12)
    let mask: UInt64 = 1 << (number & 63)
    let word = start + Int(number >> 6 & 63)
    if words[word] & mask == 0 {
      words[word] |= mask
      count += 1
    }
  }

  mutating func contains(_ inode: InodeNumber) -> Bool {
    let number = inode.rawValue
    guard let start = start(of: number >> 12) else { return false }
    return words[start + Int(number >> 6 & 63)] & 1 << (number & 63) != 0
  }

  @inline(__always)
  private mutating func start(of page: UInt64) -> Int? {
    if let recent, recent.page == page { return recent.start }
    guard let start = pages[page] else { return nil }
    recent = (page, start)
    return start
  }

  private mutating func addPage(_ page: UInt64) -> Int {
    let start = words.count
    words += repeatElement(0, count: Self.pageWords)
    pages[page] = start
    recent = (page, start)
    return start
  }

  mutating func formIntersection(_ other: InodeBits) {
    count = 0
    for (page, start) in pages {
      let otherStart = other.pages[page]
      for word in 0..<Self.pageWords {
        words[start + word] &= otherStart.map { other.words[$0 + word] } ?? 0
        count += words[start + word].nonzeroBitCount
      }
    }
  }

  /// All numbers, in ascending order.
  var numbers: [InodeNumber] {
    var numbers: [InodeNumber] = []
    numbers.reserveCapacity(count)
    for (page, start) in pages.sorted(by: { $0.key < $1.key }) {
      for index in 0..<Self.pageWords {
        var rest = words[start + index]
        while rest != 0 {
          let bit = UInt64(index * 64 + rest.trailingZeroBitCount)
          numbers.append(InodeNumber(rawValue: page << 12 | bit))
          rest &= rest - 1
        }
      }
    }
    return numbers
  }
}
