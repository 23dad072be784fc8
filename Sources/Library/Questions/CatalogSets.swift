// Sets of photos by facts that rows do not state: a word, a tag, a person, a content hash.
//
// Invariants
// 1. A set is complete before it is used.
// 2. At most `mostSets` sets are made for a query, so that memory is bounded; conditions beyond that are evaluated
//    photo by photo.

internal import Catalog
internal import Index
internal import SystemPackage
internal import Vault

struct CatalogSet {
  enum Search {
    /// An expression of full-text search.
    case words(WordPattern)
    /// Tags or people whose text matches.
    case terms(TermKind, (String) -> Bool)
    /// The first hexadecimal digits of a content's hash.
    case hash(String)
  }

  static let mostSets = 16

  let search: Search
  private(set) var bits = InodeBits()

  init(_ search: Search) { self.search = search }

  mutating func contains(_ inode: InodeNumber) -> Bool { bits.contains(inode) }

  /// Finds the photos.
  mutating func find(_ files: CatalogFiles) throws(Errno) {
    var found = InodeBits()
    try files.withIndex { index throws(IndexError) in
      switch search {
      case .words(let pattern):
        try index.catalog.photos(matching: pattern.fullTextExpression) { found.insert($0) }
      case .terms(let kind, let matches):
        for term in try index.catalog.terms(kind) where matches(term.text) {
          try index.catalog.photos(withTag: term.number) { found.insert($0) }
        }
      case .hash(let digits):
        let (lower, upper) = Self.contents(digits)
        try index.catalog.files(withHashFrom: lower, before: upper) { found.insert($0) }
      }
    }
    bits = found
  }

  /// The range of hashes that begin with some digits: the lower bound, and the upper bound unless the range is open.
  private static func contents(_ digits: String) -> (lower: [UInt8], upper: [UInt8]?) {
    var halves = digits.utf8.map { $0 < 0x3A ? $0 - 0x30 : $0 - 0x57 }
    let isOdd = halves.count % 2 == 1
    if isOdd { halves.append(0) }
    let lower = stride(from: 0, to: halves.count, by: 2).map { halves[$0] << 4 | halves[$0 + 1] }
    return (lower, next(after: lower, by: isOdd ? 16 : 1))
  }

  /// The smallest bytes above all that begin with these; `step` is the weight of the last digit in its byte. Nil if
  /// there are none.
  private static func next(after bytes: [UInt8], by step: UInt8) -> [UInt8]? {
    var bytes = bytes
    var step = step
    while let last = bytes.popLast() {
      let (sum, isOver) = last.addingReportingOverflow(step)
      if !isOver { return bytes + [sum] }
      step = 1
    }
    return nil
  }
}
