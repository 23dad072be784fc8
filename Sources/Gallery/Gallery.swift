// One mounted space as the gallery shows it. Nothing here speaks HTTP.
//
// Invariants
// 1. Whatever is opened is opened below the root's descriptor (SpaceRoot), so no path leads out of the space.
// 2. What a browser may name is a `SpacePath`, or a number in a snapshot.

internal import Catalog
internal import Client
internal import HostFiles
internal import System
internal import SystemPackage

/// One mounted space. Its calls block; they may be made on any thread, and several at a time.
public final class Gallery: Sendable {
  let root: SpaceRoot
  let calls: FileCalls
  let uploadTable = UploadTable()
  /// What searches could go on with.
  let suggestionTable = SuggestionTable()

  /// The space with an open root directory, whose descriptor becomes this one's.
  public convenience init(root: CInt) { self.init(root: SpaceRoot(Descriptor(root)), FileCalls()) }

  /// The same, with system calls that a test may let fail.
  init(root: SpaceRoot, _ calls: FileCalls) {
    self.root = root
    self.calls = calls
  }

  /// What is being received.
  public var uploads: Uploads { Uploads(gallery: self) }

  /// Lets go of what is kept open, so that the space can be unmounted when this is gone.
  public func end() { uploadTable.close() }

  /// Whether nothing can be written.
  public func isReadOnly() throws(GalleryError) -> Bool {
    try GalleryError.of("The space") { try calls.isReadOnly(root.descriptor) }
  }

  func ask(_ request: CatalogRequest) throws -> AnswerReader {
    do {
      return try AnswerReader(stream(request)) { [self] cursor, told in
        try stream(request.rest(after: cursor, told: told))
      }
    } catch let error as Errno where error == .argListTooLong {
      throw GalleryError(.badRequest, "The query is too long for a space that is open for reading only.")
    } catch let error as Errno where error == .noSuchFileOrDirectory || error == .notDirectory {
      throw GalleryError(.unavailable, "The space is not mounted any more.")
    }
  }

  private func stream(_ request: CatalogRequest) throws(Errno) -> DoorStream {
    let door = try CatalogDoor(of: root)
    try door.ask(request.bytes)
    return DoorStream(door)
  }

  /// Asks the catalog for lines of JSON.
  @discardableResult
  func lines(_ request: CatalogRequest, _ body: (JSONValue) throws -> Void) throws -> AnswerTrailer {
    var reader = try ask(request)
    return try reader.lines { line in try body(JSONReader.value(of: Array(line))) }
  }
}
