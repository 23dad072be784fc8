internal import Media

/// A camera's raw file: its largest preview and its facts. The raw pixels are not decoded.
struct RawFile {
  /// A JPEG in the raw file.
  struct Preview {
    var start: Int64
    var count: Int64
    var width: Int
    var height: Int
  }

  /// The preview with the most pixels.
  private(set) var preview: Preview?
  /// The stored size of the raw picture, before turning; nil if unknown.
  private(set) var size: (width: Int, height: Int)?
  /// The EXIF of the raw file. Previews may have more fields.
  private(set) var exif: ExifReader?
  /// The XMP of the raw file, unless it is in EXIF.
  private(set) var xmp: [UInt8]?
  private let source: any ByteSource

  private init(_ source: any ByteSource) { self.source = source }

  /// Uses a JPEG as the preview if it has more pixels than the present one.
  private mutating func offer(start: Int64, count: Int64) {
    guard start >= 0, count > 0, start < source.size, let shape = source.jpegShape(at: start) else { return }
    if let preview, preview.width * preview.height >= shape.width * shape.height { return }
    preview = Preview(
      start: start, count: min(count, source.size - start), width: shape.width, height: shape.height)
  }

  /// Reads Fujifilm's RAF. Its header of big-endian numbers points to a JPEG, which contains the EXIF.
  init?(raf source: any ByteSource) {
    guard let places = source.exactly(8, at: 84) else { return nil }
    self.init(source)
    let numbers = [places[..<4], places[4...]].map { $0.reduce(0) { $0 << 8 | Int64($1) } }
    offer(start: numbers[0], count: numbers[1])
  }

  /// Reads Canon's CR3, which consists of ISO boxes: four with TIFFs for EXIF, and Canon's boxes for previews.
  init?(cr3 source: any ByteSource) {
    self.init(source)
    var parts: [String: TIFFFile] = [:]
    for box in BoxFile(source).boxes(inside: ["moov", "uuid"]) {
      switch box.type {
      case "CMT1", "CMT2", "CMT4": parts[box.type] = TIFFFile(source, base: box.start)
      case "PRVW", "THMB":
        // The length of the short header depends on its version.
        guard let head = source.bytes(at: box.start, count: 64) else { continue }
        for at in head.indices.dropLast(2) where head[at] == 0xff && head[at + 1] == 0xd8 && head[at + 2] == 0xff {
          offer(start: box.start + Int64(at), count: box.end - box.start - Int64(at))
          break
        }
      case "uuid" where source.exactly(16, at: box.start - 16) == BoxFile.xmpName: xmp = box.content(source)
      default: continue
      }
    }
    exif = ExifReader(main: parts["CMT1"], details: parts["CMT2"], places: parts["CMT4"])
  }

  /// Reads a format based on TIFF; nil for a plain TIFF.
  init?(tiff source: any ByteSource, isCertain: Bool) {
    guard let file = TIFFFile(source) else { return nil }
    self.init(source)
    let directories = file.directories()
    guard isCertain || directories.contains(where: { Self.isRaw(file, $0) }) else { return nil }
    for entries in directories {
      offer(file, position: 513, length: 514, in: entries)
      // TIFF's new and old JPEG compression, if the picture is a single strip.
      if [6, 7].contains(file.number(entries[259])), entries[273]?.count == 1 {
        offer(file, position: 273, length: 279, in: entries)
      }
      // Panasonic keeps the whole JPEG in a field.
      if let entry = entries[46], entry.type == 7 { offer(start: entry.offset, count: Int64(entry.count)) }
      if Self.isMosaic(file, entries), let width = file.number(entries[256]), let height = file.number(entries[257]),
        (1...Int64(MediaFacts.mostSide)).contains(width), (1...Int64(MediaFacts.mostSide)).contains(height)
      {
        if let size, size.width * size.height >= Int(width * height) { continue }
        size = (Int(width), Int(height))
      }
    }
    exif = ExifReader(file)
    offerOlympus(file)
  }

  private mutating func offer(
    _ file: TIFFFile, position: UInt16, length: UInt16, in entries: [UInt16: TIFFFile.Entry]
  ) {
    guard let start = file.number(entries[position]), let count = file.number(entries[length]) else { return }
    offer(start: file.base + start, count: count)
  }

  /// Olympus and OM point to the preview in the camera settings of the maker note, whose offsets count from the note.
  private mutating func offerOlympus(_ file: TIFFFile) {
    guard let (entries, _) = file.directory(at: file.first),
      let details = file.number(entries[34665]).flatMap({ file.directory(at: $0) })?.entries, let note = details[37500],
      let head = source.exactly(16, at: note.offset)
    else { return }
    let starts: [(name: String, start: Int64)] = [("OLYMPUS\0", 12), ("OM SYSTEM\0", 16)]
    guard let start = starts.first(where: { head.starts(with: $0.name.utf8) })?.start else { return }
    let inner = TIFFFile(file, base: note.offset, first: start)
    guard let settings = inner.directory(at: start)?.entries[0x2020],
      let offset = settings.type == 13 || settings.type == 4 ? inner.number(settings) : settings.offset - note.offset,
      let (camera, _) = inner.directory(at: offset)
    else { return }
    offer(inner, position: 0x101, length: 0x102, in: camera)
  }

  /// Whether a directory holds raw pixels: a colour filter array, or linear pixels computed from one (TIFF/EP, DNG).
  private static func isMosaic(_ file: TIFFFile, _ entries: [UInt16: TIFFFile.Entry]) -> Bool {
    [32803, 34892].contains(file.number(entries[262]))
  }

  /// Whether a directory has raw pixels, a DNG version, or a compression of Nikon, Sony or Pentax.
  private static func isRaw(_ file: TIFFFile, _ entries: [UInt16: TIFFFile.Entry]) -> Bool {
    isMosaic(file, entries) || entries[50706] != nil || [34713, 32767, 65535].contains(file.number(entries[259]))
  }
}
