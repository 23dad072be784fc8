/// Parts of file names in a Google Takeout.
enum TakeoutName {
  /// The file is not a numbered copy.
  static let noIndex = -1

  private static let jsonEnding = Array(".json".utf8)
  private static let photoEndings = endings("heic heif jpg jpeg png webp gif dng avif")
  private static let videoEndings = endings("mp4 mov m4v mp mv 3gp 3g2 avi mkv webm mpg mpeg mts m2ts wmv")
  private static let sidecarSuffixes = ["supplemental-metadata", "metadata"].map { Array($0.utf8) }

  private static func endings(_ list: String) -> Set<String> { Set(list.split(separator: " ").map { "." + $0 }) }

  static func isJSON(_ name: [UInt8]) -> Bool {
    TakeoutText.folded(name.suffix(jsonEnding.count)) == ".json"
  }

  static func withoutJSON(_ name: [UInt8]) -> [UInt8] { Array(name.dropLast(jsonEnding.count)) }

  /// Splits a name before its last point. A point at the beginning starts no ending, nor does a point that more than
  /// five letters or digits follow.
  static func split(_ name: [UInt8]) -> (stem: ArraySlice<UInt8>, ending: ArraySlice<UInt8>) {
    guard let point = name.lastIndex(of: UInt8(ascii: ".")), point > 0, (1...5).contains(name.count - point - 1),
      name[(point + 1)...].allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) })
    else { return (name[...], name[name.endIndex...]) }
    return (name[..<point], name[point...])
  }

  static func isPhotoEnding(_ ending: ArraySlice<UInt8>) -> Bool { photoEndings.contains(TakeoutText.folded(ending)) }
  static func isVideoEnding(_ ending: ArraySlice<UInt8>) -> Bool { videoEndings.contains(TakeoutText.folded(ending)) }

  /// Splits off a number in parentheses at the end, which copies get.
  static func index(_ text: some BidirectionalCollection<UInt8>) -> (base: [UInt8], index: Int) {
    let text = Array(text)
    guard text.last == UInt8(ascii: ")"), let open = text.lastIndex(of: UInt8(ascii: "(")), open > 0 else {
      return (text, noIndex)
    }
    let digits = text[(open + 1)..<(text.count - 1)]
    guard (1...6).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
      digits.count == 1 || digits.first != 0x30
    else { return (text, noIndex) }
    return (Array(text[..<open]), digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
  }

  /// Removes the number of a copy, which may be before or after the ending.
  static func plain(_ name: [UInt8]) -> (name: [UInt8], index: Int) {
    let after = index(name)
    if after.index != noIndex { return (after.base, after.index) }
    let (stem, ending) = split(name)
    let before = index(stem)
    return before.index == noIndex ? (name, noIndex) : (before.base + ending, before.index)
  }

  /// The name without its last part, if that part is what Takeout puts before ".json", a shortened form of it, or
  /// empty.
  static func withoutSuffix(_ stem: [UInt8]) -> [UInt8]? {
    guard let point = stem.lastIndex(of: UInt8(ascii: ".")), point > 0 else { return nil }
    let last = stem[(point + 1)...]
    return sidecarSuffixes.contains { $0.starts(with: last) } ? Array(stem[..<point]) : nil
  }
}

/// A file that a JSON may describe.
struct TakeoutMedia {
  let name: [UInt8]
  /// The name without the number of a copy.
  let plain: [UInt8]
  let index: Int
  let isVideo: Bool

  init(_ name: [UInt8]) {
    self.name = name
    (plain, index) = TakeoutName.plain(name)
    isVideo = TakeoutName.isVideoEnding(TakeoutName.split(plain).ending)
  }

  var hasIndex: Bool { index != TakeoutName.noIndex }
}

/// A JSON, by its name and its title.
struct TakeoutSidecar {
  /// The name without ".json".
  let stem: [UInt8]
  /// The stem without the number of a copy at the end.
  let uncut: [UInt8]
  let uncutIndex: Int
  /// The stem without the suffix that Takeout put after the name of the file; nil if there is none.
  let whole: [UInt8]?
  /// The name of the described file, and its number, as far as they are in the JSON's name.
  let base: [UInt8]
  let index: Int
  let title: [UInt8]?

  private static let longestTitle = 1024
  private static let ownSuffix = Array(".supplemental-".utf8)

  /// Whether its name has a form that only Takeout uses.
  var isSurelyTakeouts: Bool { whole.map { uncut[$0.count...].starts(with: Self.ownSuffix) } ?? false }

  init(_ name: [UInt8], title: [UInt8]?) {
    stem = TakeoutName.withoutJSON(name)
    (uncut, uncutIndex) = TakeoutName.index(stem)
    whole = TakeoutName.withoutSuffix(uncut)
    let rest = whole ?? uncut
    // The number may stand before the suffix, as in "X.jpg(1).supplemental-metadata", or in the name, as in "X(1).jpg".
    (base, index) = uncutIndex == TakeoutName.noIndex ? TakeoutName.plain(rest) : (rest, uncutIndex)
    self.title = title.flatMap { $0.isEmpty || $0.count > Self.longestTitle ? nil : $0 }
  }
}
