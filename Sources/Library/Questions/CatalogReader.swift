// Reads the answers to a question, piece by piece.
//
// Invariants
// 1. A piece ends when `pieceBytes` of text are written, or when it has the number of answers that were asked for.
//    The state kept between two pieces is bounded, however many answers there are.
// 2. Answers come in the order of the question. If a reader continues in a later moment, an unchanged photo still
//    comes exactly once.
// 3. An answer is given with everything that is written of it, or not at all.

internal import Albums
internal import Catalog
internal import Index
internal import System
internal import SystemPackage
internal import Vault

struct CatalogReader {
  /// A piece ends when its text has this many bytes.
  static let pieceBytes = 512 << 10

  let question: CatalogQuestion
  private let opener: Opener
  private let writing: Writing
  private let columns: TimelineColumns
  var text = JSONText()
  private var view: CatalogView
  private var isPrepared = false
  /// The moment of the last piece, once there was one; nil if that piece was read from the present files.
  private(set) var moment: CatalogMoment?
  private var isBegun = false
  /// The only photos that can be answers, if they are few.
  private var few: [TimelineKey]?
  /// The positions kept for sorting; nil if the answers are in the order of time.
  private var sorting: CatalogSorting?
  /// The last answer given, or the position after which the question begins.
  private var last: SortPosition?
  /// Rows that were read in sorted order. Each may be on another page of the index, so pages come and go in the heap
  /// between small blocks, and the heap would grow to twice its content.
  private var looked = 0
  private static let rowsBeforeTrim = 20_000
  /// The number of answers given.
  private(set) var count = 0
  private(set) var isAtEnd = false
  /// Whether the moment ended after some answers were given and before the rest.
  var isCutOff = false
  /// The beginning of the next page, once `isAtEnd`; nil if this was the last one.
  private(set) var next: Cursor?

  /// The text that is written for each answer.
  enum Writing {
    case nothing
    /// The facts, one line for each answer.
    case facts
    /// The tile that is drawn before the picture has loaded, and the path (CatalogTile.swift).
    case tiles
  }

  init(
    _ question: CatalogQuestion, for opener: Opener, from fileSystem: FileSystem, writing: Writing = .nothing
  ) {
    self.question = question
    self.opener = opener
    self.writing = writing
    view = CatalogView(question, for: opener)
    last = question.after?.position
    let isSorted = question.order.key != .time
    let isLine = writing == .facts
    var columns = view.columns(for: isSorted && question.order.key != .name ? .nothing : isLine ? .line : .path)
    if writing == .tiles { columns.formUnion(CatalogTile.columns) }
    columns.formUnion(question.order.columns)
    if question.stacks { columns.insert(.flags) }
    self.columns = columns
    if isSorted {
      sorting = CatalogSorting(question.order, after: last, limit: question.limit, in: fileSystem.library.sortingRoom)
    }
    if let limit = question.limit, limit <= 0 {
      isAtEnd = true
      next = question.after
    }
  }

  private var wanted: CatalogView.Wanted { writing == .facts ? .line : .path }

  /// The position of the last answer given.
  var cursor: Cursor? { last.map { Cursor(order: question.order, position: $0) } }

  /// Whether the answers are sorted: the first piece looks at all photos, and the others read rows all over the index.
  var isSorted: Bool { sorting != nil }

  /// Whether all pieces so far are from the moment of these files.
  func isOf(_ files: CatalogFiles) -> Bool { !isBegun || moment != nil && moment === files.moment }

  /// Forgets what depends on a moment, to continue after the last answer in a later one.
  mutating func goOn() {
    view = CatalogView(question, for: opener)
    isPrepared = false
    sorting?.begin(after: last)
  }

  /// Adds answers until there are `room`, which must be more than there are now; at least one, unless the reader is
  /// at the end.
  mutating func piece(
    _ files: CatalogFiles, room: Int, into answers: inout [CatalogAnswer]
  ) throws(Errno) {
    if isAtEnd { return }
    isBegun = true
    moment = files.moment
    if !isPrepared {
      try view.prepare(files)
      few = try view.few(files)
      isPrepared = true
    }
    if sorting == nil {
      try streamed(files, room: room, into: &answers)
    } else {
      try sorted(files, room: room, into: &answers)
    }
  }

  private mutating func streamed(
    _ files: CatalogFiles, room: Int, into answers: inout [CatalogAnswer]
  ) throws(Errno) {
    let end = text.bytes.count + Self.pieceBytes
    var walk = CatalogWalk(newestFirst: question.order.isDescending, within: view.within, after: last, columns)
    if let few { walk.restrict(to: few) }
    var isStopped = false
    try walk.forEach(files) { row throws(Errno) in
      guard let seen = try view.look(at: row, files, wants: wanted),
        try view.stands(seen, row, files, stacks: question.stacks)
      else { return true }
      let position = question.order.position(of: row, path: nil)
      let isGiven = try give(seen, row, position, files, into: &answers)
      isStopped = !isGiven || answers.count >= room || text.bytes.count >= end
      return !isStopped
    }
    if !isStopped { isAtEnd = true }
  }

  private mutating func sorted(
    _ files: CatalogFiles, room: Int, into answers: inout [CatalogAnswer]
  ) throws(Errno) {
    guard var sorting else { return }
    self.sorting = nil
    defer { self.sorting = sorting }
    let end = text.bytes.count + Self.pieceBytes
    while !isAtEnd, answers.isEmpty {
      if !sorting.isReady { try sort(&sorting, files) }
      while answers.count < room, text.bytes.count < end, let candidate = sorting.popFirst() {
        looked += 1
        if looked % Self.rowsBeforeTrim == 0 { Heap.trim() }
        let columns = view.columns(for: wanted).union(writing == .tiles ? CatalogTile.columns : [])
        var row = try CatalogWalk.row(of: InodeNumber(rawValue: candidate.inode), columns, files)
        guard try CatalogWalk.next(&row, files), let seen = try view.look(at: row, files, wants: wanted) else {
          continue
        }
        guard try give(seen, row, candidate, files, into: &answers) else { return }
      }
      if sorting.isEmpty {
        if sorting.hasMore { sorting.begin(after: last) } else { isAtEnd = true }
      }
    }
  }

  /// Looks at all photos, and keeps the positions of the first ones.
  private mutating func sort(_ sorting: inout CatalogSorting, _ files: CatalogFiles) throws(Errno) {
    var walk = CatalogWalk(within: view.within, columns)
    if let few { walk.restrict(to: few) }
    let wanted: CatalogView.Wanted = question.order.key == .name ? .path : .nothing
    try walk.forEach(files) { row throws(Errno) in
      guard let seen = try view.look(at: row, files, wants: wanted),
        try view.stands(seen, row, files, stacks: question.stacks)
      else { return true }
      sorting.add(question.order.position(of: row, path: seen.path))
      return true
    }
    sorting.finish()
  }

  private mutating func write(
    _ row: borrowing Timeline, _ seen: CatalogView.Seen, _ files: CatalogFiles
  ) throws(Errno) {
    switch writing {
    case .nothing: break
    case .facts:
      let start = text.bytes.count
      do throws(Errno) {
        try view.write(row, seen, to: &text, files)
      } catch {
        text.goBack(to: start)
        throw error
      }
      text.endLine()
    case .tiles:
      text.raw(CatalogTile(row).bytes)
      text.raw(path(of: seen))
      text.raw(0)
    }
  }

  /// The path in a tile: the lowest one directly in the directory of the question, if there is one.
  private func path(of seen: CatalogView.Seen) -> [UInt8] {
    let first = seen.path ?? []
    guard !question.within.isEmpty, let item = seen.several?.item else { return first }
    let inside = item.names.filter { $0.album.elementsEqual(question.within) }
    return inside.map(\.path).min { $0.lexicographicallyPrecedes($1) } ?? first
  }

  /// Gives an answer; false if the limit was already reached.
  private mutating func give(
    _ seen: CatalogView.Seen, _ row: borrowing Timeline, _ position: SortPosition, _ files: CatalogFiles,
    into answers: inout [CatalogAnswer]
  ) throws(Errno) -> Bool {
    if let limit = question.limit, count == limit {
      isAtEnd = true
      next = cursor
      return false
    }
    try write(row, seen, files)
    count += 1
    last = position
    answers.append(CatalogAnswer(inode: row.inode, path: seen.path ?? [], position: position))
    return true
  }
}

extension SortOrder {
  /// The columns that `position` reads.
  var columns: TimelineColumns {
    switch key {
    case .time: .fraction
    case .name: []
    case .size: .size
    case .rating: .rating
    case .duration: .duration
    }
  }

  /// The position of a row in this order; an order by name needs the lowest path.
  func position(of row: borrowing Timeline, path: [UInt8]?) -> SortPosition {
    let value: SortValue? =
      switch key {
      case .time: row.taken.map { .number($0, UInt32(truncatingIfNeeded: row.fraction)) }
      case .name: path.map { .bytes($0) }
      case .size: .number(max(0, row.size), 0)
      case .rating: .number(row.rating ?? 0, 0)
      case .duration: row.duration.map { .number($0, 0) }
      }
    return SortPosition(value: value, inode: row.inode.rawValue)
  }
}

extension MediaItem {
  /// The lowest of its paths in byte order.
  var firstPath: [UInt8]? { names.map(\.path).min { $0.lexicographicallyPrecedes($1) } }
}
