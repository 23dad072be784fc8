internal import Catalog
internal import Client
internal import System
internal import SystemPackage

/// A sidecar of a file that goes.
struct DuplicateSidecar {
  /// Its path in the space.
  let path: [UInt8]
  /// Where it belongs to the kept file; nil if that has one, and this one goes to the trash.
  let place: BytePath?
}

extension DuplicateMerge {
  /// Sidecars that speak for the files that go and for nothing that stays.
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
        // Apple's adjustments have the name without its ending, all others the whole name.
        let stem = kind == .aae ? Array(file.parts.stem) : Array(file.last)
        found.append(DuplicateSidecar(path: path, place: file.sibling(stem + sidecar.parts.ending)))
      }
    }
    return found
  }

  /// Whether a sidecar may speak for another file in its directory, such as the video of a live photo.
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

  /// Gives a sidecar to the kept file, or to the trash.
  func take(_ sidecar: DuplicateSidecar) throws(Errno) {
    if let place = sidecar.place {
      do throws(Errno) { return try BytePath(mountPoint, sidecar.path).move(to: place) } catch .fileExists {}
    }
    try trash.take(sidecar.path)
  }
}
