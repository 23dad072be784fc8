import Catalog
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
    var places = 0
    for file in list.split(separator: "\n").map(String.init) {
      do {
        let made = try decoder.derive(HostFile.read(file))
        #expect(made.small != nil && made.large != nil, "\(file)")
        if (try? FileFacts(made.found))?.item.position != nil { places += 1 }
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
    let pictures = try (1...8).map { number in
      let made = try decoder.derive(try HostFile.read("\(Self.folder)/Orientation/\(name)_\(number).jpg"))
      #expect(made.facts.orientation == number)
      return try Pixels(try #require(made.small), in: bench)
    }
    for picture in pictures.dropFirst() { #expect(try #require(picture.difference(from: pictures[0])) < 12) }
  }
}
