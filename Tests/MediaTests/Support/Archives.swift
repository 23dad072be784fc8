import SystemPackage

@testable import Media

/// What came of an archive.
struct ArchiveContent {
  struct Item {
    var entry: ArchiveEntry
    var data: [UInt8] = []
    /// Nil for what has no data, and for what was stopped.
    var end: ArchiveVerdict?
  }

  var items: [Item] = []
  /// How the archive ended.
  var verdict = ArchiveVerdict.skipped

  /// The entry of that name.
  subscript(name: String) -> Item? { items.first { $0.entry.name == Array(name.utf8) } }

  /// The names, for comparison.
  var names: [String] { items.map { String(decoding: $0.entry.name, as: UTF8.self) } }
}

extension Decoder {
  /// Reads an archive with all its data. `choose` may want less of it.
  func content(
    of archive: [UInt8], limits: ArchiveLimits = ArchiveLimits(),
    choose: (ArchiveEvent) -> ArchiveStep = { _ in .proceed }
  ) throws(DecoderError) -> ArchiveContent {
    var content = ArchiveContent()
    content.verdict = try self.archive(of: MemorySource(archive), limits: limits) { event in
      switch event {
      case .entry(let entry): content.items.append(ArchiveContent.Item(entry: entry))
      case .piece(let bytes): content.items[content.items.count - 1].data += bytes
      case .end(let verdict): content.items[content.items.count - 1].end = verdict
      }
      return choose(event)
    }
    return content
  }
}

extension Bench {
  /// Has Python make a file named `archive` in the directory, and gives its bytes.
  func archive(_ script: String) throws -> [UInt8] {
    let head = """
      import io, os, struct, tarfile, time, zipfile, zlib
      def info(name, mode=0o100644, system=3):
          made = zipfile.ZipInfo(name, (2024, 8, 15, 13, 14, 16)); made.external_attr = mode << 16
          made.create_system = system; return made
      def member(name, data=b"", **more):
          made = tarfile.TarInfo(name); made.size = len(data); made.mtime = 1700000000
          for key, value in more.items(): setattr(made, key, value)
          return made, io.BytesIO(data)
      noise = b"".join(zlib.crc32(bytes([n % 256, n // 256 % 256, n // 65536])).to_bytes(4, "little") for n in range(500000))
      """
    try write(Array("\(head)\n\(script)\n".utf8), to: "make.py")
    try shell("python3 make.py")
    return try file("archive")
  }
}

/// The same bytes as `noise` in the scripts.
let archiveNoise: [UInt8] = {
  var bytes: [UInt8] = []
  let table = (0..<256).map { (value: UInt32) in
    (0..<8).reduce(value) { (rest, _) in rest & 1 == 1 ? rest >> 1 ^ 0xedb8_8320 : rest >> 1 }
  }
  for number in 0..<500_000 {
    var sum = ~UInt32(0)
    for byte in [number % 256, number / 256 % 256, number / 65536] {
      sum = table[Int((sum ^ UInt32(byte)) & 255)] ^ sum >> 8
    }
    for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: ~sum >> UInt32(shift))) }
  }
  return bytes
}()
