import TestSupport
import Testing

@testable import Media

/// Pictures that were taken with the camera held in any way come out upright.
@Suite struct OrientationTests {
  /// What makes the stored pixels of an orientation from the upright picture: the opposite of what showing it takes.
  static let stored = [
    1: "vips copy up.ppm stored.v", 2: "vips flip up.ppm stored.v horizontal", 3: "vips rot up.ppm stored.v d180",
    4: "vips flip up.ppm stored.v vertical", 5: "vips rot up.ppm t.v d90 && vips flip t.v stored.v horizontal",
    6: "vips rot up.ppm stored.v d270", 7: "vips rot up.ppm t.v d270 && vips flip t.v stored.v horizontal",
    8: "vips rot up.ppm stored.v d90",
  ]

  @Test(arguments: TestLength.sample(1...8, 3))
  func upright(orientation: Int) throws {
    let bench = try Bench()
    try bench.writeQuarters(width: 800, height: 600, to: "up.ppm")
    let turning = try #require(Self.stored[orientation])
    try bench.shell("\(turning)\nvips jpegsave stored.v stored.jpg --Q 95")
    // With an orientation and nothing else.
    let exif = TIFFBuilder(isLittleEndian: false).file([[(274, .short(UInt16(orientation)))]])
    let decoder = Bench.decoder()
    let made = try decoder.derive(bench.file("stored.jpg").adding(exif: exif))
    #expect(made.facts == MediaFacts(kind: .jpeg, width: 800, height: 600, orientation: orientation))
    try bench.shell("vips copy up.ppm up.png")
    let up = try decoder.derive(try bench.file("up.png"))
    for (bytes, wanted) in [(made.small, up.small), (made.large, up.large)] {
      let difference = try Pixels(try #require(bytes), in: bench).difference(
        from: Pixels(try #require(wanted), in: bench))
      #expect(try #require(difference) < 4)
    }
  }
}
