internal import Crypto
internal import Glibc
internal import Storage
internal import Synchronization
internal import SystemPackage

/// A segment that is open for reading, with its key. Its header was checked.
final class SegmentHandle: Sendable {
  let header: SegmentHeader
  let key: SealingKey
  let reader: any SegmentReader

  init(_ header: SegmentHeader, key: SealingKey, reader: any SegmentReader) {
    self.header = header
    self.key = key
    self.reader = reader
  }

  var number: SegmentNumber { header.number }

  /// Opens a segment file and its header.
  ///
  /// - Returns: nil when the file is too short or does not authenticate with these keys.
  static func open(_ reader: any SegmentReader, keys: SpaceKeys) throws(Errno) -> SegmentHandle? {
    let start = try reader.bytes(at: 0, count: SegmentFormat.recordsStart)
    guard start.count == SegmentFormat.recordsStart else { return nil }
    for candidate in [keys, keys.previous].compactMap(\.self) {
      let key = candidate.segmentKey(salt: Array(start[..<SegmentFormat.saltSize]))
      let plaintext = key.open(
        Array(start[SegmentFormat.saltSize...]), at: SegmentFormat.saltSize, kind: BlobKind.segmentHeader)
      guard let plaintext, let header = try? SegmentHeader(decoding: plaintext),
        keys.keys(of: header.number.epoch) === candidate
      else { continue }
      return SegmentHandle(header, key: key, reader: reader)
    }
    return nil
  }

  /// Opens a segment whose header does not authenticate, assuming the header that is given. The caller must verify from
  /// the content that it is that segment.
  ///
  /// - Returns: nil when the file is too short to contain a record.
  convenience init?(assuming header: SegmentHeader, of reader: any SegmentReader, keys: SpaceKeys) throws(Errno) {
    let salt = try reader.bytes(at: 0, count: SegmentFormat.saltSize)
    guard try reader.size() > SegmentFormat.recordsStart, salt.count == SegmentFormat.saltSize else { return nil }
    self.init(header, key: keys.keys(of: header.number.epoch).segmentKey(salt: salt), reader: reader)
  }
}

extension SealingKey {
  /// The plaintext of a small blob; nil when it does not authenticate.
  func open(_ sealed: [UInt8], at offset: Int, kind: UInt8) -> [UInt8]? {
    guard sealed.count >= CipherSuite.tagSize else { return nil }
    var plaintext = [UInt8](repeating: 0, count: sealed.count - CipherSuite.tagSize)
    let opened = unsafe sealed.withUnsafeBytes { sealed in
      unsafe plaintext.withUnsafeMutableBytes { plaintext in
        SealingContext.with { context in
          unsafe open(sealed, at: UInt64(offset), kind: kind, into: plaintext, context)
        }
      }
    }
    return opened ? plaintext : nil
  }

  /// Seals a small blob.
  func seal(_ plaintext: [UInt8], at offset: Int, kind: UInt8) -> [UInt8] {
    var sealed = [UInt8](repeating: 0, count: plaintext.count + CipherSuite.tagSize)
    unsafe plaintext.withUnsafeBytes { plaintext in
      unsafe sealed.withUnsafeMutableBytes { sealed in
        SealingContext.with { context in
          unsafe seal(plaintext, at: UInt64(offset), kind: kind, into: sealed, context)
        }
      }
    }
    return sealed
  }
}

/// A cache of open segments, which limits descriptors and locked memory. It evicts the least recently used.
final class SegmentCache: Sendable {
  /// A third of the descriptors that the process may have. The rest is for segments being written, evicted handles that
  /// readers still use, and other files.
  private static let limit = min(192, max(4, Int(sysconf(CInt(_SC_OPEN_MAX))) / 3))

  private struct Entries {
    var handles: [SegmentNumber: (handle: SegmentHandle, used: UInt64)] = [:]
    var clock: UInt64 = 0
  }
  private let entries = Mutex(Entries())

  subscript(number: SegmentNumber) -> SegmentHandle? {
    entries.withLock { entries in
      guard let handle = entries.handles[number]?.handle else { return nil }
      entries.clock += 1
      entries.handles[number]?.used = entries.clock
      return handle
    }
  }

  func insert(_ handle: SegmentHandle) {
    entries.withLock { entries in
      entries.clock += 1
      entries.handles[handle.number] = (handle, entries.clock)
      guard entries.handles.count > Self.limit else { return }
      let oldest = entries.handles.sorted { $0.value.used < $1.value.used }.prefix(max(1, Self.limit / 4))
      for entry in oldest { entries.handles[entry.key] = nil }
    }
  }

  func remove(_ number: SegmentNumber) { entries.withLock { _ = $0.handles.removeValue(forKey: number) } }

  func removeAll() { entries.withLock { $0.handles.removeAll() } }
}
