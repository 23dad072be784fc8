import Testing

@testable import System

/// Counts and their nouns.
@Suite struct CountingTests {
  @Test func nounsAgree() {
    #expect(
      [0, 1, 2, 11, 21, 101].map { $0.counted("file") }
        == ["0 files", "1 file", "2 files", "11 files", "21 files", "101 files"])
    #expect(Int64(1).counted("entry", "entries") == "1 entry")
    #expect(UInt64(3).counted("entry", "entries") == "3 entries")
    #expect(1.counted("description is", "descriptions are") == "1 description is")
    #expect(0.counted("description is", "descriptions are") == "0 descriptions are")
  }
}
