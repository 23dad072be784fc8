internal import Catalog
internal import Client

struct DuplicateFinder {
  let library: PhotoLibrary
  private let kinds: [DuplicateGroup.Kind]

  /// Finds the groups of a space, or of a directory in it; similar pictures only if asked for.
  init(_ library: PhotoLibrary, similar: Bool) {
    self.library = library
    kinds = similar ? DuplicateGroup.Kind.allCases : [.exact, .pixels]
  }

  /// Calls `body` with each group. Files that were together in one group are not reported again as another kind.
  func all(_ body: (DuplicateGroup) throws -> Void) throws {
    // For each file, the groups that it was reported in.
    var known: [[UInt8]: Set<Int>] = [:]
    var told = 0
    for kind in kinds {
      for group in try groups(kind) {
        let paths = group.members.map(\.path)
        let together = paths.dropFirst().reduce(known[paths[0]] ?? []) { $0.intersection(known[$1] ?? []) }
        if !together.isEmpty { continue }
        for path in paths { known[path, default: []].insert(told) }
        told += 1
        try body(group)
      }
    }
  }

  private func groups(_ kind: DuplicateGroup.Kind) throws -> [DuplicateGroup] {
    var request = CatalogRequest()
    request.duplicates = kind.rawValue
    var reader = try library.source.answer(to: request)
    var groups: [DuplicateGroup] = []
    let inside = library.album + [UInt8(ascii: "/")]
    _ = try reader.lines { line in
      var group = try DuplicateGroup(line)
      if !library.album.isEmpty {
        // Names outside the directory stay untouched, even if they belong to these files.
        group.members = group.members.compactMap { $0.under { $0.starts(with: inside) } }
      }
      if group.kind == kind, group.members.count > 1 { groups.append(group) }
    }
    return groups
  }

  /// A group as JSON, with the paths that users see.
  func shown(_ group: DuplicateGroup) -> JSONValue {
    let members = group.members.map { JSONValue.object(JSONPaths.shown($0.record, in: library)) }
    return .object([
      .init(name: "kind", value: .string(group.kind.rawValue)), .init(name: "members", value: .array(members)),
    ])
  }
}
