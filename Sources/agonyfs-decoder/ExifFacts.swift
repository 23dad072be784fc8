internal import Media

/// What EXIF says about a picture (CIPA DC-008, Exif 2.32), limited to what agonyfs uses.
struct ExifFacts {
  /// 1 to 8; nil if not given.
  var orientation: Int?
  private var time: CaptureTime?
  private var place: Place?
  private var make: String?
  private var model: String?

  /// From a block of a picture's metadata, with or without the leading name.
  init?(block: [UInt8]) {
    let isNamed = block.starts(with: Array("Exif\0\0".utf8))
    guard let file = TIFFFile(MemoryBytes(content: block), base: isNamed ? 6 : 0) else { return nil }
    self.init(file)
  }

  /// From the first directory of a TIFF and the directories that it refers to.
  init?(_ file: TIFFFile) {
    guard let (entries, _) = file.directory(at: file.first) else { return nil }
    orientation = file.number(entries[274]).flatMap { (1...8).contains($0) ? Int($0) : nil }
    make = file.text(entries[271]).flatMap(MediaFacts.tidy)
    model = file.text(entries[272]).flatMap(MediaFacts.tidy)
    let details = file.number(entries[34665]).flatMap { file.directory(at: $0) }?.entries ?? [:]
    read(file, entries, details)
    if let places = file.number(entries[34853]).flatMap({ file.directory(at: $0) })?.entries {
      readPlace(file, places)
    }
  }

  /// From separate directories, as in CR3.
  init(main: ExifFacts?, details: TIFFFile?, places: TIFFFile?) {
    if let main { self = main }
    if let details, let (entries, _) = details.directory(at: details.first) { read(details, [:], entries) }
    if let places, let (entries, _) = places.directory(at: places.first) { readPlace(places, entries) }
  }

  /// The time of taking, else of digitising, else of the last change of the file; each has its own offset.
  private mutating func read(
    _ file: TIFFFile, _ entries: [UInt16: TIFFFile.Entry], _ details: [UInt16: TIFFFile.Entry]
  ) {
    for (tag, offset): (UInt16, UInt16) in [(36867, 36881), (36868, 36882)] {
      guard let text = file.text(details[tag]) else { continue }
      time = CaptureTime(exif: text, offset: file.text(details[offset]))
      if time != nil { return }
    }
    guard let text = file.text(entries[306]), let changed = CaptureTime(exif: text, offset: file.text(details[36880]))
    else { return }
    time = changed
  }

  private mutating func readPlace(_ file: TIFFFile, _ entries: [UInt16: TIFFFile.Entry]) {
    func degrees(_ tag: UInt16, negative: UInt8) -> Double? {
      guard let parts = file.fractions(entries[tag], count: 3), let side = file.text(entries[tag - 1])?.first else {
        return nil
      }
      return (parts[0] + parts[1] / 60 + parts[2] / 3600) * (side == negative ? -1 : 1)
    }
    guard let latitude = degrees(2, negative: 0x53), let longitude = degrees(4, negative: 0x57) else { return }
    place = Place(latitude: latitude, longitude: longitude)
  }

  /// Fills in what `facts` lacks.
  func fill(_ facts: inout MediaFacts) {
    if facts.captureSeconds == nil { facts.set(time) }
    if facts.latitude == nil { facts.set(place) }
    if facts.cameraMake == nil { facts.cameraMake = make }
    if facts.cameraModel == nil { facts.cameraModel = model }
  }
}
