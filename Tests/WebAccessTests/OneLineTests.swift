import Testing
import WebAccess

@Suite struct OneLineTests {
  @Test func nothingMovesTheCursorOrTurnsTheText() {
    #expect(OneLine.safe("  Müller's \u{1F600} vault.\n") == "Müller's \u{1F600} vault.")
    let safe = OneLine.safe("a\u{1B}[2J\u{7}b\nc\td\u{9B}e\u{202E}f\u{2028}g\r\u{0}")
    #expect(safe == "a\u{FFFD}[2J\u{FFFD}b c d\u{FFFD}e\u{FFFD}f g\u{FFFD}\u{FFFD}")
  }
}
