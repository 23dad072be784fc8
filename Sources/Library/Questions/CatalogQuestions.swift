package import Albums
package import Catalog
internal import Index
package import SystemPackage
internal import Vault

/// Asks the catalog of a file system. A question is answered from the state at the time it was asked, without the
/// lock of the file system. Only a bounded part of an answer is in memory.
package struct CatalogQuestions: Sendable {
  let fileSystem: FileSystem
  /// Calls `body` with the answers to a question, in order, until it returns false. Returns the position of the last
  /// one if there are more, for the next page. If the state ends in the middle, the remaining answers are from a
  /// later state.
  ///
  /// - Throws: `EIO`; `EOPNOTSUPP` if there is no catalog yet: the space was not mounted for writing since catalogs
  ///   exist.
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

  /// Answers that are collected before `body` gets them.
  private static let answersAtOnce = 1000

  /// Adds the next answers of a reader, from the same moment as those before; at least one, unless the reader is at
  /// the end.
  ///
  /// - Parameter isOfOne: whether all answers must be from one moment. If that moment ends after some answers were
  ///   given, the call throws `ECANCELED`; otherwise the reader continues in a later moment.
  func piece(
    _ reader: inout CatalogReader, of asked: inout AskedMoment, room: Int, into answers: inout [CatalogAnswer],
    isOfOne: Bool = false
  ) throws(Errno) {
    if reader.isCutOff { throw .canceled }
    try reading(&asked) { files throws(Errno) in
      if !reader.isOf(files) {
        // When no moment can be had, questions read the present files, and that state does not end.
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

  /// Counts the answers, regardless of the limit.
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

  /// Groups the answers, with the count of each group. A photo with two tags is in two groups.
  ///
  /// - Throws: as `answers(to:for:_:)`.
  package func groups(
    of question: CatalogQuestion, by field: GroupField, for opener: Opener
  ) throws(Errno) -> [AnswerGroup] {
    try prepareToAnswer()
    return try asking { files throws(Errno) in try groups(of: question, by: field, for: opener, files) }
  }

  /// As above, from the given files.
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

  /// Calls `body` for every answer, newest first. It may read `columns` of the row.
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

  /// Writes a line with the facts of the photo at a path from the root, and the sources of each fact.
  ///
  /// - Throws: `ENOENT` if there is no such file; `EISDIR` if it is a directory, `ENODATA` if it is neither a photo
  ///   nor a video, `EINPROGRESS` if it was not examined yet; `EACCES` if the user may not reach it or not read it.
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

  /// The reason that an existing file or directory lacks a row.
  private static func reasonForNoFacts(
    of inode: InodeNumber, _ files: CatalogFiles
  ) throws(Errno) -> Errno {
    guard let record = try files.record(inode) else { return .noSuchFileOrDirectory }
    if record.mode & FileKind.mask == FileKind.directory { return .isDirectory }
    // A file that does not begin like a photo or video lacks a row, and a file with a name that no photo has is not
    // examined.
    guard let row = try files.result(of: files.index.media.row(inode)), row.state != .other, row.state != .hidden else {
      return .noData
    }
    return .nowInProgress
  }

  /// Writes a photo that the user sees, with its facts and the values that duplicates are compared by.
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

  /// Whether a user may know about all files: the owner of the space and the superuser may.
  func isOwner(_ opener: Opener) throws(Errno) -> Bool {
    if opener.seesEverything { return true }
    return try fileSystem.attributes(of: .root).owner == opener.user
  }

  /// Brings the rows up to date before they are read.
  ///
  /// - Throws: `EOPNOTSUPP` if the space lacks a catalog.
  func prepareToAnswer() throws(Errno) {
    guard fileSystem.locked({ $0.index.hasCatalog }) else { throw .notSupported }
    try fileSystem.cataloguer.settle()
  }
}
