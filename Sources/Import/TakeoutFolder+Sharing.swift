// Files without a JSON of their own: videos of live photos, and edited versions.

extension TakeoutFolder {
  /// The endings of photos, the most likely first.
  private static let liveEndings = [".heic", ".heif", ".jpg", ".jpeg"]

  /// A name in the form of ``TakeoutText/folded(_:)``, and the number of a copy.
  fileprivate struct Name: Hashable {
    var text: String
    var index: Int
  }

  /// The JSONs of files that have one, by name; nil for a name with several JSONs.
  fileprivate struct Known {
    var files: [Name: Int?] = [:]
    var stems: [Name: Int?] = [:]

    mutating func add(_ media: TakeoutMedia, _ sidecar: Int) {
      let (stem, ending) = TakeoutName.split(media.plain)
      Self.put(sidecar, in: &files, Name(text: TakeoutText.folded(media.plain), index: media.index))
      if !media.isVideo, !ending.isEmpty {
        Self.put(sidecar, in: &stems, Name(text: TakeoutText.folded(stem), index: media.index))
      }
    }

    static func put(_ sidecar: Int, in table: inout [Name: Int?], _ name: Name) {
      switch table[name] {
      case nil: table[name] = .some(sidecar)
      case .some(let other): if other != sidecar { table[name] = .some(nil) }
      }
    }
  }

  /// Lets files that are parts or versions of others share the JSON of these.
  mutating func share() {
    if open.isEmpty { return }
    // Searches the names of the JSONs as well, because the photo itself may be missing or have another number.
    var bases: [Name: Int?] = [:]
    var baseStems: [Name: Int?] = [:]
    for (place, sidecar) in sidecars.enumerated() {
      Known.put(place, in: &bases, Name(text: TakeoutText.folded(sidecar.base), index: sidecar.index))
      if sidecar.uncut != sidecar.base {
        Known.put(place, in: &bases, Name(text: TakeoutText.folded(sidecar.uncut), index: sidecar.uncutIndex))
      }
      let (stem, ending) = TakeoutName.split(sidecar.base)
      if TakeoutName.isPhotoEnding(ending) {
        Known.put(place, in: &baseStems, Name(text: TakeoutText.folded(stem), index: sidecar.index))
      }
    }
    shareLivePhotos(bases)
    shareOriginals(bases, baseStems)
  }

  private func known() -> Known {
    var known = Known()
    for item in media.indices {
      if let sidecar = found[item]?.sidecar { known.add(media[item], sidecar) }
    }
    return known
  }

  private mutating func shareLivePhotos(_ bases: [Name: Int?]) {
    let known = known()
    for item in open {
      let one = media[item]
      if one.isVideo {
        if let sidecar = photo(of: one, known, bases) { set(item, sidecar, .livePhoto) }
      } else if let sidecar = video(of: one, known) {
        set(item, sidecar, .livePhoto)
      }
    }
  }

  private func photo(of video: TakeoutMedia, _ known: Known, _ bases: [Name: Int?]) -> Int? {
    let stem = Array(TakeoutName.split(video.plain).stem)
    let text = TakeoutText.folded(stem)
    for ending in Self.liveEndings {
      if let sidecar = known.files[Name(text: text + ending, index: video.index)] { return sidecar }
    }
    // "X.MP" is the video of "X.MP.jpg".
    for text in [text, TakeoutText.folded(video.plain)] {
      if let sidecar = known.stems[Name(text: text, index: video.index)] { return sidecar }
    }
    for ending in Self.liveEndings {
      let name = stem + ending.utf8
      for name in [name] + TakeoutText.cuts(name, to: TakeoutText.mostInSidecar) {
        if let sidecar = bases[Name(text: TakeoutText.folded(name), index: video.index)] { return sidecar }
      }
    }
    return nil
  }

  /// The JSON that has the video's name, if its title is the photo's name.
  private func video(of photo: TakeoutMedia, _ known: Known) -> Int? {
    let stem = TakeoutText.folded(TakeoutName.split(photo.plain).stem)
    for ending in [".mp4", ".mov", ".mp"] {
      guard let sidecar = known.files[Name(text: stem + ending, index: photo.index)] ?? nil,
        let title = sidecars[sidecar].title
      else { continue }
      if TakeoutText.folded(TakeoutText.asFileName(title)) == TakeoutText.folded(photo.plain) { return sidecar }
    }
    return nil
  }

  private mutating func shareOriginals(_ bases: [Name: Int?], _ baseStems: [Name: Int?]) {
    let known = known()
    for item in open {
      let one = media[item]
      if let sidecar = original(of: one, known, bases, baseStems) {
        set(item, sidecar, .edited)
      } else if one.hasIndex, TakeoutText.length(one.plain) >= TakeoutText.mostInName,
        let sidecar = known.files[Name(text: TakeoutText.folded(one.plain), index: TakeoutName.noIndex)] ?? nil
      {
        // Takeout cut off the whole suffix. The shortened name was taken, so the file got a number.
        set(item, sidecar, .edited)
      }
    }
  }

  private func original(
    of edited: TakeoutMedia, _ known: Known, _ bases: [Name: Int?], _ baseStems: [Name: Int?]
  ) -> Int? {
    guard let original = TakeoutEdits.original(of: edited) else { return nil }
    let whole = Name(text: original.stem + original.ending, index: original.index)
    let stem = Name(text: original.stem, index: original.index)
    // The first table that knows the name decides, even if the name is ambiguous there.
    for table in [known.files[whole], known.stems[stem], bases[whole], baseStems[stem], bases[stem]] {
      if let table { return table }
    }
    for cut in TakeoutText.cuts(Array(whole.text.utf8), to: TakeoutText.mostInSidecar) {
      if let sidecar = bases[Name(text: TakeoutText.folded(cut), index: original.index)] { return sidecar }
    }
    return nil
  }
}
