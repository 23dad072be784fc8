import TestSupport
import Testing

@testable import Media

/// Archives that are as they should be: every entry comes out as it was put in.
@Suite(.timeLimit(.minutes(5))) struct ArchiveTests {
  private func content(_ script: String) throws -> ArchiveContent {
    try Bench.decoder().content(of: Bench().archive(script))
  }

  private func expectWhole(_ item: ArchiveContent.Item?, _ data: [UInt8], _ comment: Comment = "") {
    #expect(item?.end == .whole, comment)
    #expect(item?.data == data, comment)
  }

  @Test func zip() throws {
    let content = try content(
      """
      with zipfile.ZipFile("archive", "w") as zip:
          zip.writestr(info("a/", 0o040755), b"")
          zip.writestr(info("a/stored"), noise, zipfile.ZIP_STORED)
          zip.writestr(info("a/deflated"), noise + bytes(100000), zipfile.ZIP_DEFLATED)
          zip.writestr(info("empty"), b"", zipfile.ZIP_STORED)
          zip.writestr(info("empty deflated"), b"", zipfile.ZIP_DEFLATED)
          zip.writestr(info("link", 0o120777), b"a/stored")
          zip.writestr(info("pipe", 0o010644), b"")
          zip.writestr(info("folder\\\\file", 0, 0), b"x")
          zip.writestr(info("bzip2"), b"y", zipfile.ZIP_BZIP2)
      """)
    #expect(content.verdict == .whole)
    #expect(
      content.names == [
        "a/", "a/stored", "a/deflated", "empty", "empty deflated", "link", "pipe", "folder/file", "bzip2",
      ])
    #expect(
      content.items.map(\.entry.kind) == [
        .directory, .file, .file, .file, .file, .symbolicLink, .other, .file, .file,
      ])
    expectWhole(content["a/stored"], archiveNoise)
    expectWhole(content["a/deflated"], archiveNoise + [UInt8](repeating: 0, count: 100_000))
    expectWhole(content["empty"], [])
    expectWhole(content["empty deflated"], [])
    expectWhole(content["folder/file"], Array("x".utf8))
    #expect(content["bzip2"]?.end == .unsupported("compression method 12"))
    #expect(content["a/stored"]?.entry.size == 2_000_000)
    // 2024-08-15 13:14:16, wherever that was.
    #expect(content["empty"]?.entry.modified == ArchiveEntry.Time(seconds: 1_723_727_656, isWallClock: true))
    #expect(content["link"]?.end == nil && content["a/"]?.end == nil)
  }

  @Test func zipsThatWereStreamedOrAreLarge() throws {
    let content = try content(
      """
      class Pipe(io.RawIOBase):
          def __init__(self, file): self.file = file
          def writable(self): return True
          def write(self, data): return self.file.write(data)
      with open("archive", "wb") as file:
          with zipfile.ZipFile(Pipe(file), "w") as zip:
              zip.writestr(info("stored"), b"abc" * 1000, zipfile.ZIP_STORED)
              zip.writestr(info("deflated"), noise, zipfile.ZIP_DEFLATED)
              with zip.open(info("large"), "w", force_zip64=True) as entry: entry.write(b"large")
      """)
    #expect(content.verdict == .whole)
    expectWhole(content["stored"], Array(repeating: Array("abc".utf8), count: 1000).flatMap(\.self))
    expectWhole(content["deflated"], archiveNoise)
    expectWhole(content["large"], Array("large".utf8))
  }

  /// The numbers of ZIP64 stand in for those that have no room, even where these had.
  @Test func zip64() throws {
    let content = try content(
      """
      data = b"forty-two"; name = b"name"; crc = zlib.crc32(data)
      local = struct.pack("<4s5H3L2H", b"PK\\3\\4", 45, 0, 0, 0, 0x58cf, crc, 0xffffffff, 0xffffffff, 4, 20) + name
      local += struct.pack("<2H2Q", 1, 16, len(data), len(data)) + data
      entry = struct.pack("<4s6H3L5H2L", b"PK\\1\\2", 0x32d, 45, 0, 0, 0, 0x58cf, crc, 0xffffffff, 0xffffffff, 4, 28,
                          0, 0, 0, 0x81a40000, 0xffffffff) + name + struct.pack("<2H3Q", 1, 24, 9, 9, 0)
      start = len(local); record = start + len(entry)
      end = struct.pack("<4sQ2H2L4Q", b"PK\\6\\6", 44, 45, 45, 0, 0, 1, 1, len(entry), start)
      end += struct.pack("<4sLQL", b"PK\\6\\7", 0, record, 1)
      end += struct.pack("<4s4H2LH", b"PK\\5\\6", 0, 0, 0xffff, 0xffff, 0xffffffff, 0xffffffff, 7) + b"comment"
      open("archive", "wb").write(local + entry + end)
      """)
    #expect(content.verdict == .whole)
    expectWhole(content["name"], Array("forty-two".utf8))
  }

  @Test func namesAndTimesOfZips() throws {
    let content = try content(
      """
      def extra(number, data): return struct.pack("<2H", number, len(data)) + data
      with zipfile.ZipFile("archive", "w") as zip:
          decomposed = info("e\\u0301.jpg"); zip.writestr(decomposed, b"1")
          unix = info("unix"); unix.extra = extra(0x5455, struct.pack("<Bl", 1, 1700000001)); zip.writestr(unix, b"2")
          windows = info("windows")
          stamp = (1700000002 + 11644473600) * 10**7 + 1234567
          windows.extra = extra(10, struct.pack("<L2H3Q", 0, 1, 24, stamp, 0, 0))
          windows.extra += extra(0x5455, struct.pack("<Bl", 1, 1)); zip.writestr(windows, b"3")
          zip.writestr(info("XX latin"), b"4"); zip.writestr(info("YY claims"), b"5")
      # Bytes that are no UTF-8, in both headers; the second claims to be UTF-8.
      archive = open("archive", "rb").read().replace(b"XX latin", b"\\xe9\\xff latin")
      archive = archive.replace(b"YY claims", b"\\xe9\\xff claims")
      for sign, place in ((b"PK\\3\\4", 30), (b"PK\\1\\2", 46)):
          at = archive.rindex(sign); flags = at + (6 if place == 30 else 8)
          assert archive[at + place:at + place + 2] == b"\\xe9\\xff"
          archive = archive[:flags] + b"\\0\\x08" + archive[flags + 2:]
      open("archive", "wb").write(archive)
      """)
    #expect(content.verdict == .whole && content.items.allSatisfy { $0.end == .whole })
    // Not composed: a name is its bytes.
    #expect(content.items.first?.entry.name == [0x65, 0xcc, 0x81] + Array(".jpg".utf8))
    #expect(content["unix"]?.entry.modified == ArchiveEntry.Time(seconds: 1_700_000_001))
    #expect(
      content["windows"]?.entry.modified == ArchiveEntry.Time(seconds: 1_700_000_002, nanoseconds: 123_456_700))
    let names = [Array("Θ\u{A0} latin".utf8), [0xe9, 0xff] + Array(" claims".utf8)]
    #expect(content.items.dropFirst(3).map(\.entry.name) == names)
  }

  /// Names as programs of Windows and DOS write them: code page 437 without a flag, and backslashes, also in the field for
  /// Unicode. What agonyfs exports keeps its bytes, and Unix its backslashes.
  @Test func namesOfOtherSystems() throws {
    let content = try content(
      """
      def unicode(name, raw):
          data = struct.pack("<BL", 1, zlib.crc32(raw)) + name.encode()
          return struct.pack("<2H", 0x7075, len(data)) + data
      with zipfile.ZipFile("archive", "w") as zip:
          for number, (raw, name, system, version) in enumerate([
              (b"M\\x81nchen\\\\a.jpg", None, 0, 20), (b"x/y\\\\b.jpg", None, 11, 20), (b"up\\\\..\\\\..\\\\c", None, 14, 20),
              (b"raw?d.jpg", "Foto\\\\s\\u03b1.jpg", 0, 20), (b"a\\\\b.jpg", None, 3, 20), (b"x/y\\\\z", None, 7, 20),
              (b"own\\xff", None, 3, 45), (bytes(range(0x80, 0x100)), None, 3, 30)]):
              made = info(chr(65 + number) * len(raw), system=system); made.create_version = version
              if name: made.extra = unicode(name, raw)
              zip.writestr(made, b"x")
              names = [*globals().get("names", []), raw]
      archive = open("archive", "rb").read()
      for number, raw in enumerate(names):
          assert archive.count(bytes([65 + number]) * len(raw)) >= 2
          archive = archive.replace(bytes([65 + number]) * len(raw), raw)
      open("archive", "wb").write(archive)
      """)
    #expect(content.verdict == .whole && content.items.allSatisfy { $0.end == .whole })
    let names = content.items.map(\.entry.name)
    #expect(
      content.names.prefix(6) == [
        "München/a.jpg", "x/y/b.jpg", "up/../../c", "Foto/sα.jpg", "a\\b.jpg", "x/y\\z",
      ])
    #expect(names[6] == Array("own".utf8) + [0xff])
    let page = try #require(String(validating: names[7], as: UTF8.self))
    #expect(page.unicodeScalars.count == 128 && page.hasPrefix("Çüéâ") && page.hasSuffix("ⁿ²■\u{A0}"))
    // Split first, so that it is refused.
    #expect(throws: ArchivePath.Refusal.self) { _ = try content.items[2].entry.path.get() }
  }

  @Test(
    arguments: TestLength.sample(
      ["w", "w:gz", "w:bz2", "w:xz"].flatMap { mode in
        ["USTAR_FORMAT", "PAX_FORMAT", "GNU_FORMAT"].map { (mode, $0) }
      }, 4, kind: { $0.0 }))
  func tar(mode: String, format: String) throws {
    let content = try content(
      """
      with tarfile.open("archive", "\(mode)", format=tarfile.\(format)) as tar:
          tar.addfile(*member("./a", type=tarfile.DIRTYPE))
          tar.addfile(*member("./a/noise", noise))
          tar.addfile(*member("\\u00e9e\\u0301", b"accents"))
          tar.addfile(*member("empty"))
          tar.addfile(*member("link", type=tarfile.SYMTYPE, linkname="a/noise"))
          tar.addfile(*member("hard", type=tarfile.LNKTYPE, linkname="./a/noise"))
          tar.addfile(*member("pipe", type=tarfile.FIFOTYPE))
          if tarfile.\(format) != tarfile.USTAR_FORMAT:
              tar.addfile(*member("long/" * 60 + "name", b"deep"))
              tar.addfile(*member("fraction", b"x", mtime=1700000000.25))
      """)
    #expect(content.verdict == .whole)
    #expect(
      content.items.prefix(7).map(\.entry.kind) == [
        .directory, .file, .file, .file, .symbolicLink, .hardLink, .other,
      ])
    expectWhole(content["./a/noise"], archiveNoise)
    #expect(content.items[2].entry.name == [0xc3, 0xa9, 0x65, 0xcc, 0x81])
    expectWhole(content.items[2], Array("accents".utf8))
    expectWhole(content["empty"], [])
    #expect(content["hard"]?.entry.target == Array("./a/noise".utf8))
    #expect(content["link"]?.entry.target == Array("a/noise".utf8))
    #expect(content["empty"]?.entry.modified == ArchiveEntry.Time(seconds: 1_700_000_000))
    if format != "USTAR_FORMAT" {
      expectWhole(content[String(repeating: "long/", count: 60) + "name"], Array("deep".utf8))
    }
    if format == "PAX_FORMAT" { #expect(content["fraction"]?.entry.modified?.nanoseconds == 250_000_000) }
  }

  @Test func namesOfTarsAreNotUTF8() throws {
    let content = try content(
      """
      with tarfile.open("archive", "w:gz", format=tarfile.GNU_FORMAT, encoding="latin-1") as tar:
          tar.addfile(*member("caf\\xe9", b"x"))
      """)
    #expect(content.verdict == .whole && content.items.map(\.entry.name) == [Array("caf".utf8) + [0xe9]])
  }

  @Test func holesOfTarsAreZeros() throws {
    let bench = try Bench()
    try bench.shell("truncate -s 3M f; printf abc | dd of=f bs=1 seek=2000000 conv=notrunc; tar -cSf archive f")
    let content = try Bench.decoder().content(of: bench.file("archive"))
    #expect(content.verdict == .whole)
    expectWhole(content["f"], try bench.file("f"))
  }

  @Test(arguments: [
    #"zipfile.ZipFile("archive", "w").close()"#, #"tarfile.open("archive", "w").close()"#,
    #"tarfile.open("archive", "w:gz").close()"#,
  ]) func emptyArchives(script: String) throws {
    let content = try content(script)
    #expect(content.verdict == .whole && content.items.isEmpty)
  }

  /// As programs that unpack themselves are.
  @Test func zipsBehindOtherBytes() throws {
    let content = try content(
      """
      file = io.BytesIO()
      with zipfile.ZipFile(file, "w") as zip: zip.writestr(info("a"), b"data")
      open("archive", "wb").write(b"PK\\3\\4 something in front of it" + file.getvalue())
      """)
    #expect(content.verdict == .whole)
    expectWhole(content["a"], Array("data".utf8))
  }

  @Test func manyEntries() throws {
    let count = 70_000
    let content = try content(
      """
      with zipfile.ZipFile("archive", "w") as zip:
          for number in range(\(count)): zip.writestr(info(f"{number}"), str(number))
      """)
    #expect(content.verdict == .whole && content.items.count == count)
    #expect(content.items.allSatisfy { $0.end == .whole && $0.data == $0.entry.name })
  }
}
