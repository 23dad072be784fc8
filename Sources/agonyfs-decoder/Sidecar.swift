internal import Catalog
internal import Media

/// A job on a sidecar, a file with metadata for a photo.
enum Sidecar {
  /// The facts in the sidecar.
  static func facts(_ request: SidecarRequest) throws(DecoderError) -> FactList {
    var list = FactList()
    switch request.kind {
    case .xmp:
      guard let xmp = XMPReader(request.content) else { throw .undecodable("it is not XMP") }
      list.add(FieldTables.xmp, from: .sidecar, xmp.find)
      list.add(xmp.find("photoshop:SidecarForExtension").first.map(FactValue.mediaEnding), from: .sidecar)
    case .takeout:
      guard let json = JSONTexts(request.content) else { throw .undecodable("it is not JSON") }
      list.add(FieldTables.takeout, from: .takeout) { json.values[$0] ?? [] }
    case .appleAdjustments:
      // The list describes edits of the picture. A record has no field for them.
      let start = request.content.prefix(4096)
      guard start.starts(with: Array("bplist00".utf8)) || String(decoding: start, as: UTF8.self).contains("<plist")
      else { throw .undecodable("it is not a property list") }
    }
    return list
  }
}
