internal import Catalog
internal import Client
internal import System
internal import SystemPackage

/// A sidecar of a file that is removed.
struct DuplicateSidecar {
  /// The sidecar's path in the space.
  let path: [UInt8]
  /// Its new place next to the kept file; nil if that has a sidecar already, and this one goes to the trash.
  let place: BytePath?
}

extension DuplicateMerge {
  /// The sidecars that belong to removed files and to no file that stays.
  func sidecars(
    of kept: DuplicateGroup.Member, _ others: [DuplicateGroup.Member]
  ) throws(Errno) -> [DuplicateSidecar] {
    var kinds = Set(kept.sidecars.compactMap { SidecarFile.kind(ofName: Array(BytePath($0).last)) })
    var found: [DuplicateSidecar] = []
    let file = BytePath(mountPoint, kept.path)
    var known = Set(kept.sidecars)
    for other in others {
      for path in other.sidecars where known.insert(path).inserted {
        let sidecar = BytePath(mountPoint, path)
        guard let kind = SidecarFile.kind(ofName: Array(sidecar.last)),
          let name = other.names.map({ BytePath(mountPoint, $0) }).first(where: { $0.directory == sidecar.directory }),
          try !isShared(sidecar, kind, of: name, among: [kept] + others)
        else { continue }
        guard kinds.insert(kind).inserted else {
          found.append(DuplicateSidecar(path: path, place: nil))
          continue
        }
        // Apple's adjustment files are named without the photo's ending, all others after the whole name.
        let stem = kind == .aae ? Array(file.parts.stem) : Array(file.last)
        found.append(DuplicateSidecar(path: path, place: file.sibling(stem + sidecar.parts.ending)))
      }
    }
    return found
  }

  /// Whether a sidecar may belong to another file in its directory, such as the video of a live photo.
  private func isShared(
    _ sidecar: BytePath, _ kind: SidecarFile.Kind, of name: BytePath, among members: [DuplicateGroup.Member]
  ) throws(Errno) -> Bool {
    if kind == .xmp, NameParts.stem(Array(sidecar.last)) == NameParts.lowered(name.last) { return false }
    let known = Set(members.flatMap(\.names).map { BytePath(mountPoint, $0) })
    let stem = NameParts.stem(Array(name.last))
    return try Directory.names(in: FilePath(bytes: sidecar.directory)).contains { other in
      guard SidecarFile.kind(ofName: other) == nil, !known.contains(sidecar.sibling(other)) else { return false }
      let own = NameParts.stem(other)
      return own == stem || NameParts.original(ofStem: own) == stem
    }
  }

  /// Moves a sidecar to the kept file, or to the trash.
  func take(_ sidecar: DuplicateSidecar) throws(Errno) {
    if let place = sidecar.place {
      do throws(Errno) { return try BytePath(mountPoint, sidecar.path).move(to: place) } catch .fileExists {}
    }
    try trash.take(sidecar.path)
  }
}
