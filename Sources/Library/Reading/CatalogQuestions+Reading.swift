// How a question reads files and rows: from a moment, without the lock of the file system.
//
// Invariants
// 1. Everything that a question reads comes from one moment, which begins after the question was asked. So an answer
//    shows that state.
// 2. A moment may end, because it must delay neither cleaning nor a program that needs room on a full disk. Then the
//    same is read from a later moment, `mostMoments` times, and finally from the present files under the lock: these
//    cannot end. The present files also serve when no moment can be had because the index cannot commit its changes.

internal import Albums
internal import Index
internal import SystemPackage

/// The moment from which the parts of an answer are read.
struct AskedMoment {
  fileprivate(set) var moment: CatalogMoment?

  /// The moment begins with the first part.
  init() {}
}

extension CatalogQuestions {
  /// Moments that are tried for one part of an answer.
  private static let mostMoments = 3

  /// Reads the present state of files and rows. If the moment ends, `body` is called again and must start over.
  func asking<Result>(_ body: (CatalogFiles) throws(Errno) -> Result) throws(Errno) -> Result {
    var asked = AskedMoment()
    return try reading(&asked, body)
  }

  /// Reads from the moment of an answer. If it has ended, `body` is called again with a later one, which then becomes
  /// the moment of the answer.
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

  /// Reads a small part of the present files and rows, under the lock.
  func present<Result>(_ body: (CatalogFiles) throws(Errno) -> Result) throws(Errno) -> Result {
    try fileSystem.reading { files throws(Errno) in
      // A lost transaction is recorded here, as an operation that met it would.
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
