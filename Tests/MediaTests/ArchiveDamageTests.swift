import SystemPackage
import TestSupport
import Testing

@testable import Media

/// Archives that are broken or were made to do harm: nothing of them is called whole that is not.
@Suite(.timeLimit(.minutes(5))) struct ArchiveDamageTests {
  private let decoder = Bench.decoder()

  private func content(_ script: String) throws -> ArchiveContent { try decoder.content(of: Bench().archive(script)) }

  private static let small = """
    with zipfile.ZipFile("archive", "w") as zip:
        zip.writestr(info("stored"), b"stored data", zipfile.ZIP_STORED)
        zip.writestr(info("deflated"), b"deflated data " * 9, zipfile.ZIP_DEFLATED)
        zip.writestr(info("last"), b"good")
    archive = bytearray(open("archive", "rb").read())
    first = archive.index(b"stored data"); second = archive.index(b"PK\\3\\4", first)
    """
  private static let saved = "\nopen(\"archive\", \"wb\").write(archive)"

  @Test func wrongCheckSumsOfZips() throws {
    let content = try content(Self.small + "\narchive[first] ^= 1; archive[second + 38 + 4] ^= 1" + Self.saved)
    guard case .damaged? = content["deflated"]?.end else {
      Issue.record("\(content.items)")
      return
    }
    #expect(content["stored"]?.end == .damaged("its checksum is wrong"))
    #expect(content["last"]?.end == .whole && content.verdict == .whole)
  }

  @Test func headersThatDisagree() throws {
    let content = try content(
      Self.small + "\narchive[30] ^= 1; archive[second] = 0; archive[-22 + 10] = 9" + Self.saved)
    #expect(content["stored"]?.end == .damaged("its header and the list of entries disagree"))
    #expect(content["deflated"]?.end == .damaged("its header is missing"))
    #expect(content["last"]?.end == .whole)
    #expect(content.verdict == .damaged("the number of its entries is wrong"))
  }

  @Test func encryptedEntries() throws {
    let content = try content(
      Self.small + "\narchive[6] |= 1; archive[archive.index(b\"PK\\1\\2\") + 8] |= 1" + Self.saved)
    #expect(content["stored"]?.end == .encrypted && content["last"]?.end == .whole)
    #expect(content["stored"]?.data == [])
  }

  @Test func zipsThatAreCut() throws {
    #expect(throws: DecoderError.undecodable("the list of its entries is missing: it may be incomplete")) {
      try content(Self.small + "\narchive = archive[:-1]" + Self.saved)
    }
  }

  @Test func zipsWithAGap() throws {
    #expect(throws: DecoderError.undecodable("the list of its entries is not where it should be: it may be incomplete"))
    {
      try content(Self.small + "\narchive = archive[:second] + archive[-22:]" + Self.saved)
    }
  }

  @Test func pathsThatLeadElsewhere() throws {
    let zip = try content(
      """
      with zipfile.ZipFile("archive", "w") as zip:
          for name in ("../up", "/etc/passwd", "a//b", "a/../../b", "x" * 5000, "good"): zip.writestr(info(name), b"x")
      """)
    let refusals: [ArchivePath.Refusal] = [.parent, .absolute, .empty, .parent, .tooLong]
    #expect(zip.items.dropLast().map(\.entry.path) == refusals.map { .failure($0) })
    #expect(zip.items.allSatisfy { $0.end == .whole } && zip.items[4].entry.name.count == 4097)
    #expect(try zip.items[5].entry.path.get().parts == [Array("good".utf8)])
    let tar = try content(
      """
      with tarfile.open("archive", "w:gz") as tar:
          for name in ("../up", "/etc/passwd", "a//b", "a/../../b", "x" * 5000): tar.addfile(*member(name, b"x"))
      """)
    #expect(tar.items.map(\.entry.path) == refusals.map { .failure($0) })
  }

  private static let tar = """
    with tarfile.open("plain", "w") as tar:
        for name in "abc": tar.addfile(*member(name, noise[:100000]))
    archive = open("plain", "rb").read()
    """

  /// Wherever a tar is cut, it is not whole, and neither is the entry that was cut.
  @Test(arguments: TestLength.sample([600, 50_000, 100_700, 100_864, 150_000, 302_592, 303_104], 3))
  func tarsThatAreCut(count: Int) throws {
    let content = try content(Self.tar + "\narchive = archive[:\(count)]" + Self.saved)
    guard case .damaged = content.verdict else {
      Issue.record("\(content.verdict)")
      return
    }
    #expect(content.items.count >= min(3, count / 100_864))
    for (number, item) in content.items.enumerated() {
      #expect((item.end == .whole) == ((number + 1) * 100_864 <= count))
      #expect(item.end != .whole || item.data == Array(archiveNoise.prefix(100_000)))
    }
  }

  @Test(arguments: [
    "archive = archive[:-1]", "archive = archive[:-9]", "archive = archive[:len(archive) // 2]",
    "archive[-5] ^= 1", "archive[-1] ^= 1", "archive += b\"rest\"",
  ]) func wrongGzip(change: String) throws {
    let pack = "\nimport gzip; archive = bytearray(gzip.compress(archive)); \(change)"
    let content = try content(Self.tar + pack + Self.saved)
    #expect(content.verdict == .damaged("gzip is damaged or incomplete"))
  }

  @Test func otherDataBehindATar() throws {
    let content = try content(Self.tar + "\narchive += b\"not a header\" * 100 + bytes(10240)" + Self.saved)
    #expect(content.items.count == 3 && content.items.allSatisfy { $0.end == .whole })
    #expect(content.verdict == .damaged("Damaged tar archive"))
  }

  /// Zeros and other members may follow: none of them is passed over.
  @Test func severalMembersOfGzip() throws {
    let content = try content(
      Self.tar + "\nimport gzip; archive = b\"\".join(map(gzip.compress, (archive[:70000], archive[70000:], archive)))"
        + " + bytes(512)" + Self.saved)
    #expect(content.verdict == .whole && content.names == ["a", "b", "c", "a", "b", "c"])
    #expect(content.items.allSatisfy { $0.end == .whole && $0.data.count == 100_000 })
  }

  @Test(arguments: [
    #"b"""#, #"b"PK""#, #"b"some text, which is no archive" * 99"#, #"noise"#, #"b"\x1f\x8b" + noise"#,
    #"__import__("gzip").compress(noise)"#, #"b"7z\xbc\xaf\x27\x1c" + noise"#,
  ]) func whatIsNoArchive(bytes: String) throws {
    #expect(throws: DecoderError.notMedia) { try content("open(\"archive\", \"wb\").write(\(bytes))") }
  }

  @Test func failuresOfReadingAreTold() throws {
    let source = BehavingSource(size: 100_000) { (offset, count) throws(Errno) in
      if offset > 0 { throw .ioError }
      return Array("PK\u{3}\u{4}".utf8) + [UInt8](repeating: 0, count: min(count, 100_000) - 4)
    }
    #expect(throws: DecoderError.undecodable("the list of its entries is missing: it may be incomplete")) {
      try decoder.archive(of: source) { _ in .proceed }
    }
    let broken = BehavingSource(size: 100_000) { (_, _) throws(Errno) in throw .ioError }
    #expect(throws: DecoderError.source(.ioError)) { try decoder.archive(of: broken) { _ in .proceed } }
  }

  /// Each byte that is changed costs at most what it belongs to, and nothing false is called whole.
  @Test func changedBytes() throws {
    let bench = try Bench()
    let archive = try bench.archive(Self.small + Self.saved)
    let expected = ["stored data", String(repeating: "deflated data ", count: 9), "good"]
    for seed in TestLength.seeds(150, few: 20) {
      var random = SplitMix64(seed: seed)
      var bytes = archive
      bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
      do throws(DecoderError) {
        for item in try decoder.content(of: bytes).items where item.end == .whole {
          #expect(expected.contains(String(decoding: item.data, as: UTF8.self)))
        }
      } catch {
        switch error {
        case .notMedia, .undecodable: break
        default: Issue.record("\(error)")
        }
      }
    }
  }
}
