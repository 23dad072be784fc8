internal import Media

/// Google Takeout's JSON files. These rules were found by experiment: the suffix became ".supplemental-metadata.json"
/// and is cut if the name gets too long, and a copy's number may be on either side of it.
struct TakeoutSidecars {
  /// Takeout cuts names after this many characters, not counting the ".json".
  static let mostCharacters = 46

  private struct Key: Hashable {
    var name: [UInt8]
    var index: Int?
  }

  private var exact: [[UInt8]: UInt64] = [:]
  private var titles: [Key: UInt64] = [:]
  private var bases: [Key: UInt64] = [:]

  init(_ files: [SidecarFile]) {
    for file in files {
      let stem = NameParts.stem(file.name)
      exact[stem] = exact[stem] ?? file.inode
      let (withoutIndex, index) = NameParts.index(stem)
      let base = Self.withoutSuffix(withoutIndex) ?? withoutIndex
      let key = Key(name: base, index: index)
      bases[key] = bases[key] ?? file.inode
      if let title = file.title, !title.isEmpty {
        let key = Key(name: NameParts.lowered(title.utf8), index: index)
        titles[key] = titles[key] ?? file.inode
      }
    }
  }

  /// The stem without ".supplemental-metadata" or a prefix of it; nil if it does not end with one.
  private static func withoutSuffix(_ stem: [UInt8]) -> [UInt8]? {
    guard let point = stem.lastIndex(of: UInt8(ascii: ".")), point > 0 else { return nil }
    let last = stem[(point + 1)...]
    return "supplemental-metadata".utf8.starts(with: last) ? Array(stem[..<point]) : nil
  }

  func match(_ media: [StackCandidate]) -> [(item: UInt64, sidecar: UInt64)] {
    var found: [(item: UInt64, sidecar: UInt64)] = []
    var byStem: [[UInt8]: UInt64] = [:]
    var rest: [StackCandidate] = []
    // A sidecar with the whole name of a file belongs only to that file, whatever its title states: an import named
    // it so.
    let named = Set(media.compactMap { exact[NameParts.lowered($0.name)] })
    for item in media {
      if let sidecar = exact[NameParts.lowered(item.name)] ?? own(item).flatMap({ named.contains($0) ? nil : $0 }) {
        found.append((item.inode, sidecar))
        let stem = NameParts.stem(item.name)
        if byStem[stem] == nil || !item.kind.isVideo { byStem[stem] = sidecar }
      } else {
        rest.append(item)
      }
    }
    for item in rest {
      let (name, stem) = (NameParts.lowered(item.name), NameParts.stem(item.name))
      let motion = item.kind.isVideo && NameParts.isMotion(ofName: name) ? byStem[name] : nil
      // The video of a live photo, then an edited version.
      if let sidecar = motion ?? byStem[stem] ?? NameParts.original(ofStem: stem).flatMap({ byStem[$0] }) {
        found.append((item.inode, sidecar))
      } else if item.kind.isVideo, let sidecar = photoEnding(stem), !named.contains(sidecar) {
        found.append((item.inode, sidecar))
      }
    }
    return found
  }

  private func own(_ item: StackCandidate) -> UInt64? {
    let name = NameParts.lowered(item.name)
    let (stem, index) = NameParts.index(NameParts.stem(item.name))
    let ending = NameParts.ending(item.name)
    // "x(1).jpg" is the first copy of "x.jpg".
    let plain = stem + (ending.isEmpty ? [] : [UInt8(ascii: ".")] + ending)
    if let sidecar = titles[Key(name: plain, index: index)] ?? titles[Key(name: name, index: nil)] { return sidecar }
    if let sidecar = bases[Key(name: name, index: nil)] ?? bases[Key(name: plain, index: index)] { return sidecar }
    // Names that were cut, possibly within their extension.
    for full in [name, plain] {
      let index = full == name ? nil : index
      if let cut = Self.cut(full), let sidecar = bases[Key(name: cut, index: index)] { return sidecar }
    }
    // A missing extension.
    return bases[Key(name: NameParts.stem(item.name), index: nil)] ?? bases[Key(name: stem, index: index)]
  }

  /// The first characters; nil if the name is not longer.
  private static func cut(_ name: [UInt8]) -> [UInt8]? {
    let scalars = String(decoding: name, as: UTF8.self).unicodeScalars
    guard scalars.count > mostCharacters else { return nil }
    return Array(String(String.UnicodeScalarView(scalars.prefix(mostCharacters))).utf8)
  }

  /// The JSON of a live photo if the photo is missing or has another number: "x.heic" for "x.mp4".
  private func photoEnding(_ stem: [UInt8]) -> UInt64? {
    let (base, index) = NameParts.index(stem)
    for ending in [".heic", ".jpg", ".jpeg"] {
      if let sidecar = bases[Key(name: base + Array(ending.utf8), index: index)] { return sidecar }
    }
    return nil
  }
}
