import HostFiles
import Testing

/// Which names belong together.
@Suite struct CompanionsTests {
  private static func key(_ text: String) -> [UInt8] { Companions.key(of: Array(text.utf8)) }

  @Test func whatBelongsTogetherHasOneKey() {
    for name in [
      "IMG_1234.HEIC", "img_1234.mov", "IMG_E1234.HEIC", "IMG_O1234.AAE", "IMG_1234.HEIC.xmp", "IMG_1234.DNG",
      "IMG_1234.HEIC.supplemental-metadata.json", "IMG_1234.HEIC.suppl.json", "IMG_1234.HEIC.json", "IMG_1234.MP.jpg",
      "IMG_1234.MP", "IMG_1234.THM", "IMG_1234.WAV", "IMG_1234.xmp", "IMG_1234-edited.jpg", "IMG_1234_edited.jpeg",
      "IMG_1234-bearbeitet.HEIC",
    ] {
      #expect(Self.key(name) == Array("img_1234".utf8), "\(name)")
    }
    for name in ["PXL_20210107_1.RAW-01.COVER.jpg", "PXL_20210107_1.RAW-02.ORIGINAL.dng", "PXL_20210107_1.MP.jpg"] {
      #expect(Self.key(name) == Array("pxl_20210107_1".utf8), "\(name)")
    }
    #expect(Self.key("IMG_12345.JPG") != Self.key("IMG_1234.JPG"))
    #expect(Self.key(".hidden.jpg") == Array(".hidden".utf8))
    let grouped = Companions.grouped(["b.jpg", "a.xmp", "B.MOV", "a.jpg", "c"].map { Array($0.utf8) })
    #expect(grouped.names.map { String(decoding: $0, as: UTF8.self) } == ["c", "a.jpg", "a.xmp", "B.MOV", "b.jpg"])
    #expect(grouped.ends == [1, 3, 5])
  }

  @Test(arguments: [
    ["Rome.001.jpg", "Rome.002.jpg", "Rome.jpg"], ["St. Peter.jpg", "St. Moritz.jpg"],
    ["a", "a.jpg", "a.txt", "A.txt"],
    ["2014-08-25 17.20.00.jpg", "2014-08-25 17.20.01.jpg"], ["a.jpg.bak", "a.jpg"], ["v1.2.mov", "v1.3.mov"],
  ])
  func whatDoesNotBelongTogetherHasNone(names: [String]) {
    #expect(Set(names.map(Self.key)).count == names.count)
  }
}
