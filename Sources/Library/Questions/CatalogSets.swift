// The photos that have something which rows do not say: a word, a tag, a person, a content.
//
// Invariants
// 1. A set is made in steps, each of some thousand rows. It is whole before it is used, unless it is large and the index
//    is asked about single photos as quickly: then it is made only when many photos have been asked about.
// 2. At most `mostSets` are made for a query, so that memory is bounded; what needs more is asked of each photo.

internal import Albums
internal import Catalog
internal import Index
internal import SystemPackage
internal import Vault

struct CatalogSet {
  enum Search {
    /// An expression of full-text search.
    case words(WordPattern)
    /// Tags or people whose text is meant.
    case terms(TermKind, (String) -> Bool)
    /// The first digits of a content's hash.
    case hash(String)
  }

  static let mostSets = 16

  /// Photos of a large set that are found before the index is asked about single ones, terms that it is asked for, and
  /// photos that it is asked about before the whole set is made.
  private static let most = (found: 4000, terms: 4, asked: 4000)

  let search: Search
  var bits = InodeBits()
  private(set) var isDone = false
  private var terms: [Int64] = []
  /// The terms whose photos are not all found.
  private var termsLeft: [Int64] = []
  private var asked = 0
  private var areTermsKnown = false
  private var lastTerm: Int64 = .min
  private var last: InodeNumber?

  init(_ search: Search) { self.search = search }

  /// Whether the set can be used as it is.
  var isReady: Bool {
    if isDone { return true }
    guard areTermsKnown, terms.count <= Self.most.terms else { return false }
    return bits.count >= Self.most.found && asked < Self.most.asked
  }

  mutating func contains(_ inode: InodeNumber, _ files: borrowing LockedFileSystem) throws(Errno) -> Bool {
    if isDone || bits.contains(inode) { return bits.contains(inode) }
    asked += 1
    for term in termsLeft {
      var isFound = false
      let before = InodeNumber(rawValue: inode.rawValue - 1)
      try files.withIndex { index throws(IndexError) in
        _ = try index.catalog.photos(withTag: term, after: before, limit: 1) { isFound = $0 == inode }
      }
      if isFound { return true }
    }
    return false
  }

  /// Goes on by about some rows.
  mutating func advance(by limit: Int, _ files: borrowing LockedFileSystem) throws(Errno) {
    do throws(IndexError) {
      switch search {
      case .words(let pattern):
        var bits = bits
        self.bits = InodeBits()
        let step = try files.index.catalog.photos(
          matching: pattern.fullTextExpression, after: last, limit: limit, { bits.insert($0) })
        self.bits = bits
        last = step?.last
        isDone = step.map { $0.count < limit } ?? true
      case .terms(let kind, let matches): try advanceTerms(by: limit, kind, matches, files.index)
      case .hash(let digits): try findContents(digits, files.index)
      }
    } catch {
      throw files.failed(error)
    }
  }

  private mutating func advanceTerms(
    by limit: Int, _ kind: TermKind, _ matches: (String) -> Bool, _ index: Index
  ) throws(IndexError) {
    if !areTermsKnown {
      var found = terms
      let end = try index.catalog.terms(after: lastTerm, limit: limit) { number, rawKind, text in
        if rawKind == kind.rawValue, matches(text) { found.append(number) }
      }
      terms = found
      guard end == nil else {
        lastTerm = end ?? .max
        return
      }
      areTermsKnown = true
      termsLeft = terms
      isDone = terms.isEmpty
      return
    }
    var left = limit
    var bits = bits
    self.bits = InodeBits()
    defer { self.bits = bits }
    while left > 0, let term = termsLeft.last {
      let step = try index.catalog.photos(withTag: term, after: last, limit: left) { bits.insert($0) }
      last = step?.last
      if step?.count ?? 0 < left {
        termsLeft.removeLast()
        last = nil
      }
      left -= max(1, step?.count ?? 0)
    }
    isDone = termsLeft.isEmpty
  }

  private mutating func findContents(_ digits: String, _ index: Index) throws(IndexError) {
    var halves = digits.utf8.map { $0 < 0x3A ? $0 - 0x30 : $0 - 0x57 }
    let isOdd = halves.count % 2 == 1
    if isOdd { halves.append(0) }
    let lower = stride(from: 0, to: halves.count, by: 2).map { halves[$0] << 4 | halves[$0 + 1] }
    let upper = Self.next(after: lower, by: isOdd ? 16 : 1)
    var bits = InodeBits()
    _ = try index.catalog.files(withHashFrom: lower, before: upper, limit: .max - 1) { bits.insert($0) }
    self.bits = bits
    isDone = true
  }

  /// The first bytes after all that begin with some, the last of which ends at a step; nil if there are none.
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
