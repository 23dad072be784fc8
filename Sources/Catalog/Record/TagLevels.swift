// Levels of tags.
//
// Invariants
// 1. "/" separates levels, unless "\" stands before it: then it belongs to its level. Nothing else is escaped, so that a
//    tag without a slash is as it is written.

/// The levels of a tag: "Places/Paris" has two, and `AC\/DC` has one, the name of which is "AC/DC".
package enum TagLevels {
  /// A level as a tag has it.
  package static func escaped(_ level: some StringProtocol) -> String { String(level).replacing("/", with: "\\/") }

  /// A level, or a tag without levels, as other programs have it.
  package static func plain(_ level: some StringProtocol) -> String { String(level).replacing("\\/", with: "/") }

  /// The levels of a tag, as it has them.
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

  /// Whether a tag, folded, has a form: itself, one of those above it, or its last level, each also without backslashes.
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
