// The library of a file system: the facts about its photos, and access to the parts that keep them.
//
// Invariants
// 1. A library belongs to one file system, which reports every change to it from its beginning to its end.
// 2. The library's state in memory, `thumbnails` and `catalog`, is guarded by the lock of that file system, and
//    reached through a `LockedFileSystem` only.

package import Albums
internal import Logging
internal import System
internal import SystemPackage

/// The facts about the photos of a file system. It is opened with the file system, which reports changes to it.
package final class Library: @unchecked Sendable {
  let options: LibraryOptions
  let contentMemory = ContentMemory()
  let readers = QuestionReaders()
  let sortingRoom = SortingRoom()

  fileprivate var thumbnails = ThumbnailState()
  fileprivate var catalog = CatalogState()

  /// A library for one file system.
  package init(_ options: LibraryOptions = LibraryOptions()) { self.options = options }

  /// A library that makes no thumbnails, for a file system in which a command moves data.
  package static func idle() -> any ChangeSink { Library() }

  /// The library that receives a file system's changes.
  fileprivate static func told(by sink: any ChangeSink) -> Library {
    guard let library = sink as? Library else { preconditionFailure("the file system was opened without a library") }
    return library
  }

  // MARK: From the beginning to the end

  /// How long the end of a mount waits for the catalog's rows, in nanoseconds.
  private static let longestSettling: UInt64 = 1_000_000_000

  package func begin(_ fileSystem: FileSystem) {
    fileSystem.locked { $0.catalogUpdates.loadHomeZone() }
    fileSystem.cataloguer.loadHomeRules()
  }

  package func work(in fileSystem: FileSystem) -> [@Sendable () -> Void] {
    guard let maker = options.thumbnails?.maker else { return [] }
    let run: @Sendable () -> Void = { fileSystem.thumbnailer.run() }
    // One more thread than the decoder takes jobs, so that a thread is free for a request that a program waits for.
    return Array(repeating: run, count: maker.jobsAtOnce + 1)
  }

  package func endWork(in fileSystem: FileSystem) { fileSystem.thumbnailer.end() }

  package func settle(_ fileSystem: FileSystem) {
    // A command that asks an unmounted vault has only the stored rows.
    do throws(Errno) {
      try fileSystem.cataloguer.settle(until: monotonicTime() + Self.longestSettling)
    } catch {
      fileSystem.logger.warning("the catalog could not be brought up to date: \(error)")
    }
  }
}

extension FileSystem {
  /// The facts about its photos.
  var library: Library { Library.told(by: changeSink) }

  /// Makes thumbnails, and reports how many are missing.
  package var thumbnailer: Thumbnailer { Thumbnailer(fileSystem: self) }
  /// Brings the catalog up to date.
  package var cataloguer: Cataloguer { Cataloguer(fileSystem: self) }
  /// Finds duplicate files.
  package var duplicates: DuplicateFinder { DuplicateFinder(fileSystem: self) }
  /// Answers questions about photos.
  package var questions: CatalogQuestions { CatalogQuestions(fileSystem: self) }
}

extension LockedFileSystem {
  /// The facts about the file system's photos.
  var library: Library { Library.told(by: changeSink) }

  var thumbnails: ThumbnailState {
    _read { yield library.thumbnails }
    nonmutating _modify { yield &library.thumbnails }
  }
  var catalog: CatalogState {
    _read { yield library.catalog }
    nonmutating _modify { yield &library.catalog }
  }

  /// The work on thumbnails and on rows of the catalog. Each of these values also proves that the lock is held.
  var mediaUpdates: MediaUpdates {
    _read { yield MediaUpdates(files: sameProof()) }
    _modify {
      var part = MediaUpdates(files: sameProof())
      yield &part
    }
  }
  var catalogUpdates: CatalogUpdates {
    _read { yield CatalogUpdates(files: sameProof()) }
    _modify {
      var part = CatalogUpdates(files: sameProof())
      yield &part
    }
  }
}

/// Records which contents were looked at, and which derivatives were made of them.
struct MediaUpdates: ~Copyable { var files: LockedFileSystem }
/// Records which rows of the catalog are stale, and brings them up to date.
struct CatalogUpdates: ~Copyable { var files: LockedFileSystem }
