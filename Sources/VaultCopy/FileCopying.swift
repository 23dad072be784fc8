internal import ObjectStore
internal import Storage

/// The result for one file.
enum FileOutcome: Sendable {
  case same
  /// Written, with the facts that a store should state now.
  case copied(CopyEntry)
  case gone
  case shortened
  case tooLarge
  case different
  case missing
  case unknown

  var isCopied: Bool {
    if case .copied = self { return true }
    return false
  }
}

/// The copying of one file.
struct FileCopying {
  let source: any CopySource
  let target: any CopyTarget
  let options: CopyOptions
  let identifier: SegmentIdentifier
  /// What the source's list says of it.
  let listed: CopyEntry
  /// Bytes of a complete file.
  let segmentSize: Int
  /// Whether the file is sent again if the target has the same bytes, and only then.
  let resends: Bool
  /// Whether the file is read back after it was written, as with `readsBack`.
  let readsWritten: Bool

  /// Copies the file if the target has other bytes, or only compares it.
  ///
  /// - Parameter there: what the target's list says of it; nil if it is not there, or is known to differ.
  func run(_ there: CopyEntry?) throws(CopyError) -> FileOutcome {
    if let there, !resends, !options.readsBack, source.knows(identifier, listed: listed, like: there) { return .same }
    var content: HashedContent?
    if !source.keepsChecksums || options.readsBack {
      guard let found = try source.read(identifier, listed: listed) else { return .gone }
      if isShortened(found) { return .shortened }
      content = found
    }
    guard let there else { return options.onlyCompares ? .missing : try write(content) }
    var comparison = try compare(content, with: there)
    if comparison == .unknown, !options.onlyCompares || options.readsBack {
      guard let found = try self.content(content) else { return .gone }
      content = found
      comparison = try target.readBack(identifier) == found.bytes ? .same : .different
    }
    switch comparison {
    case .same: return try resends ? write(content) : .same
    case .different where resends: return .same
    case .different: return options.onlyCompares ? .different : try write(content)
    case .unknown: return .unknown
    }
  }

  /// Compares by checksums that are kept; by bytes if the target keeps none, or with `readsBack`.
  private func compare(_ content: HashedContent?, with there: CopyEntry) throws(CopyError) -> CopyComparison {
    if let content, options.readsBack || !target.keepsChecksums {
      return try target.readBack(identifier) == content.bytes ? .same : .different
    }
    if !target.keepsChecksums {
      guard let own = try source.entry(identifier, listed: listed) else { return .unknown }
      guard own.size == there.size, let found = try target.read(identifier, listed: there) else { return .different }
      return CopyEntry(of: found, like: own).comparison(with: own)
    }
    guard let theirs = try target.entry(identifier, listed: there) else { return .different }
    if let content { return CopyEntry(of: content, like: theirs).comparison(with: theirs) }
    guard let own = try source.entry(identifier, listed: listed) else { return .unknown }
    return own.comparison(with: theirs)
  }

  private func write(_ known: HashedContent?) throws(CopyError) -> FileOutcome {
    guard let content = try self.content(known) else { return .gone }
    if isShortened(content) { return .shortened }
    guard content.bytes.count <= segmentSize else { return .tooLarge }
    if try !writeAndCompare(content) {
      // A store that checks nothing keeps what one transfer damaged.
      guard readsWritten, try writeAndCompare(content) else { throw .notKept(target.place) }
    }
    return .copied(CopyEntry(size: Int64(content.bytes.count), md5: target.keepsChecksums ? content.md5 : nil))
  }

  /// Writes the file; false if it was read back and has other bytes.
  private func writeAndCompare(_ content: HashedContent) throws(CopyError) -> Bool {
    try target.write(identifier, content, isComplete: content.bytes.count == segmentSize)
    guard readsWritten || options.readsBack else { return true }
    return try target.readBack(identifier) == content.bytes
  }

  /// The source's content, if it is not known already.
  private func content(_ known: HashedContent?) throws(CopyError) -> HashedContent? {
    if let known { return known }
    return try source.read(identifier, listed: listed)
  }

  /// Whether a file is shorter than when it was listed, which no program makes it.
  private func isShortened(_ content: HashedContent) -> Bool { Int64(content.bytes.count) < listed.size }
}
