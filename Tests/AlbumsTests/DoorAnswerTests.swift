import Testing

@testable import Albums

/// Answers of the door that break off.
@Suite struct DoorAnswerTests {
  /// Whoever reads entries of a fixed form finds the empty one, and the reason behind it.
  @Test func theReasonFollowsAnEmptyEntry() {
    let reason = Array("{\"end\":false,\"error\":\"no\"}\n".utf8)
    let entry: [UInt8] = [1, 2, 3]
    for (format, end) in [
      (DoorRequest.Format.tiles, [UInt8](repeating: 0, count: CatalogTile.count + 1)), (.paths0, [0]),
      (.paths, [0x0A, 0x0A]), (.json, [0x0A]),
    ] {
      var text = JSONText()
      text.raw(entry)
      text.breakOff("no", in: format)
      #expect(text.bytes == entry + end + reason, "\(format)")
    }
  }
}
