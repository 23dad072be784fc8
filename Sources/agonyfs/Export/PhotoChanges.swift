// How photos are changed for an export.
//
// Invariants
// 1. Photos are parsed only in the decoder's process.
// 2. With --strip, a file that the decoder cannot strip is not exported.

internal import Catalog
internal import Client
internal import Export
internal import Glibc
internal import Media
internal import SystemPackage

/// Makes copies without metadata, smaller copies, and sidecars.
final class PhotoChanges: ExportChanges {
  private let strip: StripMode?
  private let side: Int?
  private let writesWords: Bool
  private let space: any ExportSpace
  private let library: PhotoLibrary
  private let decoder: Decoder?
  /// The number of photos that have a sidecar in the space: that one was exported, so none was written.
  private(set) var withOwnSidecar = 0

  private let exportsSidecars: Bool

  init(_ command: ExportCommand, _ space: any ExportSpace, _ library: PhotoLibrary, exportsAll: Bool) throws {
    exportsSidecars = exportsAll && command.strip == nil
    strip = command.strip?.mode
    side = command.resize
    writesWords = command.xmp
    self.space = space
    self.library = library
    decoder = strip == nil && side == nil ? nil : DecoderProgram.decoder(command.decoder.decoderSandbox)
    if let decoder { try DecoderProgram.start(decoder) }
  }

  func stop() { decoder?.stop() }

  func form(of path: [UInt8], _ file: any ExportedFile) throws(ExportFailure) -> ExportForm {
    guard let decoder else { return .original }
    let source = ExportedSource(file: file)
    let name = Array(BytePath(path).last)
    if let side {
      do throws(DecoderError) {
        let bytes = try decoder.resized(source, to: side)
        return .changed(MemoryContent(bytes), name: Self.jpegName(name), hasTime: strip != .all)
      } catch {
        // Videos and other files have no size to change.
        if error != .notMedia, error != .video { throw Self.failure(error) }
      }
    }
    guard let strip else { return .original }
    do throws(DecoderError) {
      let recipe = try decoder.stripped(source, strip)
      let pieces = recipe.pieces.map { piece -> ComposedContent.Piece in
        switch piece {
        case .range(let range): .range(range)
        case .bytes(let bytes): .bytes(bytes)
        case .zeros(let count): .zeros(count)
        }
      }
      return .changed(ComposedContent(file, pieces), name: name, hasTime: strip != .all)
    } catch {
      throw Self.failure(error)
    }
  }

  private static func failure(_ error: DecoderError) -> ExportFailure {
    switch error {
    case .notMedia: .unchangeable("it is neither a picture nor a video")
    case .undecodable(let reason): .unchangeable(reason)
    case .tooLarge: .unchangeable("it has too many pixels")
    case .crashed: .unchangeable("the decoder ended while it read it")
    case .killed: .unchangeable("the decoder was killed while it read it")
    case .timedOut: .unchangeable("it took too long")
    case .unavailable(let reason): .unchangeable("the decoder cannot be used: \(reason)")
    case .source(let error): .source(error.rawValue)
    }
  }

  /// The name of a JPEG that is made from a picture.
  static func jpegName(_ name: [UInt8]) -> [UInt8] {
    let (stem, ending) = BytePath(name).parts
    let word = String(decoding: ending, as: UTF8.self).lowercased()
    return word == ".jpg" || word == ".jpeg" ? name : Array(stem) + Array(".jpg".utf8)
  }

  // MARK: Words

  func sidecar(of path: [UInt8], _ file: any ExportedFile) throws(ExportFailure) -> [UInt8]? {
    guard writesWords else { return nil }
    let attributes: [(name: [UInt8], value: [UInt8])]
    do throws(Errno) { attributes = try file.attributes() } catch { throw .source(error.rawValue) }
    var words: [UserWord: [UInt8]] = [:]
    for (name, value) in attributes {
      if let word = UserWord(name: name) { words[word] = value }
    }
    let found = (try? library.facts(of: path))?.facts
    let sidecar = WordsSidecar(words, takeout: found, places: strip == nil, times: strip != .all)
    guard let sidecar else { return nil }
    // The photo's existing sidecar holds another program's data; it is exported unchanged.
    if exportsSidecars, hasOwnSidecar(path) {
      withOwnSidecar += 1
      return nil
    }
    let bytes = sidecar.bytes
    guard bytes.count <= Decoder.mostSidecarBytes else { throw .unchangeable("its words are too long for a sidecar") }
    return bytes
  }

  private func hasOwnSidecar(_ path: [UInt8]) -> Bool {
    let path = BytePath(path)
    let names = [Array(path.last), Array(path.parts.stem)]
    return names.contains { name in
      [".xmp", ".XMP"].contains { ending in
        let directory = path.directory
        let sidecar = (directory.isEmpty ? [] : directory + [0x2F]) + name + Array(ending.utf8)
        return (try? space.status(of: sidecar)) != nil
      }
    }
  }
}

private struct ExportedSource: MediaSource {
  let file: any ExportedFile
  var size: Int64 { file.size }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try unsafe file.read(at: offset, into: buffer)
  }
}
