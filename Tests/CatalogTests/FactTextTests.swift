import Testing

@testable import Catalog

/// What texts say about fields of our names.
@Suite struct FactTextTests {
  @Test(
    arguments: [
      ("title", " Eiffel \n", .title("Eiffel")), ("title", " ", nil), ("colour", "red", nil),
      ("Description", "x", .caption("x")), ("tags", "b, a,,b", .tags(["a", "b"])),
      ("keywords", "Smith, Anna; Bob", .tags(["Bob", "Smith, Anna"])), ("person", "Anna", .people(["Anna"])),
      ("rating", "4", .rating(4)), ("rating", "-1", .rating(-1)), ("rating", "3.5", .rating(4)), ("rating", "6", nil),
      ("stars", "five", nil), ("favorite", "TRUE", .favourite(true)), ("favourite", "no", .favourite(false)),
      ("favourite", "perhaps", nil), ("altitude", "35.5 m", .altitude(35.5)), ("altitude", "355/10", .altitude(35.5)),
      ("altitude", "1/0", nil), ("altitude", "nan", nil), ("altitude", "0x10", nil), ("altitude", "e", nil),
      ("make", "Canon", .make("Canon")), ("iso", "800", .iso(800)), ("iso", "800.5", nil), ("iso", "1e30", nil),
      ("exposure", "1/250 s", .exposure(0.004)), ("exposure", "0", nil), ("aperture", "f/2.8", .aperture(2.8)),
      ("aperture", "28/10", .aperture(2.8)), ("focal", "50 mm", .focalLength(50)), ("duration", "1:35", .duration(95)),
      ("duration", "1:01:35.5", .duration(3695.5)), ("duration", "1::2", nil), ("duration", "95 s", .duration(95)),
      ("fps", "30000/1001", .frameRate(30000 / 1001)), ("projection", "Equirectangular", .projection(.equirectangular)),
      ("projection", "flat", nil), ("live", " A-1 ", .contentIdentifier("A-1")), ("taken", "0000:00:00 00:00:00", nil),
      ("taken", "20240815", nil), ("taken", "soon", nil), ("position", "0,0", nil), ("position", "91, 2", nil),
      ("position", "48.85", nil), ("position", "north south", nil), ("position", "+48.8577", nil),
      ("position", "+4861+00217/", nil), ("position", "+485161+0021742/", nil), ("position", "+485127+00217/", nil),
      ("position", "+48512+0021742/", nil), ("position", "+4851+002/", nil),
      ("position", "+\u{301}48.85+2.35", nil), ("position", "-\u{301}", nil), ("position", "+48.85+\u{301}2.35/", nil),
      ("position", "+48.85\u{301}+2.35/", nil),
      ("iso", String(repeating: "1", count: 65), nil),
    ] as [(String, String, FactValue?)])
  func says(field: String, text: String, value: FactValue?) { #expect(FactValue(field: field, text: text) == value) }

  @Test(
    arguments: [
      ("48.8584, -2.2945", 48.8584, -2.2945), ("48.8584N 2.2945W", 48.8584, -2.2945),
      ("+48.8577+002.2950/", 48.8577, 2.295), ("-33.8599+151.2113+035.0CRSWGS_84/", -33.8599, 151.2113),
      ("48.85837009;2.29448", 48.8583701, 2.29448), ("+4851.462+00217.7/", 48.8577, 2.295),
      ("-4851.462-00217.7-012.5CRSWGS_84/", -48.8577, -2.295), ("+485127.72-0021742", 48.8577, -2.295),
      ("+485127.72+0021742.00+035.5/", 48.8577, 2.295), ("-0030-00030/", -0.5, -0.5),
    ])
  func positions(text: String, latitude: Double, longitude: Double) {
    #expect(
      FactValue(field: "position", text: text)
        == Position(latitude: latitude, longitude: longitude).map { .position($0) })
  }

  @Test(
    arguments: [
      ("2024:05:06 07:08:09", "2024-05-06T07:08:09", nil),
      ("2024-05-06T07:08:09.5+02:00", "2024-05-06T07:08:09.5", 7200),
      ("1826:01:01 00:00:00", "1826-01-01T00:00:00", nil), ("9999-12-31", "9999-12-31", nil),
    ] as [(String, String, Int32?)])
  func times(text: String, wall: String, offset: Int32?) {
    guard case .time(.wall(let time, let found)) = FactValue(field: "taken", text: text) else {
      Issue.record("no time")
      return
    }
    #expect("\(time)" == wall && found == offset)
  }

  @Test(arguments: ["1714979289", "1714979289000"]) func secondsSince1970(text: String) {
    #expect(FactValue(field: "taken", text: text) == WallTime(seconds: 1_714_979_289).map { .time(.universal($0)) })
  }

  @Test(arguments: [(0, 0), (1, 1), (25, 2), (50, 3), (75, 4), (99, 5), (100, 5)]) func percent(text: Int, stars: Int) {
    #expect(FactText.ratingPercent("\(text)") == stars)
  }

  @Test func severalTexts() {
    #expect(FactValue(field: "tags", texts: ["a,b", "c"]) == .tags(["a,b", "c"]))
    #expect(FactValue(field: "rating", texts: ["x", "3"]) == .rating(3))
    #expect(FactValue(field: "tags", texts: []) == nil)
  }

  @Test(
    arguments: [
      ("48/1 51/1 3024/100", "N", 48.8584), ("48,51.504N", "", 48.8584), ("48,51,30.24", "South", -48.8584),
      ("-48/1 51/1 3024/100", "S", -48.8584), ("-48/1 51/1 3024/100", "N", 48.8584), ("-48,51.504", "", -48.8584),
      ("-48 -51 -30.24", "", -48.8584), ("-0,30", "", -0.5), ("-48.8584W", "", -48.8584),
      ("48 0/0 0", "N", nil), ("", "N", nil), ("1 -2", "N", nil), ("1 2 3 4", "N", nil),
    ] as [(String, String, Double?)])
  func degrees(text: String, side: String, value: Double?) {
    let found = FactText.degrees(text, side: side)
    #expect(found.map { ($0 * 1e7).rounded() } == value.map { ($0 * 1e7).rounded() })
  }
}
