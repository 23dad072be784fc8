// How a question reads files and rows: of a moment, without the lock of the file system.
//
// Invariants
// 1. What a question reads is of one moment, which begins after it was asked: an answer is of the state then.
// 2. A moment may end, since it delays neither cleaning nor anybody who needs room on a full disk. What was asked of it is
//    asked of a later one then, `mostMoments` times, and at last of the files as they are, under the lock: these cannot end.
//    So it is where no moment can be had, since the index cannot commit what was changed.

internal import Albums
internal import Index
internal import SystemPackage

/// The moment that the parts of an answer are read of.
struct AskedMoment {
  fileprivate(set) var moment: CatalogMoment?

  /// One that begins with the first part.
  init() {}
}

extension CatalogQuestions {
  /// Moments that are tried for one part of an answer.
  private static let mostMoments = 3

  /// Reads files and rows as they are now. `body` is called again where the moment ends, and begins anew then.
  func asking<Result>(_ body: (CatalogFiles) throws(Errno) -> Result) throws(Errno) -> Result {
    var asked = AskedMoment()
    return try reading(&asked, body)
  }

  /// Reads the moment of an answer. Where it has ended, `body` is called again with a later one, which is that of the
  /// answer from then on.
  func reading<Result>(
    _ asked: inout AskedMoment, _ body: (CatalogFiles) throws(Errno) -> Result
  ) throws(Errno) -> Result {
    let readers = fileSystem.library.readers
    for _ in 0..<Self.mostMoments {
      do throws(Errno) {
        var known = asked.moment
        if known == nil { known = try? takeMoment() }
        guard let moment = known else { break }
        asked.moment = moment
        return try readers.withIndex(of: moment.files.pages) { index throws(Errno) in
          try body(CatalogFiles(moment, index, of: fileSystem))
        }
      } catch {
        guard error == .canceled else { throw error }
        asked.moment = nil
      }
    }
    return try present(body)
  }

  /// Reads a little of files and rows as they are, under the lock.
  func present<Result>(_ body: (CatalogFiles) throws(Errno) -> Result) throws(Errno) -> Result {
    try fileSystem.reading { files throws(Errno) in
      // A transaction that was lost is noted, as where an operation met that.
      defer { if files.index.isReadOnly, files.refusal == nil { _ = files.failed(.transactionLost) } }
      return try body(CatalogFiles(present: files, of: fileSystem))
    }
  }

  private func takeMoment() throws(Errno) -> CatalogMoment {
    let readers = fileSystem.library.readers
    let moment = try fileSystem.locked { files throws(Errno) in
      CatalogMoment(try files.moment { readers.pages(of: $0) }, homeZone: files.catalog.homeZone)
    }
    readers.note(moment.files)
    return moment
  }
}
