internal import Crypto
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
  /// - Parameter there: what the target's list says of it; nil if it is not there.
  func run(_ there: CopyEntry?) throws(CopyError) -> FileOutcome {
    var content: [UInt8]?
    if !source.keepsChecksums || options.readsBack {
      guard let found = try source.read(identifier, listed: listed) else { return .gone }
      if isShortened(found) { return .shortened }
      content = found
    }
    guard let there else { return options.onlyCompares ? .missing : try write(content) }
    var comparison = try compare(content, with: there)
    if comparison == .unknown, !options.onlyCompares || options.readsBack {
      guard let found = try bytes(content) else { return .gone }
      content = found
      comparison = try target.readBack(identifier) == found ? .same : .different
    }
    switch comparison {
    case .same: return try resends ? write(content) : .same
    case .different where resends: return .same
    case .different: return options.onlyCompares ? .different : try write(content)
    case .unknown: return .unknown
    }
  }

  /// Compares by checksums that are kept; by bytes if the target keeps none, or with `readsBack`.
  private func compare(_ bytes: [UInt8]?, with there: CopyEntry) throws(CopyError) -> CopyComparison {
    if let bytes, options.readsBack || !target.keepsChecksums {
      return try target.readBack(identifier) == bytes ? .same : .different
    }
    if !target.keepsChecksums {
      guard let own = try source.entry(identifier, listed: listed) else { return .unknown }
      guard own.size == there.size, let bytes = try target.read(identifier, listed: there) else { return .different }
      return CopyEntry(of: bytes, like: own).comparison(with: own)
    }
    guard let theirs = try target.entry(identifier, listed: there) else { return .different }
    if let bytes { return CopyEntry(of: bytes, like: theirs).comparison(with: theirs) }
    guard let own = try source.entry(identifier, listed: listed) else { return .unknown }
    return own.comparison(with: theirs)
  }

  private func write(_ known: [UInt8]?) throws(CopyError) -> FileOutcome {
    guard let bytes = try self.bytes(known) else { return .gone }
    if isShortened(bytes) { return .shortened }
    guard bytes.count <= segmentSize else { return .tooLarge }
    if try !writeAndCompare(bytes) {
      // A store that checks nothing keeps what one transfer damaged.
      guard readsWritten, try writeAndCompare(bytes) else { throw .notKept(target.place) }
    }
    return .copied(
      CopyEntry(size: Int64(bytes.count), md5: target.keepsChecksums ? NameDigest.md5(bytes) : nil))
  }

  /// Writes the file; false if it was read back and has other bytes.
  private func writeAndCompare(_ bytes: [UInt8]) throws(CopyError) -> Bool {
    try target.write(identifier, bytes, isComplete: bytes.count == segmentSize)
    guard readsWritten || options.readsBack else { return true }
    return try target.readBack(identifier) == bytes
  }

  /// The source's bytes, if they are not known already.
  private func bytes(_ known: [UInt8]?) throws(CopyError) -> [UInt8]? {
    if let known { return known }
    return try source.read(identifier, listed: listed)
  }

  /// Whether a file is shorter than when it was listed, which no program makes it.
  private func isShortened(_ bytes: [UInt8]) -> Bool { Int64(bytes.count) < listed.size }
}
