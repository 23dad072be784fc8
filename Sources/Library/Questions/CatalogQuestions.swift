package import Albums
package import Catalog
internal import Index
package import SystemPackage
internal import Vault

/// Asks the catalog of a file system. Nothing here holds the lock for long, and nothing keeps more than a bounded part of an answer.
package struct CatalogQuestions: Sendable {
  let fileSystem: FileSystem
  /// Calls `body` with the answers to a question, in order, until it returns false. Gives the place of the last one if
  /// there are more, for the next page.
  ///
  /// - Throws: `EIO`; `EOPNOTSUPP` if there is no catalog yet: the space was not mounted for writing since there is one.
  @discardableResult
  package func answers(
    to question: CatalogQuestion, for opener: Opener, _ body: (CatalogAnswer) throws(Errno) -> Bool
  ) throws(Errno) -> Cursor? {
    try prepareToAnswer()
    var reader = CatalogReader(question, for: opener, from: fileSystem)
    var answers: [CatalogAnswer] = []
    while !reader.isAtEnd {
      answers.removeAll(keepingCapacity: true)
      try piece(&reader, room: Self.answersAtOnce, into: &answers)
      for answer in answers {
        guard try body(answer) else { return Cursor(order: question.order, position: answer.position) }
      }
    }
    return reader.next
  }

  /// Answers that are made before they are given away.
  private static let answersAtOnce = 1000

  /// The number of answers, however many may be on a page.
  ///
  /// - Throws: as `answers(to:for:_:)`.
  package func count(of question: CatalogQuestion, for opener: Opener) throws(Errno) -> Int {
    var view = CatalogView(question.query, showsTrash: question.showsTrash, within: question.within, for: opener)
    var count = 0
    try everyAnswer(&view, stacks: question.stacks, []) { _, _, _ in count += 1 }
    return count
  }

  /// The answers in groups, with the number of each. A photo with two tags is in two groups.
  ///
  /// - Throws: as `answers(to:for:_:)`.
  package func groups(
    of question: CatalogQuestion, by field: GroupField, for opener: Opener
  ) throws(Errno) -> [AnswerGroup] {
    var view = CatalogView(question.query, showsTrash: question.showsTrash, within: question.within, for: opener)
    var tally = CatalogTally(by: field)
    try everyAnswer(&view, stacks: question.stacks, CatalogTally.columns(for: field)) { row, seen, _ in
      tally.add(row, seen)
    }
    while true {
      let isDone = try asking { files throws(Errno) in
        view.begin()
        return try tally.name(&view, files, rows: fileSystem.library.options.rowsUnderLock)
      }
      if isDone { return tally.groups() }
    }
  }

  /// Calls `body` for every answer, newest first, under the lock. It may read some columns of the row.
  private func everyAnswer(
    _ view: inout CatalogView, stacks: Bool, _ columns: TimelineColumns,
    _ body: (borrowing Timeline, CatalogView.Seen, borrowing LockedFileSystem) -> Void
  ) throws(Errno) {
    try prepareToAnswer()
    let columns = view.columns(for: .nothing).union(columns).union(stacks ? .flags : [])
    var walk = CatalogWalk(within: view.within, columns)
    var isPrepared = false
    while !walk.isAtEnd {
      try asking { files throws(Errno) in
        view.begin()
        if !isPrepared {
          isPrepared = try view.prepare(files, rows: fileSystem.library.options.rowsUnderLock, forAll: true)
          if isPrepared, let few = try view.few(files) { walk.restrict(to: few) }
          return
        }
        try walk.advance(by: fileSystem.library.options.rowsUnderLock, files) { row throws(Errno) in
          if let seen = try view.look(at: row, files), try view.stands(seen, row, files, stacks: stacks) {
            body(row, seen, files)
          }
          return true
        }
      }
    }
  }

  /// The lowest path of a photo that somebody sees; nil if there is none.
  func path(
    of inode: InodeNumber, includesTrash: Bool, within: [UInt8] = [], for opener: Opener
  ) throws(Errno) -> [UInt8]? {
    var view = CatalogView(.all, showsTrash: includesTrash, within: within, for: opener)
    return try fileSystem.reading { files throws(Errno) in
      try view.names(of: inode, files).map(\.path).min { $0.lexicographicallyPrecedes($1) }
    }
  }

  /// Adds the facts of the photo at a path from the root, and the sources of each, as a line.
  ///
  /// - Throws: `ENOENT` if there is no file there; `EISDIR`, `ENODATA` or `EINPROGRESS` if it is a directory, neither a
  ///   photo nor a video, or not examined yet; `EACCES` if the user may not get there or not read it.
  func writeFacts(ofPath path: [UInt8], for opener: Opener, to text: inout JSONText) throws(Errno) {
    try prepareToAnswer()
    let parts = path.split(separator: 0x2F).map { FileName(Array($0)) }
    var view = CatalogView(.all, showsTrash: true, for: opener)
    try fileSystem.reading { files throws(Errno) in
      var inode = InodeNumber.root
      for part in parts {
        guard let part, let folder = try view.folders.folder(inode, files) else { throw .noSuchFileOrDirectory }
        guard folder.isSearchable else { throw .permissionDenied }
        guard let entry = try files.result(of: files.index.dentry(parent: inode, name: part)) else {
          throw .noSuchFileOrDirectory
        }
        inode = entry.inode
      }
      guard try view.mayRead(inode, files) else { throw .permissionDenied }
      var row = try CatalogWalk.row(of: inode, .all, files)
      guard try CatalogWalk.next(&row, files) else { throw try Self.reasonForNoFacts(of: inode, files) }
      let own = parts.compactMap { $0 }.map(\.bytes).joined(separator: [0x2F])
      try view.write(row, try view.seen(inode, at: Array(own), files), showsSources: true, to: &text, files)
    }
    text.endLine()
  }

  /// Why there is no row for something that is there.
  private static func reasonForNoFacts(
    of inode: InodeNumber, _ files: borrowing LockedFileSystem
  ) throws(Errno) -> Errno {
    guard let record = try files.rights.presentRecord(inode) else { return .noSuchFileOrDirectory }
    if record.mode & FileKind.mask == FileKind.directory { return .isDirectory }
    // What begins as no photo or video does has no row, and what has the name of none is not examined.
    guard let row = try files.result(of: files.index.media.row(inode)), row.state != .other, row.state != .hidden else {
      return .noData
    }
    return .nowInProgress
  }

  /// Adds a photo that somebody saw, with its facts as they are now and what duplicates are compared by; nothing if it is
  /// gone.
  func writeFacts(of item: MediaItem, for opener: Opener, to text: inout JSONText) throws(Errno) {
    var view = CatalogView(.all, showsTrash: false, for: opener)
    try fileSystem.reading { files throws(Errno) in
      let inode = InodeNumber(rawValue: item.inode)
      var row = try CatalogWalk.row(of: inode, .all, files)
      guard try CatalogWalk.next(&row, files), let path = item.firstPath else { return }
      let comparison = ShownItem.Comparison(
        ownFacts: item.ownFacts, look: item.perceptualHash, sidecars: try view.sidecars(ofRecord: row.record, files))
      try view.write(row, try view.seen(inode, at: path, files), comparison: comparison, to: &text, files)
    }
  }

  /// The next answers of a reader; at least one, unless it is at the end, or `stops` says after some rows that others are
  /// to come first.
  func piece(
    _ reader: inout CatalogReader, room: Int, into answers: inout [CatalogAnswer], stops: () -> Bool = { false }
  ) throws(Errno) {
    while !reader.isAtEnd {
      try asking { files throws(Errno) in try reader.piece(files, room: room, into: &answers) }
      if !answers.isEmpty || stops() { return }
    }
  }

  /// Whether somebody may know of all files that there are: whoever owns the space, and the superuser.
  func isOwner(_ opener: Opener) throws(Errno) -> Bool {
    if opener.seesEverything { return true }
    return try fileSystem.attributes(of: .root).owner == opener.user
  }

  /// Brings what answers are made of up to date.
  ///
  /// - Throws: `EOPNOTSUPP` if there is no catalog.
  func prepareToAnswer() throws(Errno) {
    guard fileSystem.locked({ $0.index.hasCatalog }) else { throw .notSupported }
    try fileSystem.cataloguer.settle()
  }
}
