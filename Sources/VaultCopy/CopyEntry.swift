internal import ObjectStore

/// What is known of a file at one end of a copy without reading it.
package struct CopyEntry: Equatable, Sendable {
  /// Bytes of the file.
  package var size: Int64
  /// The MD5 that an object store states for it. Some engines state another number in its place, so only an equal one
  /// proves anything.
  package var md5: [UInt8]?
  /// The SHA-256 that an object store keeps for it.
  package var sha256: [UInt8]?

  /// Facts of a file.
  package init(size: Int64, md5: [UInt8]? = nil, sha256: [UInt8]? = nil) {
    self.size = size
    self.md5 = md5
    self.sha256 = sha256
  }

  /// The facts that a store states.
  init(_ entry: ObjectEntry) { self.init(size: entry.size, md5: entry.md5, sha256: entry.sha256) }

  /// The facts of a content, with the checksums that another entry has.
  init(of content: HashedContent, like other: CopyEntry) {
    self.init(size: Int64(content.bytes.count))
    guard size == other.size else { return }
    if other.sha256 != nil {
      sha256 = content.sha256
    } else if other.md5 != nil {
      md5 = content.md5
    }
  }

  /// Whether the files have the same bytes, as far as sizes and checksums show it.
  func comparison(with other: CopyEntry) -> CopyComparison {
    if size != other.size { return .different }
    if let sha256, let theirs = other.sha256 { return sha256 == theirs ? .same : .different }
    if let md5, let theirs = other.md5, md5 == theirs { return .same }
    return .unknown
  }
}

/// The outcome of comparing a file at both ends.
enum CopyComparison: Sendable {
  case same
  case different
  /// The checksums do not decide it; only the bytes do.
  case unknown
}
