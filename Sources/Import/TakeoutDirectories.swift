/// What paths and names say about the directories of a Google Takeout.
enum TakeoutDirectories {
  private static let root = Array("Takeout".utf8)

  /// The path of a directory below "Google Photos", which is the same in all parts, and what is before it. Where there
  /// is no such directory, what is below "Takeout"; or else the whole path.
  static func split(_ directory: [UInt8]) -> (prefix: [UInt8], path: [UInt8], isBelowPhotos: Bool) {
    let names = directory.split(separator: 0x2F)
    let photos = names.indices.filter { TakeoutWords.photos.contains(TakeoutText.word(names[$0])) }
    let roots = names.indices.filter { names[$0].elementsEqual(root) }
    guard let last = photos.first(where: { $0 > 0 && names[$0 - 1].elementsEqual(root) }) ?? photos.first ?? roots.first
    else { return ([], Array(names.joined(separator: [0x2F])), false) }
    return (
      Array(names[...last].joined(separator: [0x2F])), Array(names[(last + 1)...].joined(separator: [0x2F])),
      !photos.isEmpty
    )
  }

  /// Whether a path, given by its names, leads into a tree that only Takeout makes, whatever is in it: "Google Photos" in
  /// "Takeout", or a year's directory in either. The photos of a part may have all their JSONs in another part.
  static func isTakeouts(_ names: [ArraySlice<UInt8>]) -> Bool {
    names.indices.contains { index in
      if names[index].elementsEqual(root) { return index + 2 < names.count && year(names[index + 2]) != nil }
      guard TakeoutWords.photos.contains(TakeoutText.word(names[index])) else { return false }
      return index > 0 && names[index - 1].elementsEqual(root)
        || index + 1 < names.count && year(names[index + 1]) != nil
    }
  }

  /// The year, if it is the name of a year's directory.
  static func year(_ name: some Collection<UInt8>) -> Int? {
    let word = TakeoutText.word(name).unicodeScalars
    guard let start = word.firstIndex(where: isDigit) else { return nil }
    let digits = word[start...].prefix(while: isDigit)
    guard digits.count == 4, let year = Int(String(digits)), (1800...2199).contains(year) else { return nil }
    var pattern = String.UnicodeScalarView(word[..<start])
    pattern.append("#")
    pattern.append(contentsOf: word[digits.endIndex...])
    return TakeoutWords.years.contains(String(pattern)) ? year : nil
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  /// What a directory is. Years have a JSON of their own in some exports. An album that the user named as the trash is
  /// named is an album: it would be lost otherwise.
  static func kind(_ name: some Collection<UInt8>, albumMetadata: Int?) -> TakeoutDirectoryKind {
    if let year = year(name) { return .year(year) }
    if let albumMetadata { return .album(metadata: albumMetadata) }
    return TakeoutWords.trash.contains(TakeoutText.word(name)) ? .trash : .other
  }

  /// What a JSON is that describes no file, by its name, which may have a number; nil if it may describe one.
  static func jsonOfDirectory(_ name: [UInt8]) -> TakeoutState? {
    let word = TakeoutText.word(TakeoutName.index(TakeoutName.withoutJSON(name)).base)
    if TakeoutWords.albumMetadata.contains(word) { return .albumMetadata }
    return TakeoutWords.accountMetadata.contains(word) ? .accountMetadata : nil
  }

  /// Whether a title is that of the directory.
  static func isTitle(_ title: [UInt8], of name: some Collection<UInt8>) -> Bool {
    TakeoutText.word(TakeoutText.asFileName(title)) == TakeoutText.word(name)
  }
}

extension TakeoutDirectoryKind {
  /// Where it stands among directories that are imported one after the other.
  var rank: Int {
    switch self {
    case .year: 0
    case .other: 1
    case .album: 2
    case .trash: 3
    }
  }
}
