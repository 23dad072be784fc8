internal import Catalog

enum TakeoutEdits {
  /// A name that an edited version may have been made of.
  struct Original {
    /// In the form of ``TakeoutText/folded(_:)``, without the ending.
    let stem: String
    /// With the point.
    let ending: String
    let index: Int
  }

  /// Fewest characters of a suffix that was cut: the hyphen and a letter.
  private static let leastOfCutSuffix = 2
  private static let suffixes = Set(EditedSuffixes.all)
  private static let beginnings = Set(
    EditedSuffixes.all.flatMap { suffix in
      (leastOfCutSuffix...max(leastOfCutSuffix, suffix.count)).map { String(suffix.prefix($0)) }
    })

  /// The name that a file's original has; nil if it does not look edited.
  static func original(of media: TakeoutMedia) -> Original? {
    let (bytes, endingBytes) = TakeoutName.split(media.plain)
    guard bytes.contains(UInt8(ascii: "-")) else { return nil }
    let stem = TakeoutText.folded(bytes)
    guard let hyphen = stem.utf8.lastIndex(of: UInt8(ascii: "-")) else { return nil }
    let suffix = String(stem[hyphen...])
    guard
      suffixes.contains(suffix)
        // Of a name that was cut a part of the suffix is left.
        || TakeoutText.length(media.plain) >= TakeoutText.mostInSidecar && beginnings.contains(suffix)
    else { return nil }
    let original = String(stem[..<hyphen])
    return original.isEmpty ? nil : Self.original(original, TakeoutText.folded(endingBytes), media.index)
  }

  private static func original(_ stem: String, _ ending: String, _ index: Int) -> Original {
    // "X-edited(1)" is of "X(1)", and so is "X(1)-edited".
    let inner = TakeoutName.index(Array(stem.utf8))
    guard index == TakeoutName.noIndex, inner.index != TakeoutName.noIndex else {
      return Original(stem: stem, ending: ending, index: index)
    }
    return Original(stem: String(decoding: inner.base, as: UTF8.self), ending: ending, index: inner.index)
  }
}
