@testable import Media

/// A file as some writer makes it.
struct WriterFile: Sendable, CustomStringConvertible {
  enum Recipe: Sendable {
    /// What exiftool writes into a file of that ending with these options.
    case exiftool(String, [String])
    /// A MOV to which ffmpeg gives a text under a key.
    case video(String, String)
    /// A sidecar with descriptions in XMP.
    case xmp(String)
    /// A JPEG with an EXIF block.
    case exif([(UInt16, TIFFBuilder.Field)])
  }

  let description: String
  let recipe: Recipe

  init(_ description: String, _ recipe: Recipe) {
    self.description = description
    self.recipe = recipe
  }

  static func exiftool(_ options: String, in ending: String = "jpg") -> WriterFile {
    let parts = options.split(separator: " -").map { "-" + String($0.drop { $0 == "-" }) }
    return WriterFile("\(ending) \(options)", .exiftool(ending, parts))
  }

  static func video(_ key: String, _ text: String) -> WriterFile { WriterFile("\(key) \(text)", .video(key, text)) }

  static func xmp(_ descriptions: String) -> WriterFile { WriterFile(descriptions, .xmp(descriptions)) }

  /// A position in EXIF, of fractions that may have signs.
  static func position(
    _ latitude: [(Int32, Int32)], _ north: String?, _ longitude: [(Int32, Int32)], _ east: String?
  ) -> WriterFile {
    var fields: [(UInt16, TIFFBuilder.Field)] = [(2, .signedFractions(latitude)), (4, .signedFractions(longitude))]
    if let north { fields.append((1, .ascii(north))) }
    if let east { fields.append((3, .ascii(east))) }
    return WriterFile(
      "\(latitude) \(north ?? "nowhere") \(longitude) \(east ?? "nowhere")", .exif([(34853, .directory(fields))]))
  }

  /// A maker's note: its beginning, and a directory behind that.
  static func note(_ start: [UInt8], _ tag: UInt16, _ value: UInt32) -> WriterFile {
    let directory = TIFFBuilder().directory([(tag, .long(value))], at: start.count)
    return WriterFile(
      "note \(tag) \(value)", .exif([(34665, .directory([(37500, .undefined(start + directory))]))]))
  }
}

extension Bench {
  /// Makes all of them, and gives their names in that order.
  func make(_ files: [WriterFile]) throws -> [String] {
    let picture = try quarters("base.jpg", width: 96, height: 64)
    try shell(
      """
      ffmpeg -v error -loop 1 -i quarters.ppm -t 1 -r 5 -c:v libx264 -pix_fmt yuv420p base.mov
      ffmpeg -v error -i base.mov -c copy base.mp4
      """)
    var (names, script, options): ([String], [String], [String]) = ([], [], [])
    for (number, file) in files.enumerated() {
      let start = "file\(number)."
      switch file.recipe {
      case .exiftool(let ending, let list):
        names.append(start + ending)
        script.append("cp base.\(ending) \(start + ending)")
        if !options.isEmpty { options.append("-execute") }
        options += list + [start + ending]
      case .video(let key, let text):
        names.append(start + "mov")
        // Of keys that QuickTime has not always had, ffmpeg writes none unless it is told to.
        let flags = key.contains(".") ? "-movflags use_metadata_tags" : ""
        script.append("ffmpeg -v error -i base.mov -c copy \(flags) -metadata '\(key)=\(text)' \(start)mov")
      case .xmp(let descriptions):
        names.append(start + "xmp")
        try write(.xmp(descriptions), to: start + "xmp")
      case .exif(let fields):
        names.append(start + "jpg")
        try write(picture.adding(exif: TIFFBuilder().file([fields])), to: start + "jpg")
      }
    }
    try write(Array(options.joined(separator: "\n").utf8), to: "options")
    if !options.isEmpty { script.append("exiftool -@ options -common_args -q -q -m -n -overwrite_original") }
    try shell(script.joined(separator: "\n"))
    return names
  }

  /// What the decoder says of files in the directory.
  func facts(_ names: [String]) throws -> [FileFacts] {
    let decoder = Bench.decoder()
    return try names.map { name in
      let bytes = try file(name)
      return name.hasSuffix(".xmp")
        ? try FileFacts(decoder.sidecar(.xmp, content: bytes)) : try decoder.facts(bytes)
    }
  }
}
