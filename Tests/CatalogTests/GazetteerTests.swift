import TestSupport
import Testing

@testable import Catalog

@Suite struct GazetteerTests {
  static let folder = "/usr/share/libtimezonemap/ui/"
  static let isInstalled = hostFile(folder + "admin1Codes.txt") != nil

  /// Debian's tables, where they are installed.
  static let system: Gazetteer? = {
    guard let towns = hostFile(folder + "cities15000.txt"), let regions = hostFile(folder + "admin1Codes.txt"),
      let countries = hostFile(folder + "countryInfo.txt")
    else { return nil }
    return try? Gazetteer(towns: towns, regions: regions, countries: countries)
  }()

  /// A line of a table of towns.
  static func line(
    _ id: String, _ name: String, _ latitude: String, _ longitude: String, code: String = "PPL", country: String = "FR",
    region: String = "A8", people: String = "1000", zone: String = "Europe/Paris", kind: String = "P"
  ) -> String {
    [
      id, name, name, "Other,Names", latitude, longitude, kind, code, country, "", region, "", "", "", people, "", "1",
      zone, "2020-01-01",
    ]
    .joined(separator: "\t") + "\n"
  }

  static func gazetteer(_ lines: String...) throws -> Gazetteer {
    try Gazetteer(
      towns: Array(lines.joined().utf8), regions: Array("FR.A8\tÎle-de-France\tIle-de-France\t1\n".utf8),
      countries: Array("# ISO\tISO3\nFR\tFRA\t250\tFR\tFrance\tParis\n".utf8))
  }

  static func point(_ latitude: Double, _ longitude: Double) throws -> Position {
    let position = Position(point: latitude, longitude)
    return try #require(position)
  }

  /// The town that comes first when all are compared.
  static func first(_ gazetteer: Gazetteer, _ position: Position, within limit: Double) -> UInt32? {
    let target = SIMD3<Float>(position.direction)
    let all = gazetteer.tree.indices.map { (gazetteer.score($0, target), gazetteer.towns.ids[$0]) }
    return all.filter { $0.0 < Float(limit / Position.radius) }.min { $0 < $1 }?.1
  }

  @Test(arguments: TestLength.seedArguments(30)) func theTreeFindsWhatComparingAllFinds(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed)
    // Few different places: many towns are equally far, or in the same place.
    let step: Double = [1.0, 30.0].randomElement(using: &numbers) ?? 1
    func degrees(_ most: Double) -> Double {
      (Double.random(in: -most...most, using: &numbers) / step).rounded() * step
    }
    let lines = (1...Int.random(in: 1...200, using: &numbers)).map { id in
      Self.line(
        "\(id)", "T\(id)", "\(degrees(90))", "\(degrees(180))",
        people: "\(Int.random(in: 0...9_000_000, using: &numbers))")
    }
    let gazetteer = try Gazetteer(towns: Array(lines.joined().utf8))
    for _ in 0..<100 {
      let position = try Self.point(degrees(90), degrees(180))
      let limit: Double = [1000.0, 100_000, 300_000, 30_000_000].randomElement(using: &numbers) ?? 1000
      #expect(
        gazetteer.nearest(to: position, within: limit)?.place.id == Self.first(gazetteer, position, within: limit))
    }
  }

  @Test func aLargeTownReachesFarther() throws {
    // Paris; Boulogne-Billancourt, whose centre is about as near to the Eiffel Tower.
    let gazetteer = try Self.gazetteer(
      Self.line("1", "Paris", "48.85341", "2.3488", people: "2138551"),
      Self.line("2", "Boulogne-Billancourt", "48.83545", "2.24128", people: "108782"))
    let tower = try #require(Position(latitude: 48.8584, longitude: 2.2945))
    #expect(gazetteer.place(at: tower)?.fullName == "Paris, Île-de-France, France")
    let other = try #require(Position(latitude: 48.8354, longitude: 2.2420))
    #expect(gazetteer.place(at: other)?.town == "Boulogne-Billancourt")
    #expect(gazetteer.place(id: 2)?.town == "Boulogne-Billancourt")
    #expect(gazetteer.place(id: 3) == nil)
  }

  @Test func farFromTownsThereIsAZoneAndThenNothing() throws {
    let gazetteer = try Self.gazetteer(Self.line("1", "X", "0", "10"))
    func at(_ longitude: Double) throws -> Position { try Self.point(0, longitude) }
    #expect(gazetteer.place(at: try at(10.8)) != nil)
    #expect(gazetteer.place(at: try at(11)) == nil)
    #expect(gazetteer.zone(at: try at(12.6)) == "Europe/Paris")
    #expect(gazetteer.zone(at: try at(12.8)) == nil)
  }

  @Test func acrossTheDateLineAndThePole() throws {
    let gazetteer = try Self.gazetteer(
      Self.line("1", "West", "0", "-179.9"), Self.line("2", "East", "0", "179"), Self.line("3", "North", "89.9", "0"))
    #expect(gazetteer.nearest(to: try Self.point(0, 179.9))?.place.id == 1)
    let position = try Self.point(89.9, 180)
    let pole = try #require(gazetteer.nearest(to: position))
    #expect(pole.place.id == 3)
    #expect(abs(pole.distance - 22_239) < 50)
  }

  @Test(
    .enabled(if: isInstalled),
    arguments: [
      (48.8584, 2.2945, "Paris, Île-de-France, France", "Europe/Paris"),
      (35.6586, 139.7454, "Tokyo, Tōkyō, Japan", "Asia/Tokyo"),
      (40.7580, -73.9855, "New York City, New York, United States", "America/New_York"),
      (51.5007, -0.1246, "London, England, United Kingdom", "Europe/London"),
      (-33.8568, 151.2153, "Sydney, New South Wales, Australia", "Australia/Sydney"),
      (38.9716, -109.7179, "Grand Junction, Colorado, United States", "America/Denver"),
    ])
  func placesThatPeopleKnow(latitude: Double, longitude: Double, name: String, zone: String) throws {
    let gazetteer = try #require(Self.system)
    let position = try #require(Position(latitude: latitude, longitude: longitude))
    #expect(gazetteer.nearest(to: position)?.place.fullName == name)
    #expect(gazetteer.zone(at: position) == zone)
  }

  @Test(.enabled(if: isInstalled)) func everyTownOfDebiansTableHasARegionACountryAndAZone() throws {
    let gazetteer = try #require(Self.system)
    #expect(gazetteer.count > 22_000)
    #expect(gazetteer.skippedLines < 1000)
    var withoutRegion = 0
    for index in 0..<gazetteer.count {
      let place = gazetteer.towns.place(index)
      if place.town.isEmpty || place.country.count <= 2 || !ZoneName.isValid(place.zone) { Issue.record("\(place)") }
      if place.region.isEmpty { withoutRegion += 1 }
      if gazetteer.place(id: place.id) != place { Issue.record("\(place)") }
    }
    // City states and small islands have none.
    #expect(withoutRegion < gazetteer.count / 50)
  }

  @Test func linesThatAreNoTownsAreSkipped() throws {
    let bad = [
      "garbage\n", "\n", "#\tcomment\n", Self.line("x", "A", "1", "1"), Self.line("1", "", "1", "1"),
      Self.line("1", "A", "91", "1"),
      Self.line("1", "A", "1", "181"), Self.line("1", "A", "nan", "1"), Self.line("1", "A", "1", "inf"),
      Self.line("1", "A", "1", "1", country: "FRA"),
      Self.line("99999999999", "A", "1", "1"), Self.line("1", "A", "1", "1", kind: "H"),
      Self.line("1", "A", "1", "1", code: "PPLX"),
      Self.line("1", String(repeating: "a", count: 1000), "1", "1"),
    ]
    let gazetteer = try Gazetteer(towns: Array((bad.joined() + Self.line("7", "Good", "1", "1")).utf8))
    #expect(gazetteer.count == 1)
    #expect(gazetteer.skippedLines == bad.count - 2)
    #expect(gazetteer.place(id: 7)?.fullName == "Good, FR")
    #expect(throws: GazetteerError.noTowns) { try Gazetteer(towns: Array(bad.joined().utf8)) }
    #expect(throws: GazetteerError.noTowns) { try Gazetteer(towns: []) }
  }

  @Test func aZoneThatIsAPathIsNone() throws {
    let gazetteer = try Self.gazetteer(Self.line("1", "A", "1", "1", zone: "../../etc/passwd"))
    #expect(gazetteer.place(id: 1)?.zone == "")
    #expect(gazetteer.zone(at: try Self.point(1, 1)) == nil)
  }

  @Test func aTableWithoutRegionsHasTheCodeOfTheCountry() throws {
    let gazetteer = try Gazetteer(towns: Array(Self.line("1", "A", "1", "1").utf8))
    #expect(gazetteer.place(id: 1)?.fullName == "A, FR")
  }

  @Test(arguments: TestLength.seedArguments(20)) func anyTableIsReadOrRefused(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed)
    let towns = (1...20).map { Self.line("\($0)", "T\($0)", "\($0)", "\($0)") }.joined()
    for _ in 0..<100 {
      let bytes = numbers.damaged(Array(towns.utf8))
      let others = numbers.damaged(Array("FR.A8\tX\tX\t1\nFR\tFRA\t1\tF\tFrance\n".utf8))
      guard let gazetteer = try? Gazetteer(towns: bytes, regions: others, countries: others) else { continue }
      #expect(gazetteer.count <= 22)
      for _ in 0..<5 {
        let position = try Self.point(.random(in: -90...90, using: &numbers), .random(in: -180...180, using: &numbers))
        let found = gazetteer.nearest(to: position, within: 3e7)
        #expect(found?.place.id == Self.first(gazetteer, position, within: 3e7))
      }
    }
  }
}

@Suite struct PositionTests {
  @Test(arguments: [(0.0, 0.0), (90.1, 0), (0, 180.1), (-91, 5), (.nan, 1), (1, .nan), (.infinity, 1), (1, -.infinity)])
  func isNone(latitude: Double, longitude: Double) {
    #expect(Position(latitude: latitude, longitude: longitude) == nil)
  }

  @Test func distances() throws {
    let paris = try #require(Position(latitude: 48.8566, longitude: 2.3522))
    let newYork = try #require(Position(latitude: 40.7128, longitude: -74.0060))
    #expect(abs(paris.distance(to: newYork) - 5_837_000) < 5000)
    #expect(paris.distance(to: paris) == 0)
    let (one, other) = (try GazetteerTests.point(90, 0), try GazetteerTests.point(-90, 77))
    #expect(abs(one.distance(to: other) - .pi * Position.radius) < 1)
  }
}
