internal import Media

extension QueryParser {
  /// Words without a field.
  func words(_ text: QueryText) throws(QueryError) -> WordPattern {
    if !text.hasQuotes, ["AND", "OR", "NOT"].contains(text.text) {
      throw QueryError(
        "Write words next to each other for \"and\", a bar for \"or\", a minus for \"not\"; quote the word to find it",
        at: text.range)
    }
    if let star = text.stars.first, !text.isPrefix {
      throw QueryError("A star must be at the end of a word; elsewhere only in a field, such as name:*.jpg", at: star)
    }
    guard let pattern = WordPattern(text.parts.joined(), isPrefix: !text.stars.isEmpty) else {
      throw QueryError("There is no letter or digit to search for", at: text.range)
    }
    return pattern
  }

  /// A user-defined field with one value, which is not empty.
  func condition(own name: String, _ value: QueryText) throws(QueryError) -> Query {
    .condition(.own(Folding.folded(name), try textTest(value)))
  }

  /// A field with one value, which is not empty.
  func condition(_ field: QueryField, _ value: QueryText) throws(QueryError) -> Query {
    switch field {
    case .name: .condition(.text(.name, try textTest(value)))
    case .title: .condition(.text(.title, try textTest(value)))
    case .caption: .condition(.text(.caption, try textTest(value)))
    case .person: .condition(.text(.person, try textTest(value)))
    case .camera: .condition(.text(.camera, try textTest(value)))
    case .lens: .condition(.text(.lens, try textTest(value)))
    case .place: .condition(.text(.place, try textTest(value)))
    case .tag: .condition(.tag(try glob(value), isExact: value.starts(with: "=")))
    case .country: .condition(.country(try glob(value)))
    case .region: .condition(.region(try glob(value)))
    case .codec: .condition(.codec(try glob(value)))
    case .album: .condition(.album(try album(value)))
    case .type: .condition(.kinds(try kinds(value)))
    case .is: .condition(.flag(try flag(value)))
    case .has: .condition(try presence(value))
    case .hash: .condition(.hash(try hash(value)))
    case .date, .before, .after: .condition(try time(field, value))
    case .near: .condition(try near(value))
    case .rating: .condition(.number(.rating, try number(.rating, value)))
    case .size: .condition(.number(.size, try number(.size, value)))
    case .width: .condition(.number(.width, try number(.width, value)))
    case .height: .condition(.number(.height, try number(.height, value)))
    case .megapixels: .condition(.number(.megapixels, try number(.megapixels, value)))
    case .duration: .condition(.number(.duration, try number(.duration, value)))
    case .iso: .condition(.number(.iso, try number(.iso, value)))
    case .aperture: .condition(.number(.aperture, try number(.aperture, value)))
    case .exposure: .condition(.number(.exposure, try number(.exposure, value)))
    case .focal: .condition(.number(.focal, try number(.focal, value)))
    case .altitude: .condition(.number(.altitude, try number(.altitude, value)))
    case .fps: .condition(.number(.fps, try number(.fps, value)))
    }
  }

  /// Words; or a pattern of the whole text: after "=", or with a star that is not only at the end.
  private func textTest(_ value: QueryText) throws(QueryError) -> Query.TextTest {
    if value.starts(with: "=") || !value.stars.isEmpty && !value.isPrefix || value.parts == ["", ""] {
      return .whole(try glob(value))
    }
    guard let pattern = WordPattern(value.parts.joined(), isPrefix: value.isPrefix) else {
      throw QueryError("There is no letter or digit to search for", at: value.range)
    }
    return .words(pattern)
  }

  private func glob(_ value: QueryText) throws(QueryError) -> Glob {
    let text = value.starts(with: "=") ? value.dropFirst(1) : value
    if text.isEmpty { throw QueryError("A value is missing", at: text.range) }
    return Glob(parts: text.parts)
  }

  private func album(_ value: QueryText) throws(QueryError) -> AlbumPattern {
    let isExact = value.starts(with: "=")
    let path = isExact ? value.dropFirst(1) : value
    let isRooted = path.elements.first?.scalar == "/"
    // A slash separates even in quotes, because a directory's name cannot contain one.
    let components = path.elements.split { $0.scalar == "/" }.map { Glob(parts: path.part($0).parts) }
    guard !components.isEmpty || isRooted else { throw QueryError("A value is missing", at: path.range) }
    return AlbumPattern(components: components, isRooted: isRooted || isExact, isExact: isExact)
  }

  private func kinds(_ value: QueryText) throws(QueryError) -> Set<MediaKind> {
    switch value.lowered {
    case "photo", "image", "picture": return Set(MediaKind.catalogued.filter { !$0.isVideo })
    case "video", "movie": return Set(MediaKind.catalogued.filter(\.isVideo))
    case "jpg": return [.jpeg]
    case "tif": return [.tiff]
    case "heif": return [.heic]
    case "jpegxl": return [.jpegXL]
    case "quicktime": return [.quickTime]
    case let word:
      if let kind = MediaKind.catalogued.first(where: { $0.word == word }) { return [kind] }
      let known = ["photo", "video"] + MediaKind.catalogued.map(\.word)
      throw QueryError("type: must be one of \(known.joined(separator: ", "))", at: value.range)
    }
  }

  private func flag(_ value: QueryText) throws(QueryError) -> Query.Flag {
    switch value.lowered {
    case "favorite": return .favourite
    case "dup": return .duplicate
    case let word:
      if let flag = Query.Flag(rawValue: word) { return flag }
      let known = Query.Flag.allCases.map(\.rawValue).joined(separator: ", ")
      throw QueryError("is: must be one of \(known)", at: value.range)
    }
  }

  private func presence(_ value: QueryText) throws(QueryError) -> Query.Condition {
    switch value.lowered {
    case "date": return .has(.time)
    case "position": return .has(.gps)
    case "tag": return .has(.tags)
    case "person": return .has(.people)
    case let word:
      if let presence = Query.Presence(rawValue: word) { return .has(presence) }
      if let name = OwnField.name(in: value.text) { return .hasOwn(Folding.folded(name)) }
      let known = Query.Presence.allCases.map(\.rawValue).joined(separator: ", ")
      throw QueryError("has: must be one of \(known), or x. and a name of your own", at: value.range)
    }
  }

  private func hash(_ value: QueryText) throws(QueryError) -> String {
    let digits = value.lowered
    for (element, scalar) in zip(value.elements, digits.unicodeScalars)
    where !("0"..."9").contains(scalar) && !("a"..."f").contains(scalar) {
      throw QueryError("hash: takes hexadecimal digits", at: element.range)
    }
    guard (4...128).contains(value.elements.count), digits.utf8.count == value.elements.count else {
      throw QueryError("hash: takes 4 to 128 hexadecimal digits", at: value.range)
    }
    return digits
  }

  private func near(_ value: QueryText) throws(QueryError) -> Query.Condition {
    let parts = value.split(",")
    guard parts.count == 2 || parts.count == 3 else {
      throw QueryError(
        "near: takes latitude,longitude,distance without spaces, such as near:48.85,2.35,5km", at: value.range)
    }
    guard let latitude = Decimal(parts[0])?.value, (-90...90).contains(latitude) else {
      throw QueryError("A latitude is a number from -90 to 90", at: parts[0].range)
    }
    guard let longitude = Decimal(parts[1])?.value, (-180...180).contains(longitude),
      let position = Position(point: latitude, longitude)
    else { throw QueryError("A longitude is a number from -180 to 180", at: parts[1].range) }
    var metres = 1000.0
    if parts.count == 3 {
      let units: [(String, Double)] = [("km", 1000), ("mi", 1609.344), ("m", 1)]
      guard let (suffix, factor) = units.first(where: { parts[2].ends(with: $0.0) }),
        let number = Decimal(parts[2].dropLast(suffix.count))?.value
      else { throw QueryError("A distance needs a unit: m, km or mi, such as 5km", at: parts[2].range) }
      guard number > 0 else { throw QueryError("A distance must be more than 0", at: parts[2].range) }
      metres = number * factor
    }
    return .near(position, metres: metres)
  }
}
