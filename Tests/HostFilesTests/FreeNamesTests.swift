import HostFiles
import Testing

@Suite struct FreeNamesTests {
  @Test func numbersComeBeforeTheEnding() {
    func name(_ text: String, _ number: Int) -> String {
      String(decoding: FreeNames.name(Array(text.utf8), number: number), as: UTF8.self)
    }
    #expect(name("a.jpg", 1) == "a.jpg")
    #expect(name("a.jpg", 2) == "a (2).jpg")
    #expect(name(".hidden", 3) == ".hidden (3)")
    #expect(name("a.b.c", 10) == "a.b (10).c")
    for stem in ["x", "é", "世", "🙂"] {
      let long = String(repeating: stem, count: 251 / stem.utf8.count) + ".jpg"
      let shortened = FreeNames.name(Array(long.utf8), number: 12)
      #expect(shortened.count <= 255 && shortened.count > 245)
      #expect(String(validating: shortened, as: UTF8.self) != nil, "\(stem)")
      #expect(shortened.suffix(9) == ArraySlice(" (12).jpg".utf8))
    }
    // An ending that is all of the name.
    #expect(FreeNames.name([0x61, 0x2E] + [UInt8](repeating: 0x62, count: 253), number: 2).count <= 255)
  }
}
