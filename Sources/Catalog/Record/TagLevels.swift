// The levels of tags.
//
// Invariants
// 1. "/" separates levels, unless "\" precedes it: then it is part of its level. Nothing else is escaped, so a tag
//    without a slash is stored as it is written.

/// Splits tags into levels: "Places/Paris" has two, and `AC\/DC` has one, whose name is "AC/DC".
package enum TagLevels {
  /// A level in its form inside a tag.
  package static func escaped(_ level: some StringProtocol) -> String { String(level).replacing("/", with: "\\/") }

  /// A level, or a tag without levels, in the form of other programs.
  package static func plain(_ level: some StringProtocol) -> String { String(level).replacing("\\/", with: "/") }

  /// The levels of a tag, still escaped.
  package static func all(of tag: String) -> [Substring] {
    var levels: [Substring] = []
    var start = tag.startIndex
    for separator in separators(of: tag) {
      levels.append(tag[start..<separator])
      start = tag.index(after: separator)
    }
    return levels + [tag[start...]]
  }

  private static func separators(of tag: String) -> [String.Index] {
    var isEscaped = false
    return tag.indices.filter { index in
      defer { isEscaped = tag[index] == "\\" }
      return tag[index] == "/" && !isEscaped
    }
  }

  /// Whether a folded tag matches a pattern: as a whole, one of the tags above it, or its last level, each also
  /// without backslashes.
  static func contains(_ glob: Glob, in folded: [Unicode.Scalar]) -> Bool {
    let ends = folded.indices.filter { folded[$0] == "/" && ($0 == 0 || folded[$0 - 1] != "\\") }
    var parts: [ArraySlice<Unicode.Scalar>] = [folded[...]]
    parts += ends.map { folded[..<$0] }
    if let last = ends.last { parts.append(folded[(last + 1)...]) }
    return parts.contains { part in
      if glob.matches(part) { return true }
      let kept = part.indices.filter { part[$0] != "\\" || $0 + 1 == part.endIndex || part[$0 + 1] != "/" }
      if kept.count == part.count { return false }
      let plain: [Unicode.Scalar] = kept.map { part[$0] }
      return glob.matches(plain[...])
    }
  }
}
