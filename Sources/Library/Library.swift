// The library of a file system: what is known of its photos, and the way to the parts that know it.
//
// Invariants
// 1. A library belongs to one file system, which tells it of every change from its beginning to its end.
// 2. What it keeps of photos in memory, `thumbnails` and `catalog`, is guarded by the lock of that file system, and reached
//    through a `LockedFileSystem` only.

package import Albums
internal import Logging
internal import System
internal import SystemPackage

/// What is known of the photos of a file system. It is opened with one, and tells it of changes.
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

  /// The library that is told of a file system's changes.
  fileprivate static func told(by sink: any ChangeSink) -> Library {
    guard let library = sink as? Library else { preconditionFailure("the file system was opened without a library") }
    return library
  }

  // MARK: From the beginning to the end

  /// How long the end of a mount waits for rows of the catalog, in nanoseconds.
  private static let longestSettling: UInt64 = 1_000_000_000

  package func begin(_ fileSystem: FileSystem) {
    fileSystem.locked { $0.catalogUpdates.loadHomeZone() }
    fileSystem.cataloguer.loadHomeRules()
  }

  package func work(in fileSystem: FileSystem) -> [@Sendable () -> Void] {
    guard let maker = options.thumbnails?.maker else { return [] }
    let run: @Sendable () -> Void = { fileSystem.thumbnailer.run() }
    // One is free for what somebody waits for.
    return Array(repeating: run, count: maker.jobsAtOnce + 1)
  }

  package func endWork(in fileSystem: FileSystem) { fileSystem.thumbnailer.end() }

  package func settle(_ fileSystem: FileSystem) {
    // Whoever asks a vault that is not mounted has only what is stored.
    do throws(Errno) {
      try fileSystem.cataloguer.settle(until: monotonicTime() + Self.longestSettling)
    } catch {
      fileSystem.logger.warning("the catalog could not be brought up to date: \(error)")
    }
  }
}

extension FileSystem {
  /// What is known of its photos.
  var library: Library { Library.told(by: changeSink) }

  /// Makes thumbnails, and tells how far they are.
  package var thumbnailer: Thumbnailer { Thumbnailer(fileSystem: self) }
  /// Brings the catalog up to date.
  package var cataloguer: Cataloguer { Cataloguer(fileSystem: self) }
  /// Finds files that are the same.
  package var duplicates: DuplicateFinder { DuplicateFinder(fileSystem: self) }
  /// Asks the catalog.
  package var questions: CatalogQuestions { CatalogQuestions(fileSystem: self) }
}

extension LockedFileSystem {
  /// What is known of its photos.
  var library: Library { Library.told(by: changeSink) }

  var thumbnails: ThumbnailState {
    _read { yield library.thumbnails }
    nonmutating _modify { yield &library.thumbnails }
  }
  var catalog: CatalogState {
    _read { yield library.catalog }
    nonmutating _modify { yield &library.catalog }
  }

  /// What is to be done about thumbnails, and about rows of the catalog: each of these holds the lock, too.
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

/// Notes which contents were looked at, and what was made of them.
struct MediaUpdates: ~Copyable { var files: LockedFileSystem }
/// Notes what the catalog has to look at again, and brings its rows up to date.
struct CatalogUpdates: ~Copyable { var files: LockedFileSystem }
