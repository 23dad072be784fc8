internal import Catalog
internal import Import
internal import Media

/// The confined processes that unpack archives and read the descriptions in a Google Takeout.
struct ArchiveReaders {
  private let sandbox: SandboxPolicy
  private let unpacking: Decoder
  private let describing: Decoder

  init(_ sandbox: SandboxPolicy) {
    self.sandbox = sandbox
    unpacking = DecoderProgram.decoder(sandbox)
    describing = DecoderProgram.decoder(sandbox, lightJobs: 1024)
  }

  var tools: ArchiveTools {
    let describing = describing
    return ArchiveTools(unpacking) { content in
      guard let facts = try? describing.sidecar(.takeout, content: content), let list = try? FactList(decoding: facts)
      else { return nil }
      let taken = list.timesAndPositions
      return TakeoutDescription(
        title: list.mediaName.map { Array($0.utf8) }, taken: taken.facts.isEmpty ? nil : taken.encoded)
    }
  }

  /// A decoder that was needed and may not run.
  private var refused: Decoder? {
    guard sandbox == .required else { return nil }
    return [unpacking, describing].first { $0.sandboxState != .unknown && !$0.sandboxState.isFiltered }
  }

  var areRefused: Bool { refused != nil }

  /// Ends the import if the sources needed a decoder that may not run: photos would lose their descriptions.
  func check() throws {
    if let refused { try DecoderProgram.start(refused) }
  }

  func stop() {
    unpacking.stop()
    describing.stop()
  }
}
