import Catalog

@testable import Media

/// What the decoder says of a file, as the catalog sees it.
struct FileFacts {
  var list: FactList
  var item: MediaItem
  var taken: CapturedTime?

  init(_ bytes: [UInt8], kind: MediaKind = .jpeg) throws {
    list = try FactList(decoding: bytes)
    item = MediaItem(inode: 1, kind: kind)
    taken = CapturedTime.resolve(item.offer(list))
  }

  /// The sources that say something of a subject, with what they say.
  func says(_ subject: FactValue.Subject) -> [Fact] { list.facts.filter { $0.value.subject == subject } }
}

extension Decoder {
  /// The facts of a file's bytes.
  func facts(_ bytes: [UInt8], small: [UInt8]? = nil) throws -> FileFacts {
    try FileFacts(facts(of: MemorySource(bytes), small: small))
  }
}

extension Bench {
  /// Makes a picture in the directory and has exiftool write tags into it.
  func tagged(_ name: String, _ tags: String, saving: String = "") throws -> [UInt8] {
    let make =
      name.hasSuffix("mp4") || name.hasSuffix("mov")
      ? "ffmpeg -v error -y -loop 1 -i quarters.ppm -t 1 -r 5 -c:v libx264 -pix_fmt yuv420p \(name)"
      : "vips copy quarters.ppm '\(name)[\(saving)]'"
    let script = "\(make)\nexiftool -q -m -overwrite_original \(tags) \(name)"
    return try quarters(name, width: 96, height: 64, by: script)
  }
}

extension [UInt8] {
  /// XMP around descriptions.
  static func xmp(_ descriptions: String) -> [UInt8] {
    let rdf = "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
    return Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\(rdf)\(descriptions)</rdf:RDF></x:xmpmeta>".utf8)
  }

  /// A JPEG with XMP.
  func adding(xmp descriptions: String) -> [UInt8] {
    adding(segments: [(0xe1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + .xmp(descriptions))])
  }
}
