package import Media

/// A sidecar: a file of facts next to a photo.
package struct SidecarFile: Hashable, Sendable {
  /// The formats, by their extensions.
  package enum Kind: UInt8, Sendable, CaseIterable {
    case xmp = 1
    /// Apple's file of adjustments.
    case aae
    /// Google Takeout's file.
    case json
  }

  package var inode: UInt64
  package var directory: UInt64
  package var name: [UInt8]
  /// The name of the photo that a JSON file states.
  package var title: String?
  /// The extension of the photo that an XMP file states, without its dot.
  package var ending: String?

  /// A sidecar whose content was not read, unless `title` or `ending` is given.
  package init(inode: UInt64, directory: UInt64, name: [UInt8], title: String? = nil, ending: String? = nil) {
    self.inode = inode
    self.directory = directory
    self.name = name
    self.title = title
    self.ending = ending
  }

  /// The format; nil if the name is not that of a sidecar.
  package var kind: Kind? { Self.kind(ofName: name) }

  /// The format of a name; nil if it is not that of a sidecar.
  package static func kind(ofName name: [UInt8]) -> Kind? {
    switch String(decoding: NameParts.ending(name), as: UTF8.self) {
    case "xmp": .xmp
    case "aae": .aae
    case "json": .json
    default: nil
    }
  }
}

extension SidecarKind {
  /// The format in which the decoder reads a sidecar.
  package init(_ kind: SidecarFile.Kind) {
    self =
      switch kind {
      case .xmp: .xmp
      case .aae: .appleAdjustments
      case .json: .takeout
      }
  }
}

/// The assignment of sidecars to photos, by the names in one directory.
package struct Sidecars: Sendable {
  /// Sidecars of each photo, by its inode; at most one of each format.
  package private(set) var ofMedia: [UInt64: [SidecarFile.Kind: UInt64]] = [:]
  /// Sidecars without a photo, ascending.
  package private(set) var unmatched: [UInt64] = []

  /// Assigns sidecars to photos. If several sidecars of a format fit, the first rule decides, then the lowest inode.
  /// One sidecar may serve several files: a live photo has one for both its files, and edited versions do not get a
  /// separate one.
  package static func match(_ sidecars: [SidecarFile], to media: [StackCandidate]) -> Sidecars {
    var result = Sidecars()
    var used = Set<UInt64>()
    var directories: [UInt64: (sidecars: [SidecarFile], media: [StackCandidate])] = [:]
    for sidecar in sidecars.sorted(by: { $0.inode < $1.inode }) {
      directories[sidecar.directory, default: ([], [])].sidecars.append(sidecar)
    }
    for item in media.sorted(by: { $0.inode < $1.inode }) where directories[item.directory] != nil {
      directories[item.directory]?.media.append(item)
    }
    for directory in directories.values {
      let others = OtherSidecars(directory.sidecars)
      for (item, kind, sidecar) in others.match(directory.media) {
        result.ofMedia[item, default: [:]][kind] = sidecar
        used.insert(sidecar)
      }
      let takeout = TakeoutSidecars(directory.sidecars.filter { $0.kind == .json })
      for (item, sidecar) in takeout.match(directory.media) {
        result.ofMedia[item, default: [:]][.json] = sidecar
        used.insert(sidecar)
      }
    }
    result.unmatched = sidecars.map(\.inode).filter { !used.contains($0) }.sorted()
    return result
  }
}

/// XMP and AAE: `X.jpg.xmp` belongs to X.jpg. `X.xmp` belongs to the X with the extension that it states, otherwise
/// to the only X that fits.
private struct OtherSidecars {
  private struct Key: Hashable {
    var kind: SidecarFile.Kind
    var stem: [UInt8]
  }

  private var sidecars: [Key: SidecarFile] = [:]

  init(_ files: [SidecarFile]) {
    for file in files {
      guard let kind = file.kind, kind != .json else { continue }
      let key = Key(kind: kind, stem: NameParts.stem(file.name))
      if sidecars[key] == nil { sidecars[key] = file }
    }
  }

  func match(_ media: [StackCandidate]) -> [(item: UInt64, kind: SidecarFile.Kind, sidecar: UInt64)] {
    var found: [(item: UInt64, kind: SidecarFile.Kind, sidecar: UInt64)] = []
    var byStem: [[UInt8]: [StackCandidate]] = [:]
    var byName: [[UInt8]: [StackCandidate]] = [:]
    for item in media {
      byStem[NameParts.stem(item.name), default: []].append(item)
      byName[NameParts.lowered(item.name), default: []].append(item)
    }
    for (key, sidecar) in sidecars {
      if key.kind == .xmp, let named = byName[key.stem] {
        found += named.map { ($0.inode, .xmp, sidecar.inode) }
        continue
      }
      var stem = key.stem
      // Apple names the adjustments of an original "IMG_O1234.AAE".
      if key.kind == .aae, byStem[stem] == nil, stem.starts(with: "img_o".utf8) {
        stem = Array("img_".utf8) + stem[5...]
      }
      let fitting = byStem[stem] ?? []
      let raws = fitting.filter { $0.kind == .raw }
      let photos = fitting.filter { !$0.kind.isVideo && $0.kind != .raw }
      // Programs write XMP next to RAW files because they do not modify those. Adjustments apply to all files of the
      // name.
      var owners = key.kind == .aae ? fitting : !raws.isEmpty ? raws : !photos.isEmpty ? photos : fitting
      if key.kind == .xmp, let ending = sidecar.ending.map({ NameParts.lowered($0.utf8) }) {
        owners = fitting.filter { NameParts.ending($0.name) == ending }
      }
      if key.kind == .xmp, owners.count > 1 { continue }
      for item in owners where !hasOwn(item, key.kind) { found.append((item.inode, key.kind, sidecar.inode)) }
    }
    return found
  }

  /// Whether there is a sidecar under the item's whole name.
  private func hasOwn(_ item: StackCandidate, _ kind: SidecarFile.Kind) -> Bool {
    kind == .xmp && sidecars[Key(kind: .xmp, stem: NameParts.lowered(item.name))] != nil
  }
}
