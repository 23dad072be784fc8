// Counts answers by tags or people, of which each answer may have several.
//
// Invariants
// 1. An answer takes 8 bytes, plus 4 for its number in a page of 4096 numbers.

internal import Catalog
internal import Index
internal import Media
internal import SystemPackage
internal import Vault

/// Collects answers with tags, then counts their groups.
struct TagTally {
  private let kind: TermKind
  /// For each page of inode numbers, the ranks of the answers; `none` for a photo that does not answer.
  private var pages: [UInt64: [UInt32]] = [:]
  private var recent: (number: UInt64, ranks: [UInt32])?

  private static let none = UInt32.max

  init(_ kind: TermKind) { self.kind = kind }

  /// Adds an answer.
  mutating func add(_ inode: InodeNumber, rank: Int) {
    let page = inode.rawValue >> 12
    pages[page, default: [UInt32](repeating: Self.none, count: 4096)][Int(inode.rawValue & 4095)] =
      UInt32(truncatingIfNeeded: rank)
  }

  private mutating func rank(of inode: InodeNumber) -> Int? {
    let page = inode.rawValue >> 12
    if recent?.number != page { recent = (page, pages[page] ?? []) }
    guard let ranks = recent?.ranks, !ranks.isEmpty else { return nil }
    let rank = ranks[Int(inode.rawValue & 4095)]
    return rank == Self.none ? nil : Int(rank)
  }

  /// Counts the answers by their terms.
  mutating func count(
    _ files: CatalogFiles, into grouping: inout Grouping, _ field: GroupField
  ) throws(Errno) {
    if pages.isEmpty { return }
    // By the folded text, because spellings that fold alike are one group.
    var terms: [[UInt8]: [(number: Int64, text: String)]] = [:]
    for term in try files.result(of: files.index.catalog.terms(kind)) {
      terms[Array(Folding.folded(term.text).utf8), default: []].append(term)
    }
    for group in terms.values {
      if group.count == 1, let term = group.first {
        try count(term, files, into: &grouping, field)
      } else {
        try count(group, files, into: &grouping, field)
      }
    }
  }

  private func item(_ texts: [String], _ field: GroupField) -> MediaItem {
    var item = MediaItem(inode: 0, kind: .jpeg)
    if field == .tag { item.words.tags = texts } else { item.words.people = texts }
    return item
  }

  private func position(_ rank: Int, _ inode: InodeNumber) -> SortPosition {
    SortPosition(value: .number(-Int64(rank), 0), inode: inode.rawValue)
  }

  /// Calls `body` for each answer that has a term.
  private mutating func forEachAnswer(
    _ term: Int64, _ files: CatalogFiles, _ body: (InodeNumber, Int) -> Void
  ) throws(Errno) {
    var tally = self
    pages = [:]
    recent = nil
    defer { self = tally }
    try files.withIndex { index throws(IndexError) in
      try index.catalog.photos(withTag: term) { inode in
        if let rank = tally.rank(of: inode) { body(inode, rank) }
      }
    }
  }

  private mutating func count(
    _ term: (number: Int64, text: String), _ files: CatalogFiles, into grouping: inout Grouping, _ field: GroupField
  ) throws(Errno) {
    var count = 0
    var best: (rank: Int, inode: InodeNumber)?
    try forEachAnswer(term.number, files) { inode, rank in
      count += 1
      if best.map({ rank < $0.rank }) ?? true { best = (rank, inode) }
    }
    if let best { grouping.add(item([term.text], field), times: count, newest: position(best.rank, best.inode)) }
  }

  /// As above, for several spellings; an answer may have more than one of them.
  private mutating func count(
    _ group: [(number: Int64, text: String)], _ files: CatalogFiles, into grouping: inout Grouping, _ field: GroupField
  ) throws(Errno) {
    var answers: [Int: (inode: InodeNumber, texts: [String])] = [:]
    for term in group {
      try forEachAnswer(term.number, files) { inode, rank in
        answers[rank, default: (inode, [])].texts.append(term.text)
      }
    }
    for (rank, answer) in answers {
      grouping.add(item(answer.texts, field), times: 1, newest: position(rank, answer.inode))
    }
  }
}
