// The answers to a question, piece by piece.
//
// Invariants
// 1. One piece is made under one hold of the lock, from at most `rowsUnderLock` rows, and ends when `pieceBytes` of text
//    are written. What is kept between two pieces is bounded, however many answers there are.
// 2. Answers come in the order of the question. A photo that stays as it is comes once, whatever comes and goes
//    meanwhile.

internal import Albums
internal import Catalog
internal import Index
internal import Media
internal import System
internal import SystemPackage
internal import Vault

struct CatalogReader {
  /// Rows of a set that are looked at before it is known how large it is.
  private static let rowsAtFirst = 4000

  /// Bytes of text after which a piece ends.
  static let pieceBytes = 512 << 10

  let question: CatalogQuestion
  private let rowsUnderLock: Int
  private let source: CatalogSource
  private let writing: Writing
  var text = JSONText()
  private var view: CatalogView
  private var walk: CatalogWalk
  private var isPrepared = false
  /// The same at its beginning.
  private var begin = CatalogWalk()
  /// What sorting keeps; nil where the order of the walk is that of the answers.
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
    self.writing = writing
    rowsUnderLock = fileSystem.library.options.rowsUnderLock
    source = CatalogSource(fileSystem, question, for: opener)
    view = CatalogView(question.query, showsTrash: question.showsTrash, within: question.within, for: opener)
    last = question.after?.position
    let isSorted = question.order.key != .time
    let isLine = writing == .facts
    var columns = view.columns(for: isSorted && question.order.key != .name ? .nothing : isLine ? .line : .path)
    if writing == .tiles { columns.formUnion(CatalogTile.columns) }
    columns.formUnion(question.order.columns)
    if !isSorted { columns.insert(.kind) }
    if question.stacks { columns.insert(.flags) }
    if !isSorted {
      walk = CatalogWalk(newestFirst: question.order.isDescending, within: view.within, after: last, columns)
    } else {
      walk = CatalogWalk(within: view.within, columns)
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

  /// Adds the next answers to `answers`, at most `room`, which is not 0. It may add none and not be at the end.
  mutating func piece(
    _ files: borrowing LockedFileSystem, room: Int, into answers: inout [CatalogAnswer]
  ) throws(Errno) {
    if isAtEnd { return }
    view.begin()
    guard try view.prepare(files, rows: isPrepared ? rowsUnderLock : Self.rowsAtFirst) else { return }
    if !isPrepared {
      isPrepared = true
      if let few = try view.few(files) { walk.restrict(to: few) }
      begin = walk
    }
    if sorting == nil {
      try streamed(files, room: room, into: &answers)
    } else {
      try sorted(files, room: room, into: &answers)
    }
  }

  private mutating func streamed(
    _ files: borrowing LockedFileSystem, room: Int, into answers: inout [CatalogAnswer]
  ) throws(Errno) {
    var left = room
    let end = text.bytes.count + Self.pieceBytes
    var walk = walk
    try walk.advance(by: rowsUnderLock, files) { row throws(Errno) in
      guard let seen = try view.look(at: row, files, wants: wanted),
        try view.stands(seen, row, files, stacks: question.stacks)
      else { return true }
      let position = question.order.position(of: row, path: nil)
      guard give(seen, row.inode, kind: row.kind, position, into: &answers) else { return false }
      try write(row, seen, files)
      left -= 1
      return left > 0 && text.bytes.count < end
    }
    self.walk = walk
    if walk.isAtEnd { isAtEnd = true }
  }

  private mutating func sorted(
    _ files: borrowing LockedFileSystem, room: Int, into answers: inout [CatalogAnswer]
  ) throws(Errno) {
    guard var sorting else { return }
    self.sorting = nil
    defer { self.sorting = sorting }
    if sorting.isReady {
      var left = room
      let end = text.bytes.count + Self.pieceBytes
      while left > 0, text.bytes.count < end, let candidate = sorting.popFirst() {
        let inode = InodeNumber(rawValue: candidate.inode)
        looked += 1
        if looked % Self.rowsBeforeTrim == 0 { Heap.trim() }
        let columns = view.columns(for: wanted).union(writing == .tiles ? CatalogTile.columns : .kind)
        var row = try CatalogWalk.row(of: inode, columns, files)
        // It may be gone since it was found, or answer no more.
        guard try CatalogWalk.next(&row, files),
          let seen = try view.look(at: row, files, wants: wanted)
        else { continue }
        guard give(seen, inode, kind: row.kind, candidate, into: &answers) else { return }
        try write(row, seen, files)
        left -= 1
      }
      if sorting.isEmpty {
        if sorting.hasMore { sorting.begin(after: last) } else { isAtEnd = true }
        walk = begin
      }
      return
    }
    var walk = walk
    try walk.advance(by: rowsUnderLock, files) { row throws(Errno) in
      guard let seen = try view.look(at: row, files, wants: question.order.key == .name ? .path : .nothing),
        try view.stands(seen, row, files, stacks: question.stacks)
      else { return true }
      sorting.add(question.order.position(of: row, path: seen.path))
      return true
    }
    self.walk = walk
    if walk.isAtEnd { sorting.finish() }
  }

  private mutating func write(
    _ row: borrowing Timeline, _ seen: CatalogView.Seen, _ files: borrowing LockedFileSystem
  ) throws(Errno) {
    switch writing {
    case .nothing: break
    case .facts:
      try view.write(row, seen, to: &text, files)
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
    _ seen: CatalogView.Seen, _ inode: InodeNumber, kind: Int64, _ position: SortPosition,
    into answers: inout [CatalogAnswer]
  ) -> Bool {
    if let limit = question.limit, count == limit {
      isAtEnd = true
      next = cursor
      return false
    }
    count += 1
    last = position
    answers.append(
      CatalogAnswer(
        inode: inode, path: seen.path ?? [], kind: MediaKind(rawValue: UInt8(truncatingIfNeeded: kind)),
        position: position,
        source: source))
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
