/// What the paths of a Google Takeout say about its directories.
enum TakeoutDirectories {
  private static let root = Array("Takeout".utf8)

  /// Splits a path after "Google Photos", and returns what is before that and the path below, which is the same in all
  /// parts. Without such a directory it splits after "Takeout", or else returns the whole path.
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

  /// Whether a path, given by its names, leads into a tree that only Takeout creates, whatever its files are: "Google
  /// Photos" in "Takeout", or the directory of a year in either. The photos of one part may have all their JSONs in
  /// another.
  static func isTakeouts(_ names: [ArraySlice<UInt8>]) -> Bool {
    names.indices.contains { index in
      if names[index].elementsEqual(root) { return index + 2 < names.count && year(names[index + 2]) != nil }
      guard TakeoutWords.photos.contains(TakeoutText.word(names[index])) else { return false }
      return index > 0 && names[index - 1].elementsEqual(root)
        || index + 1 < names.count && year(names[index + 1]) != nil
    }
  }

  /// The year, if this is the name of a year's directory; nil otherwise.
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

  /// The kind of a directory. In some exports, years have their own JSON as well. An album whose name is the word for
  /// the trash counts as an album, because its photos would be lost otherwise.
  static func kind(_ name: some Collection<UInt8>, albumMetadata: Int?) -> TakeoutDirectoryKind {
    if let year = year(name) { return .year(year) }
    if let albumMetadata { return .album(metadata: albumMetadata) }
    return TakeoutWords.trash.contains(TakeoutText.word(name)) ? .trash : .other
  }

  /// The state of a JSON whose name says that it describes a directory or the account; nil if it may describe a file.
  /// The name may have a number.
  static func jsonOfDirectory(_ name: [UInt8]) -> TakeoutState? {
    let word = TakeoutText.word(TakeoutName.index(TakeoutName.withoutJSON(name)).base)
    if TakeoutWords.albumMetadata.contains(word) { return .albumMetadata }
    return TakeoutWords.accountMetadata.contains(word) ? .accountMetadata : nil
  }

  /// Whether a title is the name of the directory.
  static func isTitle(_ title: [UInt8], of name: some Collection<UInt8>) -> Bool {
    TakeoutText.word(TakeoutText.asFileName(title)) == TakeoutText.word(name)
  }
}

extension TakeoutDirectoryKind {
  /// The position among directories when they are imported one after the other.
  var rank: Int {
    switch self {
    case .year: 0
    case .other: 1
    case .album: 2
    case .trash: 3
    }
  }
}
