// One mounted space for the gallery, independent of HTTP.
//
// Invariants
// 1. Everything is opened below the root's descriptor (SpaceRoot), so no path leads out of the space.
// 2. A browser refers to files only by a `SpacePath` or by a number in a snapshot.

internal import Catalog
internal import Client
internal import HostFiles
internal import System
internal import SystemPackage

/// One mounted space. Its calls block; they may be made on any thread, and concurrently.
public final class Gallery: Sendable {
  let root: SpaceRoot
  let calls: FileCalls
  let uploadTable = UploadTable()
  /// The cached suggestions for searches.
  let suggestionTable = SuggestionTable()

  /// The space with this open root directory. The gallery owns the descriptor from then on.
  public convenience init(root: CInt) { self.init(root: SpaceRoot(Descriptor(root)), FileCalls()) }

  /// The space, with system calls that a test can make fail.
  init(root: SpaceRoot, _ calls: FileCalls) {
    self.root = root
    self.calls = calls
  }

  /// The uploads into the space.
  public var uploads: Uploads { Uploads(gallery: self) }

  /// Closes the directories that are kept open, so that the space can be unmounted after the gallery is released.
  public func end() { uploadTable.close() }

  /// Whether the mount is read-only.
  public func isReadOnly() throws(GalleryError) -> Bool {
    try GalleryError.of("The space") { try calls.isReadOnly(root.descriptor) }
  }

  func ask(_ request: CatalogRequest) throws -> AnswerReader {
    do {
      return try AnswerReader(stream(request)) { [self] cursor, told in
        try stream(request.rest(after: cursor, told: told))
      }
    } catch let error as Errno where error == .argListTooLong {
      throw GalleryError(.badRequest, "The query is too long for a read-only space.")
    } catch let error as Errno where error == .noSuchFileOrDirectory || error == .notDirectory {
      throw GalleryError(.unavailable, "The space is not mounted any more.")
    }
  }

  private func stream(_ request: CatalogRequest) throws(Errno) -> DoorStream {
    let door = try CatalogDoor(of: root)
    try door.ask(request.bytes)
    return DoorStream(door)
  }

  /// Queries the catalog, and calls `body` for each line of JSON in its answer.
  @discardableResult
  func lines(_ request: CatalogRequest, _ body: (JSONValue) throws -> Void) throws -> AnswerTrailer {
    var reader = try ask(request)
    return try reader.lines { line in try body(JSONReader.value(of: Array(line))) }
  }
}
