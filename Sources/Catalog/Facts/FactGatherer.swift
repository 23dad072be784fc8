/// Gathers the facts of one source of a file, from texts and the rows of the source's table.
package struct FactGatherer {
  private var texts: [FactPart: [String]] = [:]

  /// An empty gatherer.
  package init() {}

  /// Adds the texts that `find` returns for each key of a table.
  package mutating func take<Key>(_ table: [FieldMapping<Key>], _ find: (Key) -> [String]) {
    for row in table {
      let found = find(row.key)
      if !found.isEmpty { texts[row.part, default: []] += found }
    }
  }

  /// Adds the gathered facts to a list.
  package func add(to list: inout FactList, from source: FactSource) {
    list.add(time(from: source).map(FactValue.time), from: source)
    list.add(position(from: source).map(FactValue.position), from: source)
    list.add(altitude(from: source).map(FactValue.altitude), from: source)
    for field in FactField.allCases where ![.title, .caption, .tags].contains(field) {
      list.add(texts[.field(field)].flatMap { FactValue(field, $0) }, from: source)
    }
    list.add(first(.ratingPercent, FactText.ratingPercent).map(FactValue.rating), from: source)
    // Facts that may be long come last, so that they are the ones dropped if room runs out.
    let captions =
      (texts[.cameraCaption] ?? []).filter { !CameraCaptions.contains($0) } + (texts[.field(.caption)] ?? [])
    list.add(texts[.field(.title)].flatMap { FactValue(.title, $0) }, from: source)
    list.add(tags.isEmpty ? nil : .tags(tags), from: source)
    list.add(FactValue(.caption, captions), from: source)
  }

  private func first<T>(_ part: FactPart, _ read: (String) -> T?) -> T? { texts[part]?.lazy.compactMap(read).first }

  private var place: (latitude: Double, longitude: Double, altitude: Double?)? { first(.place, FactText.place) }

  private var tags: [String] {
    var tags = texts[.field(.tags)] ?? []
    for (part, found) in texts {
      switch part {
      case .flatTag: tags += found.map { TagLevels.escaped($0) }
      case .tagList(let separator):
        tags += found.flatMap { text in text.split(separator: separator).map { TagLevels.escaped($0) } }
      case .tagPaths(let separator):
        tags += found.map { text in
          let levels = text.split(separator: separator, omittingEmptySubsequences: false)
          return levels.map { TagLevels.escaped($0) }.joined(separator: "/")
        }
      default: continue
      }
    }
    return tags
  }

  /// Sources that only devices write. Videos have a separate year for music players, in addition to the exact time.
  private static let devices: Set<FactSource> = [.quickTime, .satellite, .header]

  private func time(from source: FactSource) -> TimeCandidate.Value? {
    if let value = first(.seconds, FactText.seconds) { return value }
    for group in 0..<3 {
      guard let value = texts[.time(group)]?.lazy.compactMap({ self.time($0, group) }).first else { continue }
      guard case .wall(let wall, let offset) = value else { return value }
      if wall.precision.isPartial {
        if Self.devices.contains(source) { continue }
        return value
      }
      guard [.satellite, .header].contains(source) else { return value }
      return wall.shifted(by: -(offset ?? 0)).map { .universal($0) }
    }
    return nil
  }

  private func time(_ text: String, _ group: Int) -> TimeCandidate.Value? {
    let joined = FactText.joined(day: text, clock: texts[.clock(group)]?.first ?? "") ?? text
    guard case .wall(let wall, let offset) = TimeText.parse(joined.utf8) else { return nil }
    if wall.precision != .second { return .wall(wall, offset: offset) }
    let nanoseconds = texts[.fraction(group)]?.first.flatMap { TimeText.fraction($0.utf8) } ?? wall.nanoseconds
    let zone = offset ?? texts[.zone(group)]?.first.flatMap { TimeText.offset($0.utf8) }
    let known = zone.flatMap { $0.magnitude <= UInt32(CapturedTime.mostOffset) ? $0 : nil }
    return WallTime(seconds: wall.seconds, nanoseconds: nanoseconds).map { .wall($0, offset: known) }
  }

  /// EXIF's numbers lack a sign, so without a valid side they do not give a position.
  private func position(from source: FactSource) -> Position? {
    if let place { return FactText.rounded(latitude: place.latitude, longitude: place.longitude) }
    let (norths, easts) = (texts[.latitude] ?? [], texts[.longitude] ?? [])
    let (northSide, eastSide) = (texts[.latitudeSide]?.first ?? "", texts[.longitudeSide]?.first ?? "")
    func isSide(_ text: String, of sides: String) -> Bool {
      text.lowercased().first.map { sides.contains($0) } ?? false
    }
    if source == .exif, !isSide(northSide, of: "ns") || !isSide(eastSide, of: "ew") { return nil }
    return zip(norths, easts).lazy.compactMap { (north, east) -> Position? in
      guard let latitude = FactText.degrees(north, side: northSide),
        let longitude = FactText.degrees(east, side: eastSide)
      else { return nil }
      return FactText.rounded(latitude: latitude, longitude: longitude)
    }.first
  }

  private func altitude(from source: FactSource) -> Double? {
    if let place { return position(from: source) == nil ? nil : place.altitude }
    let heights = texts[.height]?.compactMap { FactText.number($0, units: ["m"]) } ?? []
    // An altitude of 0 without a position means that both are unknown.
    guard let metres = heights.first(where: { $0 != 0 }) ?? heights.first, metres != 0 || position(from: source) != nil
    else { return nil }
    // Since Exif 3.0 two of the four values mean below the reference, which is the ellipsoid or the sea level.
    let side = first(.heightSide) { FactText.number($0, units: []) }
    return side == 1 || side == 3 ? -abs(metres) : metres
  }
}

extension FactList {
  /// Adds the facts of a format by the rows of a table; `find` returns the texts of a key, if any.
  package mutating func add<Key>(
    _ table: [FieldMapping<Key>], from source: FactSource, _ find: (Key) -> [String]
  ) {
    var gatherer = FactGatherer()
    gatherer.take(table, find)
    gatherer.add(to: &self, from: source)
  }
}

/// Texts that cameras write into every photo instead of a caption.
private enum CameraCaptions {
  private static let known: Set<String> = [
    "OLYMPUS DIGITAL CAMERA", "SONY DSC", "DIGITAL CAMERA", "MINOLTA DIGITAL CAMERA", "KONICA MINOLTA DIGITAL CAMERA",
    "SAMSUNG DIGITAL CAMERA", "SAMSUNG CAMERA PICTURES", "KODAK DIGITAL STILL CAMERA", "SANYO DIGITAL CAMERA",
    "Exif_JPEG_PICTURE", "Default", "<KENOX S630 / Samsung S630>", "Untitled", "hdrpl", "cof", "dav", "mde", "rhdr",
  ]

  static func contains(_ text: String) -> Bool {
    let text = Whitespace.trimmed(text)
    return known.contains(text) || text.hasPrefix("DCIM\\") || text.hasPrefix("dav_") || text.hasPrefix("LEAD Tech")
  }
}
