// Invariants
// 1. A file in the trash may be the only copy: it is never removed unless the user agreed to exactly that.

internal import SystemPackage

/// The trash of the home directory. Programs that cannot use the mount's own trash copy whole photos there.
struct HomeTrash: TraceSource {
  private static let limit = 64 << 10
  private static let ending = Array(".trashinfo".utf8)

  var isRemovable: Bool { true }

  func search(_ search: inout TraceSearch) {
    guard let trash = search.folder(.data, "Trash"), let notes = search.folder(Array("info".utf8), in: trash) else {
      return
    }
    let files = search.folder(Array("files".utf8), in: trash)
    for (name, origin) in Self.ours(in: notes, &search) {
      guard let note = search.file(name + Self.ending, in: notes) else { continue }
      let copy = files.flatMap { files in (try? files.status(of: name)).map { (files, FileIdentity($0)) } }
      search.found(
        Finding(
          program: "trash", kind: .trash, file: (copy?.0 ?? notes).path(of: copy == nil ? name + Self.ending : name),
          names: [origin], reveals: copy == nil ? .names : .picture,
          remedy: .removeIfAsked(
            .trashed(trash, note: (notes, name + Self.ending, note.identity), copy: copy.map { ($0.0, name, $0.1) }))))
    }
  }

  /// The names in the trash of files that came from the places.
  static func trashedNames(_ search: inout TraceSearch) -> Set<[UInt8]> {
    guard let notes = search.folder(.data, "Trash/info") else { return [] }
    return Set(ours(in: notes, &search).map(\.name))
  }

  private static func ours(in notes: Folder, _ search: inout TraceSearch) -> [(name: [UInt8], origin: [UInt8])] {
    var ours: [(name: [UInt8], origin: [UInt8])] = []
    for name in search.names(in: notes) where name.suffix(ending.count).elementsEqual(ending) {
      guard let (bytes, _) = search.content(of: name, in: notes, limit: limit) else { continue }
      guard let origin = origin(in: bytes), search.places.contains(origin) else { continue }
      ours.append((Array(name.dropLast(ending.count)), origin))
    }
    return ours
  }

  private static func origin(in note: [UInt8]) -> [UInt8]? {
    let key = Array("Path=".utf8)
    guard let line = note.split(separator: 0x0A).first(where: { $0.starts(with: key) }) else { return nil }
    return TraceURI.unescaped(line.dropFirst(key.count))
  }
}
