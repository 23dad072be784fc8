internal import Catalog
internal import Import
internal import Media

/// The confined processes that unpack archives and read what Google Takeout says of photos.
struct ArchiveReaders {
  private let unpacking = DecoderProgram.silent()
  private let describing = DecoderProgram.silent(lightJobs: 1024)

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

  func stop() {
    unpacking.stop()
    describing.stop()
  }
}
