package import Albums
package import Catalog
internal import Index
package import SystemPackage
internal import Vault

/// Asks the catalog of a file system. A question is answered of the state that it was asked in, without the lock of the file
/// system. No more than a bounded part of an answer is kept.
package struct CatalogQuestions: Sendable {
  let fileSystem: FileSystem
  /// Calls `body` with the answers to a question, in order, until it returns false. Gives the place of the last one if
  /// there are more, for the next page. Where the state ends in the middle, the others are of a later one.
  ///
  /// - Throws: `EIO`; `EOPNOTSUPP` if there is no catalog yet: the space was not mounted for writing since there is one.
  @discardableResult
  package func answers(
    to question: CatalogQuestion, for opener: Opener, _ body: (CatalogAnswer) throws(Errno) -> Bool
  ) throws(Errno) -> Cursor? {
    try prepareToAnswer()
    var asked = AskedMoment()
    var reader = CatalogReader(question, for: opener, from: fileSystem)
    var answers: [CatalogAnswer] = []
    while !reader.isAtEnd {
      answers.removeAll(keepingCapacity: true)
      try piece(&reader, of: &asked, room: Self.answersAtOnce, into: &answers)
      for answer in answers {
        guard try body(answer) else { return Cursor(order: question.order, position: answer.position) }
      }
    }
    return reader.next
  }

  /// Answers that are made before they are given away.
  private static let answersAtOnce = 1000

  /// The next answers of a reader, of the moment of the others; at least one, unless it is at the end.
  ///
  /// - Parameter isOfOne: whether all answers are to be of one moment. Where that ends after some were given, it is
  ///   `ECANCELED`; otherwise the reader goes on in a later one.
  func piece(
    _ reader: inout CatalogReader, of asked: inout AskedMoment, room: Int, into answers: inout [CatalogAnswer],
    isOfOne: Bool = false
  ) throws(Errno) {
    if reader.isCutOff { throw .canceled }
    try reading(&asked) { files throws(Errno) in
      if !reader.isOf(files) {
        // Files that are asked as they are again, since no moment can be had, are of no state that ends.
        if isOfOne, reader.count > 0, reader.moment != nil || files.moment != nil {
          reader.isCutOff = true
          return
        }
        reader.goOn()
        if answers.count >= room { return }
      }
      try reader.piece(files, room: room, into: &answers)
    }
    if reader.isCutOff, answers.isEmpty { throw .canceled }
  }

  /// The number of answers, however many may be on a page.
  ///
  /// - Throws: as `answers(to:for:_:)`.
  package func count(of question: CatalogQuestion, for opener: Opener) throws(Errno) -> Int {
    try prepareToAnswer()
    return try asking { files throws(Errno) -> Int in
      var view = CatalogView(question, for: opener)
      var count = 0
      try everyAnswer(&view, files, stacks: question.stacks, []) { _, _ in count += 1 }
      return count
    }
  }

  /// The answers in groups, with the number of each. A photo with two tags is in two groups.
  ///
  /// - Throws: as `answers(to:for:_:)`.
  package func groups(
    of question: CatalogQuestion, by field: GroupField, for opener: Opener
  ) throws(Errno) -> [AnswerGroup] {
    try prepareToAnswer()
    return try asking { files throws(Errno) in try groups(of: question, by: field, for: opener, files) }
  }

  /// The same, of some files.
  func groups(
    of question: CatalogQuestion, by field: GroupField, for opener: Opener, _ files: CatalogFiles
  ) throws(Errno) -> [AnswerGroup] {
    var view = CatalogView(question, for: opener)
    var tally = CatalogTally(by: field)
    try everyAnswer(&view, files, stacks: question.stacks, CatalogTally.columns(for: field)) { row, seen in
      tally.add(row, seen)
    }
    return try tally.groups(&view, files)
  }

  /// Calls `body` for every answer, newest first. It may read some columns of the row.
  private func everyAnswer(
    _ view: inout CatalogView, _ files: CatalogFiles, stacks: Bool, _ columns: TimelineColumns,
    _ body: (borrowing Timeline, CatalogView.Seen) -> Void
  ) throws(Errno) {
    try view.prepare(files)
    let columns = view.columns(for: .nothing).union(columns).union(stacks ? .flags : [])
    var walk = CatalogWalk(within: view.within, columns)
    if let few = try view.few(files) { walk.restrict(to: few) }
    try walk.forEach(files) { row throws(Errno) in
      if let seen = try view.look(at: row, files), try view.stands(seen, row, files, stacks: stacks) { body(row, seen) }
      return true
    }
  }

  /// Adds the facts of the photo at a path from the root, and the sources of each, as a line.
  ///
  /// - Throws: `ENOENT` if there is no file there; `EISDIR`, `ENODATA` or `EINPROGRESS` if it is a directory, neither a
  ///   photo nor a video, or not examined yet; `EACCES` if the user may not get there or not read it.
  func writeFacts(ofPath path: [UInt8], for opener: Opener, to text: inout JSONText) throws(Errno) {
    try prepareToAnswer()
    let parts = path.split(separator: 0x2F).map { FileName(Array($0)) }
    let line = try asking { files throws(Errno) -> [UInt8] in
      var view = CatalogView(.all, showsTrash: true, for: opener)
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
      var line = JSONText()
      try view.write(row, try view.seen(inode, at: Array(own), files), showsSources: true, to: &line, files)
      return line.bytes
    }
    text.raw(line)
    text.endLine()
  }

  /// Why there is no row for something that is there.
  private static func reasonForNoFacts(
    of inode: InodeNumber, _ files: CatalogFiles
  ) throws(Errno) -> Errno {
    guard let record = try files.record(inode) else { return .noSuchFileOrDirectory }
    if record.mode & FileKind.mask == FileKind.directory { return .isDirectory }
    // What begins as no photo or video does has no row, and what has the name of none is not examined.
    guard let row = try files.result(of: files.index.media.row(inode)), row.state != .other, row.state != .hidden else {
      return .noData
    }
    return .nowInProgress
  }

  /// Adds a photo that somebody sees, with its facts and what duplicates are compared by.
  func writeFacts(
    of item: MediaItem, for opener: Opener, to text: inout JSONText, _ files: CatalogFiles
  ) throws(Errno) {
    var view = CatalogView(.all, showsTrash: false, for: opener)
    let inode = InodeNumber(rawValue: item.inode)
    var row = try CatalogWalk.row(of: inode, .all, files)
    guard try CatalogWalk.next(&row, files), let path = item.firstPath else { return }
    let comparison = ShownItem.Comparison(
      ownFacts: item.ownFacts, look: item.perceptualHash, sidecars: try view.sidecars(ofRecord: row.record, files))
    try view.write(row, try view.seen(inode, at: path, files), comparison: comparison, to: &text, files)
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
