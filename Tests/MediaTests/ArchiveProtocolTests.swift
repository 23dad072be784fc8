import Glibc
import Testing

@testable import Media

/// What a decoder that was taken over can do to who reads an archive: lie about it, and nothing else.
@Suite(.timeLimit(.minutes(5))) struct ArchiveProtocolTests {
  private func run(_ text: String, limits: ArchiveLimits = ArchiveLimits()) throws(DecoderError) -> ArchiveContent {
    try Bench.decoder("misbehaving-decoder").content(of: Array(text.utf8), limits: limits)
  }

  @Test(arguments: [
    "piece first", "end first", "no entry", "unknown kind", "long name", "negative size", "nanoseconds",
    "archive skipped", "crash", "huge piece", "empty piece", "flag", "skips", "says skipped", "says too large",
    "entry in entry", "archive ends in entry", "piece behind the last", "skips nothing",
  ])
  func whatBreaksTheRulesEndsTheArchive(behaviour: String) throws {
    #expect(throws: DecoderError.crashed) { try run(behaviour) }
  }

  @Test func theNextArchiveIsNotAffected() throws {
    let decoder = Bench.decoder("misbehaving-decoder", timeout: .seconds(10))
    #expect(throws: DecoderError.timedOut) { try decoder.content(of: Array("hang".utf8)) }
    #expect(throws: DecoderError.crashed) { try decoder.content(of: Array("crash".utf8)) }
    #expect(throws: DecoderError.notMedia) { try decoder.content(of: Array("no archive".utf8)) }
    #expect(try decoder.content(of: Array("good".utf8)).verdict == .whole)
  }

  @Test func sizesAreCompared() throws {
    let content = try run("short")
    #expect(content.verdict == .whole && content.items[0].end == .damaged("shorter than its header says"))
  }

  /// Every word of it costs something, so that it comes to an end.
  @Test(arguments: ["endless data", "endless entries"]) func nothingIsWithoutEnd(behaviour: String) throws {
    let content = try run(behaviour, limits: ArchiveLimits(freeBytes: 1 << 20))
    #expect(content.verdict == .tooLarge("the archive holds more than 1000 times its size"))
    #expect(content.items.count <= 2049 && content.items[0].data.count <= 3)
    if behaviour == "endless data" { #expect(content.items[0].end == .damaged("longer than its header says")) }
  }

  /// The time of a job is that of each step.
  @Test func longArchivesHaveTime() throws {
    let archive = try Bench().archive(
      """
      with zipfile.ZipFile("archive", "w") as zip:
          for number in range(6): zip.writestr(info(f"{number}"), noise)
      """)
    let content = try Bench.decoder(timeout: .seconds(10)).content(of: archive) { event in
      if case .entry = event { usleep(1_800_000) }
      return .proceed
    }
    #expect(content.verdict == .whole && content.items.allSatisfy { $0.end == .whole })
  }
}
