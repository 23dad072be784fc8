// Invariants
// 1. A path belongs to a place if it is that place or below it, compared by whole names.
// 2. Text that is not an absolute path belongs to no place.

internal import Glibc

/// The places where spaces are or were mounted. A search looks for traces of paths below them.
package struct SearchedPlaces: Sendable, Equatable {
  /// Absolute paths, without `.`, `..`, empty components and slashes at the end.
  package let paths: [[UInt8]]

  /// Places at absolute paths; other paths are ignored.
  package init(_ paths: [[UInt8]]) {
    var seen: Set<[UInt8]> = []
    self.paths = paths.compactMap(PathBytes.normalized).filter { seen.insert($0).inserted }
  }

  /// Whether an absolute path is one of the places, or below one.
  package func contains(_ path: [UInt8]) -> Bool {
    guard let path = PathBytes.normalized(path) else { return false }
    return paths.contains { PathBytes.isBelow(path, orAt: $0) }
  }

  /// Whether a URI or bare path leads to one of the places.
  package func contains(uri: [UInt8]) -> Bool { TraceURI.path(of: uri).map { contains($0) } ?? false }
}

/// Paths as bytes.
package enum PathBytes {
  static let slash = UInt8(ascii: "/")

  /// An absolute path without empty components, `.` and `..`; nil for any other path, and for one with a zero byte.
  package static func normalized(_ path: [UInt8]) -> [UInt8]? {
    guard path.first == slash, !path.contains(0) else { return nil }
    var parts: [ArraySlice<UInt8>] = []
    for part in path.split(separator: slash) {
      if part.elementsEqual(".".utf8) { continue }
      if part.elementsEqual("..".utf8) {
        _ = parts.popLast()
      } else {
        parts.append(part)
      }
    }
    return parts.isEmpty ? [slash] : parts.flatMap { [slash] + $0 }
  }

  /// Whether a normalized path is `folder` or below it.
  package static func isBelow(_ path: [UInt8], orAt folder: [UInt8]) -> Bool {
    if folder == [slash] { return true }
    guard path.starts(with: folder) else { return false }
    return path.count == folder.count || path[folder.count] == slash
  }

  /// Whether a component of a normalized path below a folder, its last one included, begins with a point.
  static func isHidden(_ path: [UInt8], below folder: [UInt8]) -> Bool {
    (rest(of: path, below: folder) ?? []).split(separator: slash).contains { $0.first == UInt8(ascii: ".") }
  }

  /// The rest of a normalized path below a folder, without the leading slash; nil if it is not below.
  package static func rest(of path: [UInt8], below folder: [UInt8]) -> [UInt8]? {
    guard path.count > folder.count, isBelow(path, orAt: folder) else { return nil }
    return Array(path[(folder == [slash] ? 1 : folder.count + 1)...])
  }
}
