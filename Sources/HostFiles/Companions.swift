// Groups the names of a directory: a photo, its raw file, the video of a live photo, and the files that other programs
// wrote for them.
//
// Invariants
// 1. Photos and videos belong together if they differ only in their ending. A companion has the stem or the whole name
//    of its photo, and an ending that companions have. A point inside a stem does not begin an ending.
// 2. Apart from that, only these belong together: edits of an iPhone (`IMG_E0001`, `IMG_O0001`), edits named as export
//    programs name them (`IMG_0001-edited`), the video in `IMG_0001.MP.jpg`, the files that a Pixel writes for one
//    shot, and a JSON of Google Takeout, whose name may be cut.
// 3. A file that is neither photo, video nor companion belongs to no group.

internal import Catalog

/// Finds out which names of a directory belong together.
package enum Companions {
  /// The group that a name belongs to, and its parts.
  package struct Name: Hashable, Sendable {
    /// The part that all names of a group have in common, in lower case.
    package var key: [UInt8]
    /// The number of the name's bytes that are its stem; a number is inserted after them.
    package var stem: Int
    package var kind: Kind
  }

  /// The kind of a file, by its ending.
  package enum Kind: Sendable {
    case media, companion, other
  }

  private static let mediaEndings = endings(
    """
    jpg jpeg jpe jfif heic heif hif avif png webp gif tif tiff bmp jxl psd mpo insp dng cr2 cr3 crw nef nrw arw sr2 srf srw \
    orf ori rw2 rwl raf pef ptx 3fr fff iiq erf mrw mef mos kdc dcr x3f gpr raw mp4 mov m4v mp mpg mpeg m2v mts m2ts m2t ts \
    avi mkv webm wmv asf 3gp 3g2 flv ogv vob insv mod tod dv
    """)
  private static let companionEndings = endings("xmp aae json thm lrv lrf srt wav pp3 dop")
  /// The word that Takeout puts before ".json"; it may be cut at its end.
  private static let takeoutPart = Array("supplemental-metadata".utf8)

  private static func endings(_ list: String) -> Set<[UInt8]> { Set(list.split(separator: " ").map { Array($0.utf8) }) }

  /// The kind of a file, by its name.
  package static func kind(of name: [UInt8]) -> Kind { kind(lowered: NameParts.lowered(name)[...]) }

  private static func kind(lowered name: ArraySlice<UInt8>) -> Kind {
    guard let point = point(in: name) else { return .other }
    let ending = Array(name[(point + 1)...])
    return mediaEndings.contains(ending) ? .media : companionEndings.contains(ending) ? .companion : .other
  }

  /// The part that all names of a group have in common.
  package static func key(of name: [UInt8]) -> [UInt8] { parts(of: name).key }

  /// Splits a name into its parts.
  package static func parts(of name: [UInt8]) -> Name {
    let lowered = NameParts.lowered(name)
    var stem = lowered[...]
    let kind = kind(lowered: stem)
    // The slash keeps this key apart from all stems of photos, since names contain no slash.
    if kind == .other { return Name(key: [0x2F] + name, stem: point(in: name[...]) ?? name.count, kind: kind) }
    if kind == .companion {
      let isJSON = stem.suffix(5).elementsEqual(".json".utf8)
      dropEnding(of: &stem)
      if isJSON, let point = point(in: stem), takeoutPart.starts(with: stem[(point + 1)...]) { dropEnding(of: &stem) }
      if self.kind(lowered: stem) == .media { dropEnding(of: &stem) }
    } else {
      dropEnding(of: &stem)
    }
    if stem.suffix(3).elementsEqual(".mp".utf8) { dropEnding(of: &stem) }
    if stem.starts(with: "pxl_".utf8), let point = stem.firstIndex(of: 0x2E) { stem = stem[..<point] }
    if let original = EditedSuffixes.original(ofStem: stem) {
      stem = original
    } else if stem.count > 7, stem.suffix(7).elementsEqual("_edited".utf8) {
      stem = stem.dropLast(7)
    }
    return Name(key: withoutEditMark(Array(stem)), stem: stem.count, kind: kind)
  }

  /// `img_0001` for `img_e0001` and `img_o0001`.
  private static func withoutEditMark(_ stem: [UInt8]) -> [UInt8] {
    var stem = stem
    // A number in parentheses or after a blank may follow.
    if stem.count >= 9, stem.starts(with: "img_".utf8), stem[4] == 0x65 || stem[4] == 0x6F,
      stem[5..<9].allSatisfy(isDigit), stem.count == 9 || !isDigit(stem[9])
    {
      stem.remove(at: 4)
    }
    return stem
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// The last point, unless the name begins with it.
  private static func point(in name: ArraySlice<UInt8>) -> Int? {
    name.lastIndex(of: 0x2E).flatMap { $0 > 0 ? $0 : nil }
  }

  private static func dropEnding(of name: inout ArraySlice<UInt8>) {
    if let point = point(in: name) { name = name[..<point] }
  }

  /// Sorts names so that each group is contiguous, and returns the ends of the groups.
  package static func grouped(_ names: [[UInt8]]) -> (names: [[UInt8]], ends: [Int]) {
    let keyed = names.map { (key: key(of: $0), name: $0) }.sorted { one, other in
      one.key == other.key
        ? one.name.lexicographicallyPrecedes(other.name) : one.key.lexicographicallyPrecedes(other.key)
    }
    let ends = keyed.indices.filter { $0 + 1 == keyed.count || keyed[$0].key != keyed[$0 + 1].key }.map { $0 + 1 }
    return (keyed.map(\.name), ends)
  }
}
