internal import Catalog
internal import Import
internal import Logging
internal import Media

/// The confined processes that unpack archives and read what Google Takeout says of photos.
struct ArchiveReaders {
  private let unpacking = Self.decoder()
  private let describing = Self.decoder(lightJobs: 1024)

  private static func decoder(lightJobs: Int = Decoder.lightJobs) -> Decoder {
    Decoder(
      program: DecoderProgram.path, sandbox: .preferred, lightJobs: lightJobs,
      logger: Logger(label: "agonyfs", factory: { _ in SwiftLogNoOpLogHandler() }))
  }

  /// What an import uses.
  var tools: ArchiveTools {
    let describing = describing
    return ArchiveTools(unpacking) { content in
      guard let facts = try? describing.sidecar(.takeout, content: content), let list = try? FactList(decoding: facts)
      else { return nil }
      return TakeoutDescription(title: list.mediaName.map { Array($0.utf8) }, taken: list.universalTime?.seconds)
    }
  }

  /// Ends both.
  func stop() {
    unpacking.stop()
    describing.stop()
  }
}
