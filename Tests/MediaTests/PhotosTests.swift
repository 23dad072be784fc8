import Glibc
import TestSupport
import Testing

@testable import Media

/// Photos and videos of real cameras, where they are beside the repository.
@Suite struct PhotosTests {
  static let folder = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/../shared/photos"
  static let ifThere = ConditionTrait.enabled(
    if: unsafe access(folder, R_OK) == 0, "needs a folder of photos beside the repository, ../shared/photos")

  @Test(ifThere, .timeLimit(.minutes(5)))
  func everyOneIsDerived() throws {
    let bench = try Bench()
    let list = String(decoding: try bench.shell("find '\(Self.folder)' -type f ! -name '*.md'"), as: UTF8.self)
    let decoder = Bench.decoder()
    defer { decoder.stop() }
    var places = 0
    for file in list.split(separator: "\n").map(String.init) {
      do throws(DecoderError) {
        let made = try decoder.derive(try Self.contents(file))
        #expect(made.small != nil && made.large != nil, "\(file)")
        if made.facts.latitude != nil { places += 1 }
      } catch {
        Issue.record("\(file): \(error)")
      }
    }
    #expect(places >= 3)
  }

  /// The same picture in nine ways of holding the camera.
  @Test(ifThere, arguments: ["Landscape", "Portrait"])
  func orientationsAreAlike(name: String) throws {
    let bench = try Bench()
    let decoder = Bench.decoder()
    defer { decoder.stop() }
    let pictures = try (1...8).map { number in
      let made = try decoder.derive(try HostFile.read("\(Self.folder)/Orientation/\(name)_\(number).jpg"))
      #expect(made.facts.orientation == number)
      return try Pixels(try #require(made.small), in: bench)
    }
    for picture in pictures.dropFirst() { #expect(try #require(picture.difference(from: pictures[0])) < 12) }
  }

  /// What exiftool reads in the same files.
  @Test(ifThere)
  func factsAreThoseOfTheCameras() throws {
    var photo = MediaFacts(kind: .heic, width: 4032, height: 3024)
    (photo.cameraMake, photo.cameraModel) = ("Apple", "iPhone 7")
    (photo.latitude, photo.longitude) = (41.2203, -96.071625)
    photo.captureSeconds = 1_553_166_262
    var video = MediaFacts(kind: .quickTime, width: 320, height: 568, orientation: 6)
    (video.cameraMake, video.cameraModel) = ("Apple", "iPhone 6")
    (video.latitude, video.longitude) = (32.0929, 34.862)
    (video.captureSeconds, video.captureOffsetMinutes) = (1_563_956_740, 180)
    (video.duration, video.codec) = (4.001667, "h264")
    let decoder = Bench.decoder()
    defer { decoder.stop() }
    for (name, facts) in [("Formats/IMG_2682.heic", photo), ("Video/with-gps.mov", video)] {
      let source = MemorySource(try Self.contents("\(Self.folder)/\(name)"))
      let found = try decoder.derive([], eagerly: false, from: source).facts
      #expect(found == facts, "\(found)")
    }
  }

  private static func contents(_ file: String) throws(DecoderError) -> [UInt8] {
    do { return try HostFile.read(file) } catch { throw .unavailable("\(file): \(error)") }
  }
}
