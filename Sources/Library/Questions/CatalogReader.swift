// The answers to a question, piece by piece.
//
// Invariants
// 1. A piece ends when `pieceBytes` of text are written, or as many answers are given as were asked for. What is kept between
//    two pieces is bounded, however many answers there are.
// 2. Answers come in the order of the question. Where a reader goes on in a later moment, a photo that stays as it is still
//    comes once.
// 3. An answer is given whole, with all that is written of it, or not at all.

internal import Albums
internal import Catalog
internal import Index
internal import System
internal import SystemPackage
internal import Vault

struct CatalogReader {
  /// Bytes of text after which a piece ends.
  static let pieceBytes = 512 << 10

  let question: CatalogQuestion
  private let opener: Opener
  private let writing: Writing
  private let columns: TimelineColumns
  var text = JSONText()
  private var view: CatalogView
  private var isPrepared = false
  /// What the last piece was read of, once there was one; nil if that was no moment.
  private(set) var moment: CatalogMoment?
  private var isBegun = false
  /// The only photos among which there are answers, if they are few.
  private var few: [TimelineKey]?
  /// What sorting keeps; nil where the order of time is that of the answers.
  private var sorting: CatalogSorting?
  /// The last answer that was given, or the place after which the question begins.
  private var last: SortPosition?
  /// Rows that were looked at in their order. Each may be on another page of the index, so that pages come and go in the
  /// heap among small blocks, and it grows to twice its content.
  private var looked = 0
  private static let rowsBeforeTrim = 20_000
  /// How many answers were given.
  private(set) var count = 0
  private(set) var isAtEnd = false
  /// Whether the moment of the answers that were given has ended before the others were.
  var isCutOff = false
  /// Where the next page begins, once `isAtEnd`; nil if there is none.
  private(set) var next: Cursor?

  /// What of answers is written.
  enum Writing {
    case nothing
    /// Their facts, a line for each.
    case facts
    /// What is seen before a picture is, and the path (CatalogTile.swift).
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

  /// Where the answer that was given last stands.
  var cursor: Cursor? { last.map { Cursor(order: question.order, position: $0) } }

  /// Whether all pieces so far are of the moment that some files are of.
  func isOf(_ files: CatalogFiles) -> Bool { !isBegun || moment != nil && moment === files.moment }

  /// Forgets what was learned of a moment, to go on behind the last answer in a later one.
  mutating func goOn() {
    view = CatalogView(question, for: opener)
    isPrepared = false
    sorting?.begin(after: last)
  }

  /// Adds the next answers until there are `room`, which is more than there are; at least one unless it is at the end.
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

  /// Looks at all photos, and keeps the places of the first ones.
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

  /// The path in a tile: the lowest in the directory that was asked for itself, if there is one.
  private func path(of seen: CatalogView.Seen) -> [UInt8] {
    let first = seen.path ?? []
    guard !question.within.isEmpty, let item = seen.several?.item else { return first }
    let inside = item.names.filter { $0.album.elementsEqual(question.within) }
    return inside.map(\.path).min { $0.lexicographicallyPrecedes($1) } ?? first
  }

  /// Gives an answer; false if it was one too many.
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
  /// What `position` reads of rows.
  var columns: TimelineColumns {
    switch key {
    case .time: .fraction
    case .name: []
    case .size: .size
    case .rating: .rating
    case .duration: .duration
    }
  }

  /// Where a row is in this order, with the lowest path if the order is that of names.
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
  /// The lowest of its paths.
  var firstPath: [UInt8]? { names.map(\.path).min { $0.lexicographicallyPrecedes($1) } }
}
