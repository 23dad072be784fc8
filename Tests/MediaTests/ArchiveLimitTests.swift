import TestSupport
import Testing

@testable import Media

/// What an archive costs at most, and who decides how much of it is read.
@Suite(.timeLimit(.minutes(5))) struct ArchiveLimitTests {
  /// 10 GiB of zeros in 10 MB. The same packed bytes again and again: 64 MiB each.
  private static let bomb = """
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = packer.compress(bytes(64 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    data = piece * 160 + zlib.compressobj(9, zlib.DEFLATED, -15).flush()
    """
  private static let zipBomb =
    bomb + """

      size = 160 * (64 << 20); extra = struct.pack("<2HQ", 1, 8, size)
      local = struct.pack("<4s5H3L2H", b"PK\\3\\4", 45, 0, 8, 0, 0x58cf, 0, len(data), 0, 4, 0) + b"zero" + data
      entry = struct.pack("<4s6H3L5H2L", b"PK\\1\\2", 0x32d, 45, 0, 8, 0, 0x58cf, 0, len(data), 0xffffffff, 4, len(extra),
                          0, 0, 0, 0x81a40000, 0) + b"zero" + extra
      other = struct.pack("<4s5H3L2H", b"PK\\3\\4", 20, 0, 0, 0, 0x58cf, 0, 0, 0, 5, 0) + b"other"
      entry += struct.pack("<4s6H3L5H2L", b"PK\\1\\2", 0x314, 20, 0, 0, 0, 0x58cf, 0, 0, 0, 5, 0, 0, 0, 0, 0x81a40000,
                           len(local)) + b"other"
      end = struct.pack("<4s4H2LH", b"PK\\5\\6", 0, 0, 2, 2, len(entry), len(local) + len(other), 0)
      open("archive", "wb").write(local + other + entry + end)
      """
  private static let tarBomb =
    bomb + """

      head = tarfile.TarInfo("zero"); head.size = 160 * (64 << 20)
      start = zlib.compressobj(9, zlib.DEFLATED, -15)
      start = start.compress(head.tobuf(tarfile.GNU_FORMAT)) + start.flush(zlib.Z_FULL_FLUSH)
      open("archive", "wb").write(b"\\x1f\\x8b\\x08\\0\\0\\0\\0\\0\\0\\3" + start + data + bytes(8))
      """

  /// Counts what comes, and keeps nothing.
  private func read(
    _ archive: [UInt8], _ limits: ArchiveLimits, _ choose: (ArchiveEvent) -> ArchiveStep = { _ in .proceed }
  ) throws -> (count: Int, ends: [ArchiveVerdict], verdict: ArchiveVerdict) {
    var (count, ends) = (0, [ArchiveVerdict]())
    let verdict = try Bench.decoder().archive(of: MemorySource(archive), limits: limits) { event in
      switch event {
      case .piece(let bytes): count += bytes.count
      case .end(let verdict): ends.append(verdict)
      case .entry: break
      }
      return choose(event)
    }
    return (count, ends, verdict)
  }

  @Test(arguments: [true, false]) func bombs(isZip: Bool) throws {
    let archive = try Bench().archive(isZip ? Self.zipBomb : Self.tarBomb)
    #expect(archive.count < 11 << 20)
    let outcome = try read(archive, ArchiveLimits(mostRatio: 50, freeBytes: 128 << 20))
    #expect(outcome.count == 128 << 20)
    #expect(outcome.ends.first == .tooLarge("the entry holds more than 50 times its packed size"))
    // What is in a packed tar behind it can only be reached through it.
    #expect(outcome.ends.dropFirst() == (isZip ? [.whole] : []))
    #expect(outcome.verdict == (isZip ? .whole : .tooLarge("the archive holds more than 50 times its size")))
  }

  /// Many that are none by themselves.
  @Test func bombsOfManyEntries() throws {
    let archive = try Bench().archive(
      """
      with zipfile.ZipFile("archive", "w") as zip:
          for number in range(20): zip.writestr(info(f"{number}"), bytes(10 << 20), zipfile.ZIP_DEFLATED)
      """)
    let outcome = try read(archive, ArchiveLimits(mostRatio: 100, freeBytes: 32 << 20))
    #expect(outcome.verdict == .tooLarge("the archive holds more than 100 times its size"))
    #expect(outcome.ends == [.whole, .whole, .whole, outcome.verdict] && outcome.count <= 33 << 20)
  }

  @Test func theRestComesAfterABombThatIsLeftOut() throws {
    let archive = try Bench().archive(Self.zipBomb)
    let large = ArchiveVerdict.tooLarge("the entry is larger than allowed")
    let limited = try read(archive, ArchiveLimits(mostEntryBytes: 3 << 20))
    #expect(limited.ends == [large, .whole] && limited.verdict == .whole && limited.count == 3 << 20)
    let skipped = try read(archive, ArchiveLimits()) { if case .entry = $0 { .skip } else { .proceed } }
    #expect(skipped.ends == [.skipped, .skipped] && skipped.verdict == .whole && skipped.count == 0)
    let broken = try read(archive, ArchiveLimits()) { if case .piece = $0 { .skip } else { .proceed } }
    #expect(broken.ends == [.skipped, .whole] && broken.verdict == .whole && broken.count == 1 << 20)
  }

  /// What is packed must be read to pass over it, but not without end.
  @Test func bombsThatAreLeftOut() throws {
    let limits = ArchiveLimits(mostRatio: 50, freeBytes: 64 << 20)
    let outcome = try read(try Bench().archive(Self.tarBomb), limits) {
      if case .entry = $0 { .skip } else { .proceed }
    }
    #expect(outcome.verdict == .tooLarge("the archive holds more than 50 times its size"))
    #expect(outcome.ends == [outcome.verdict] && outcome.count == 0)
  }

  private static let plain = """
    with tarfile.open("archive", "w") as tar:
        for name in "abc": tar.addfile(*member(name, noise))
    """

  @Test func allTogetherIsLimited() throws {
    let outcome = try read(try Bench().archive(Self.plain), ArchiveLimits(mostBytes: 3_000_000))
    let reason = ArchiveVerdict.tooLarge("the archive holds more than allowed")
    #expect(outcome.ends == [.whole, reason] && outcome.verdict == reason && outcome.count <= 3_000_000)
  }

  @Test func whatIsNotWantedIsNotRead() throws {
    let archive = try Bench().archive(Self.plain)
    let decoder = Bench.decoder()
    let source = MemorySource(archive)
    var names: [[UInt8]] = []
    let verdict = try decoder.archive(of: source) { event in
      if case .entry(let entry) = event { names.append(entry.name) }
      return .skip
    }
    #expect(verdict == .whole && names == ["a", "b", "c"].map { Array($0.utf8) })
    #expect(source.bytesRead < archive.count / 2)
    let stopped = try decoder.content(of: archive) { if case .piece = $0 { .stop } else { .proceed } }
    #expect(stopped.verdict == .skipped && stopped.items.count == 1 && stopped.items[0].data.count == 1 << 20)
    // The next job is not affected.
    #expect(try decoder.content(of: archive).items.map(\.end) == [.whole, .whole, .whole])
    #expect(throws: DecoderError.notMedia) { try decoder.derive(Array("text".utf8)) }
  }
}
