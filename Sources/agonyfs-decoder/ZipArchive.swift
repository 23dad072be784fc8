internal import CDecoder
internal import Media

/// Reads a zip archive (APPNOTE 6.3.10). libarchive is not used, because it normalizes Unicode names, drops names that
/// are wrongly marked as UTF-8, and holds the whole central directory in memory.
///
/// 1. The central directory defines an entry, and the entry's own header must agree.
/// 2. Memory does not grow with the number of entries.
struct ZipArchive: ArchiveFormat {
  static let header: [UInt8] = [0x50, 0x4b, 3, 4]
  static let end: [UInt8] = [0x50, 0x4b, 5, 6]

  private static let stored: UInt64 = 0
  private static let deflated: UInt64 = 8
  private static let packedBytes = 64 << 10

  private let input: FileInput
  private let directory: ZipDirectory
  private var position: Int64
  private var count: UInt64 = 0
  private var data: Data?
  private(set) var verdict = ArchiveVerdict.whole

  /// The state of the current entry's data.
  private struct Data {
    let entry: ZipEntry
    /// The offset and the number of the packed bytes that are not read yet.
    var position: Int64 = 0
    var left: Int64 = 0
    var made: Int64 = 0
    var sum: UInt32 = 0
    var inflater: Inflater?
    var buffered: ArraySlice<UInt8> = []
    /// The reason why the data cannot be read.
    var refusal: ArchiveVerdict?
  }

  init(_ input: FileInput) throws(ArchiveFailure) {
    self.input = input
    directory = try ZipDirectory(input)
    position = directory.start
  }

  mutating func next() throws(ArchiveFailure) -> ArchiveEntry? {
    if position == directory.end {
      if count & directory.countMask != directory.count { verdict = .damaged("the number of its entries is wrong") }
      return nil
    }
    guard directory.end - position >= ZipEntry.headerBytes,
      let header = input.exactly(ZipEntry.headerBytes, at: position), header.starts(with: ZipEntry.signature)
    else { throw ArchiveFailure(ZipDirectory.damage) }
    let counts = [28, 30, 32].map { Int(header.number(2, at: $0)) }
    let rest = counts.reduce(0, +)
    position += Int64(ZipEntry.headerBytes)
    guard Int64(rest) <= directory.end - position, let bytes = input.exactly(rest, at: position) else {
      throw ArchiveFailure(ZipDirectory.damage)
    }
    position += Int64(rest)
    count += 1
    let entry = try ZipEntry(
      header, name: Array(bytes[..<counts[0]]), extra: Array(bytes[counts[0]..<(counts[0] + counts[1])]))
    if entry.kind == .file { data = open(entry) }
    return ArchiveEntry(
      kind: entry.kind, name: entry.name, size: entry.kind == .file ? entry.unpacked : nil, modified: entry.modified)
  }

  /// Compares the entry's own header with the central directory.
  private func open(_ entry: ZipEntry) -> Data {
    var data = Data(entry: entry)
    let (at, overflows) = entry.offset.addingReportingOverflow(directory.base)
    let bytes = overflows ? nil : input.exactly(30, at: at)
    if entry.isEncrypted {
      data.refusal = .encrypted
    } else if let bytes, bytes.starts(with: Self.header) {
      let (nameCount, extraCount) = (Int64(bytes.number(2, at: 26)), Int64(bytes.number(2, at: 28)))
      data.position = at + 30 + nameCount + extraCount
      data.left = entry.packed
      if nameCount != entry.rawName.count || input.exactly(Int(nameCount), at: at + 30) != entry.rawName
        || bytes.number(2, at: 8) != entry.method || bytes.number(2, at: 6) & 1 != 0
      {
        data.refusal = .damaged("its header and the list of entries disagree")
      } else if entry.flags & 0x20 != 0 {
        data.refusal = .unsupported("patch data")
      } else if entry.method == Self.deflated {
        data.inflater = Inflater()
        if data.inflater == nil { data.refusal = .unsupported("not enough memory") }
      } else if entry.method != Self.stored {
        data.refusal = .unsupported("compression method \(entry.method)")
      } else if entry.packed != entry.unpacked {
        data.refusal = .damaged("its sizes disagree")
      }
    } else {
      data.refusal = .damaged("its header is missing")
    }
    return data
  }

  mutating func read(most: Int) -> (bytes: [UInt8], end: ArchiveVerdict?) {
    guard let refusal = data?.refusal else {
      let (bytes, end) = data?.inflater == nil ? stored(most) : inflated(most)
      let sum = checkSum(of: bytes, after: data?.sum ?? 0)
      data?.sum = sum
      data?.made += Int64(bytes.count)
      return (bytes, end == .whole ? complete() : end)
    }
    return ([], refusal)
  }

  mutating func skip(most: Int) -> Int? {
    data = nil
    return nil
  }

  private mutating func stored(_ most: Int) -> (bytes: [UInt8], end: ArchiveVerdict?) {
    guard let open = data else { return ([], .damaged("no entry")) }
    let wanted = Int(min(Int64(most), open.left))
    guard let bytes = input.exactly(wanted, at: open.position) else { return ([], .damaged("it is incomplete")) }
    data?.position += Int64(wanted)
    data?.left -= Int64(wanted)
    return (bytes, open.left == wanted ? .whole : nil)
  }

  private mutating func inflated(_ most: Int) -> (bytes: [UInt8], end: ArchiveVerdict?) {
    guard var open = data, let inflater = open.inflater else { return ([], .damaged("no entry")) }
    var end: ArchiveVerdict?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: most + 1) { (buffer, made) in
      while made < most, end == nil {
        if open.buffered.isEmpty {
          let wanted = Int(min(Int64(Self.packedBytes), open.left))
          guard wanted > 0, let more = input.exactly(wanted, at: open.position) else {
            end = .damaged("it is incomplete")
            break
          }
          open.buffered = more[...]
          open.position += Int64(wanted)
          open.left -= Int64(wanted)
        }
        let room = unsafe UnsafeMutableBufferPointer(rebasing: buffer[made..<most])
        let step = unsafe inflater.inflate(open.buffered, into: room)
        open.buffered = open.buffered.dropFirst(step.used)
        made += step.made
        if step.state == AGONYFS_INFLATED {
          end = open.left == 0 && open.buffered.isEmpty ? .whole : .damaged("its compressed size is wrong")
        } else if step.state == AGONYFS_NOT_DEFLATED {
          end = .damaged("its compressed data is damaged")
        }
      }
    }
    data = open
    return (bytes, end)
  }

  /// Compares the size and the checksum with those in the central directory.
  private func complete() -> ArchiveVerdict {
    guard let data else { return .damaged("no entry") }
    if data.made != data.entry.unpacked { return .damaged("its size is wrong") }
    return data.sum == data.entry.crc ? .whole : .damaged("its checksum is wrong")
  }
}
