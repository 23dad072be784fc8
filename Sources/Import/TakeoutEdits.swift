internal import Catalog

enum TakeoutEdits {
  /// The name of a file that an edited version may have been made from.
  struct Original {
    /// The name without the ending, in the form of ``TakeoutText/folded(_:)``.
    let stem: String
    /// The ending, with its point.
    let ending: String
    let index: Int
  }

  /// The fewest characters of a suffix that was cut: the hyphen and a letter.
  private static let leastOfCutSuffix = 2
  private static let suffixes = Set(EditedSuffixes.all)
  private static let beginnings = Set(
    EditedSuffixes.all.flatMap { suffix in
      (leastOfCutSuffix...max(leastOfCutSuffix, suffix.count)).map { String(suffix.prefix($0)) }
    })

  /// The name of a file's original; nil if the name is not that of an edited version.
  static func original(of media: TakeoutMedia) -> Original? {
    let (bytes, endingBytes) = TakeoutName.split(media.plain)
    guard bytes.contains(UInt8(ascii: "-")) else { return nil }
    let stem = TakeoutText.folded(bytes)
    guard let hyphen = stem.utf8.lastIndex(of: UInt8(ascii: "-")) else { return nil }
    let suffix = String(stem[hyphen...])
    guard
      suffixes.contains(suffix)
        // If Takeout cut the name, only a part of the suffix is left.
        || TakeoutText.length(media.plain) >= TakeoutText.mostInSidecar && beginnings.contains(suffix)
    else { return nil }
    let original = String(stem[..<hyphen])
    return original.isEmpty ? nil : Self.original(original, TakeoutText.folded(endingBytes), media.index)
  }

  private static func original(_ stem: String, _ ending: String, _ index: Int) -> Original {
    // Both "X-edited(1)" and "X(1)-edited" are edited versions of "X(1)".
    let inner = TakeoutName.index(Array(stem.utf8))
    guard index == TakeoutName.noIndex, inner.index != TakeoutName.noIndex else {
      return Original(stem: stem, ending: ending, index: index)
    }
    return Original(stem: String(decoding: inner.base, as: UTF8.self), ending: ending, index: inner.index)
  }
}
